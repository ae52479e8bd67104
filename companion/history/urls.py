"""The addresses of the history, of players, and of statistics."""

from django.urls import path

from companion.history import import_views, people_views, survey_views, views

urlpatterns = [
    path("history/", views.history_page, name="history"),
    path("history/bin/", views.bin_page, name="bin"),
    path("history/import/", import_views.import_page, name="import"),
    path("history/import/<int:number>/", import_views.match_page, name="import-match"),
    path("players/", people_views.players_page, name="players"),
    path("players/<int:number>/", people_views.player_page, name="player"),
    path("players/<int:number>/change/", people_views.change_player, name="change-player"),
    path("statistics/", survey_views.statistics_page, name="statistics"),
    path("statistics/<slug:slug>/", survey_views.game_page, name="game-statistics"),
]
