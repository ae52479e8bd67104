"""Addresses of the home page, the settings and the installable app."""

from django.urls import path

from companion.site import pwa, views

urlpatterns = [
    path("", views.home_page, name="home"),
    path("settings/", views.settings_page, name="settings"),
    path("settings/phone/", pwa.phone_page, name="phone"),
    path("settings/change/", views.change_settings, name="change-settings"),
    path("manifest.webmanifest", pwa.manifest, name="manifest"),
    path("sw.js", pwa.service_worker, name="service-worker"),
]
