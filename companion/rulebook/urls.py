"""The addresses of the rulebook, below the language."""

from django.urls import path

from companion.rulebook import asking, printing, searching, views

urlpatterns = [
    path("rules/", searching.search_page, name="search"),
    path("rules/<slug:slug>/", views.rules_page, name="rules"),
    path("rules/<slug:slug>/could-i/", asking.ask_page, name="could-i"),
    path("rules/<slug:slug>/words/", views.words_page, name="words"),
    path("rules/<slug:slug>/paper/", printing.papers_page, name="papers"),
    path("rules/<slug:slug>/paper/<slug:kind>/", printing.paper_page, name="paper"),
    path("rules/<slug:slug>/paper/<slug:kind>.pdf", printing.paper_pdf, name="paper-pdf"),
    path("rules/<slug:slug>/doubts/", views.doubts_page, name="doubts"),
]
