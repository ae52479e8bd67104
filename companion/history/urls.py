"""The addresses of the history, of players, of statistics, of files that leave, and of the interface for programs."""

from django.urls import path

from companion.history import (
    api,
    exchange_views,
    import_views,
    key_views,
    people_views,
    survey_views,
    views,
)

urlpatterns = [
    path("history/", views.history_page, name="history"),
    path("history/bin/", views.bin_page, name="bin"),
    path("history/import/", import_views.import_page, name="import"),
    path("history/import/<int:number>/", import_views.match_page, name="import-match"),
    path("history/export/", exchange_views.export_page, name="export"),
    path("history/export/<str:word>/", exchange_views.export_history, name="export-history"),
    path("tables/<str:public_id>/share/", exchange_views.share_page, name="share"),
    path("tables/<str:public_id>/picture.png", exchange_views.picture, name="picture"),
    path("tables/<str:public_id>/export/<str:word>/", exchange_views.export_table, name="export-table"),
    path("b/<str:code>", exchange_views.short_link, name="short-link"),
    path("players/", people_views.players_page, name="players"),
    path("players/<int:number>/", people_views.player_page, name="player"),
    path("players/<int:number>/change/", people_views.change_player, name="change-player"),
    path("statistics/", survey_views.statistics_page, name="statistics"),
    path("statistics/<slug:slug>/", survey_views.game_page, name="game-statistics"),
    path("keys/", key_views.keys_page, name="keys"),
    path("api/v1/", api.index, name="api"),
    path("api/v1/tables/", api.tables, name="api-tables"),
    path("api/v1/tables/<str:public_id>/", api.table, name="api-table"),
    path("api/v1/players/", api.players, name="api-players"),
    path("api/v1/players/<str:uid>/", api.player, name="api-player"),
    path("api/v1/rulebooks/", api.rulebooks, name="api-rulebooks"),
    path("api/v1/rulebooks/<str:slug>/<str:language>/", api.book, name="api-rulebook"),
    path("api/v1/<path:rest>", api.nothing, name="api-nothing"),
]
