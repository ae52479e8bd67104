"""URLs of the circle page."""

from django.urls import path

from companion.people import views

urlpatterns = [
    path("circle/", views.circle_page, name="circle"),
    path("circle/invite/", views.invite, name="invite"),
    path("circle/choose/", views.choose_circle, name="choose-circle"),
]
