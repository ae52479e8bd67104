"""The addresses of the history."""

from django.urls import path

from companion.history import views

urlpatterns = [
    path("history/", views.history_page, name="history"),
    path("history/bin/", views.bin_page, name="bin"),
]
