"""The addresses of the history, of players, of statistics, and of files that leave."""

from django.urls import path

from companion.history import exchange_views, people_views, survey_views, views

urlpatterns = [
    path("history/", views.history_page, name="history"),
    path("history/bin/", views.bin_page, name="bin"),
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
]
