"""URLs of the history, players and statistics."""

from django.urls import path

from companion.history import views as history
from companion.history.players import views as players
from companion.history.statistics import views as statistics

urlpatterns = [
    path("history/", history.history_page, name="history"),
    path("history/bin/", history.bin_page, name="bin"),
    path("players/", players.players_page, name="players"),
    path("players/<int:number>/", players.player_page, name="player"),
    path("players/<int:number>/change/", players.change_player, name="change-player"),
    path("statistics/", statistics.statistics_page, name="statistics"),
    path("statistics/<slug:slug>/", statistics.game_page, name="game-statistics"),
]
