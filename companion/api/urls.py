"""Addresses of the API and its keys."""

from django.urls import path

from companion.api import key_views, views

urlpatterns = [
    path("keys/", key_views.keys_page, name="keys"),
    path("api/v1/", views.index, name="api"),
    path("api/v1/tables/", views.tables, name="api-tables"),
    path("api/v1/tables/<str:public_id>/", views.table, name="api-table"),
    path("api/v1/players/", views.players, name="api-players"),
    path("api/v1/players/<str:uid>/", views.player, name="api-player"),
    path("api/v1/rulebooks/", views.rulebooks, name="api-rulebooks"),
    path("api/v1/rulebooks/<str:slug>/<str:language>/", views.book, name="api-rulebook"),
    path("api/v1/<path:rest>", views.nothing, name="api-nothing"),
]
