"""Addresses of import, export and sharing."""

from django.urls import path

from companion.exchange import export_views, import_views
from companion.exchange.sharing import views as sharing

urlpatterns = [
    path("history/import/", import_views.import_page, name="import"),
    path("history/import/<int:number>/", import_views.match_page, name="import-match"),
    path("history/export/", export_views.export_page, name="export"),
    path("history/export/<str:slug>/", export_views.export_history, name="export-history"),
    path("tables/<str:public_id>/share/", sharing.share_page, name="share"),
    path("tables/<str:public_id>/picture.png", sharing.result_picture, name="picture"),
    path("tables/<str:public_id>/export/<str:slug>/", export_views.export_table, name="export-table"),
    path("b/<str:code>", sharing.short_link, name="short-link"),
]
