"""URL configuration and error handlers."""

from django.conf.urls.i18n import i18n_patterns
from django.urls import include, path

from companion.api import key_views
from companion.exchange import export_views
from companion.ops.health import views as health
from companion.site import pwa, views

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("", views.home_page, name="home"),
    path("settings/", views.settings_page, name="settings"),
    path("settings/phone/", pwa.phone_page, name="phone"),
    path("settings/change/", views.change_settings, name="change-settings"),
    path("manifest.webmanifest", pwa.manifest, name="manifest"),
    path("sw.js", pwa.service_worker, name="service-worker"),
    path("", include("companion.people.urls")),
    path("", include("companion.tables.urls")),
    path("", include("companion.history.urls")),
    path("", include("companion.exchange.urls")),
    path("", include("companion.api.urls")),
    *i18n_patterns(
        path("offline/", pwa.offline_page, name="offline"),
        path("formats/", export_views.formats_page, name="formats"),
        path("programs/", key_views.docs_page, name="programs"),
        path("", include("companion.rulebook.urls")),
    ),
]

handler400 = "companion.site.views.bad_request"
handler403 = "companion.site.views.forbidden"
handler404 = "companion.site.views.not_found"
handler500 = "companion.site.views.server_error"
