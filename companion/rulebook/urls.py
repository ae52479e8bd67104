"""URLs of the rulebook, below the language prefix."""

from django.urls import path

from companion.rulebook import position_views, print_views, views

urlpatterns = [
    path("rules/", views.search_page, name="search"),
    path("rules/<slug:slug>/", views.rules_page, name="rules"),
    path("rules/<slug:slug>/could-i/", position_views.position_page, name="could-i"),
    path("rules/<slug:slug>/words/", views.glossary_page, name="words"),
    path("rules/<slug:slug>/paper/", print_views.print_page, name="papers"),
    path("rules/<slug:slug>/paper/<slug:kind>/", print_views.printable, {"as_pdf": False}, name="paper"),
    path("rules/<slug:slug>/paper/<slug:kind>.pdf", print_views.printable, {"as_pdf": True}, name="paper-pdf"),
    path("rules/<slug:slug>/doubts/", views.doubts_page, name="doubts"),
]
