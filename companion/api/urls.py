"""URLs of the API and its keys."""

from django.urls import path

from companion.api import key_views, views

urlpatterns = [
    path("keys/", key_views.keys_page, name="keys"),
    path("api/v1/", views.index, name="api"),
    path("api/v1/tables/", views.table_list, name="api-tables"),
    path("api/v1/tables/<str:public_id>/", views.table_detail, name="api-table"),
    path("api/v1/players/", views.player_list, name="api-players"),
    path("api/v1/players/<str:uid>/", views.player_detail, name="api-player"),
    path("api/v1/rulebooks/", views.rulebook_list, name="api-rulebooks"),
    path("api/v1/rulebooks/<str:slug>/<str:language>/", views.rulebook_detail, name="api-rulebook"),
    path("api/v1/<path:rest>", views.not_found, name="api-nothing"),
]
