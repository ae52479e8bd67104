"""The addresses of the history."""

from django.urls import path

from companion.history import exchange_views, views

urlpatterns = [
    path("history/", views.history_page, name="history"),
    path("history/bin/", views.bin_page, name="bin"),
    path("history/export/", exchange_views.export_page, name="export"),
    path("history/export/<str:word>/", exchange_views.export_history, name="export-history"),
    path("tables/<str:public_id>/share/", exchange_views.share_page, name="share"),
    path("tables/<str:public_id>/export/<str:word>/", exchange_views.export_table, name="export-table"),
    path("b/<str:code>", exchange_views.short_link, name="short-link"),
]
