"""The addresses of the history, of players, of statistics, of files that leave, and of the interface for programs."""

from django.urls import path

from companion.history import views
from companion.history.exchange import export_views, import_views
from companion.history.players import views as players
from companion.history.programs import api, key_views
from companion.history.sharing import views as sharing
from companion.history.statistics import views as statistics

urlpatterns = [
    path("history/", views.history_page, name="history"),
    path("history/bin/", views.bin_page, name="bin"),
    path("history/import/", import_views.import_page, name="import"),
    path("history/import/<int:number>/", import_views.match_page, name="import-match"),
    path("history/export/", export_views.export_page, name="export"),
    path("history/export/<str:word>/", export_views.export_history, name="export-history"),
    path("tables/<str:public_id>/share/", sharing.share_page, name="share"),
    path("tables/<str:public_id>/picture.png", sharing.picture, name="picture"),
    path("tables/<str:public_id>/export/<str:word>/", export_views.export_table, name="export-table"),
    path("b/<str:code>", sharing.short_link, name="short-link"),
    path("players/", players.players_page, name="players"),
    path("players/<int:number>/", players.player_page, name="player"),
    path("players/<int:number>/change/", players.change_player, name="change-player"),
    path("statistics/", statistics.statistics_page, name="statistics"),
    path("statistics/<slug:slug>/", statistics.game_page, name="game-statistics"),
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
