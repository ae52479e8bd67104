"""The addresses of the rulebook, below the language."""

from django.urls import path

from companion.rulebook import views

urlpatterns = [path("rules/<slug:slug>/", views.rules_page, name="rules")]
