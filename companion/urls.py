"""All addresses, and what is answered where nothing is found or something fails."""

from django.conf.urls.i18n import i18n_patterns
from django.urls import include, path

from companion import phone, views
from companion.checkup import views as checkup
from companion.history.exchange import export_views
from companion.history.programs import key_views

urlpatterns = [
    path("healthz", checkup.healthz, name="healthz"),
    path("readyz", checkup.readyz, name="readyz"),
    path("", views.home, name="home"),
    path("settings/", views.settings_page, name="settings"),
    path("settings/phone/", phone.phone_page, name="phone"),
    path("settings/change/", views.change_settings, name="change-settings"),
    path("", include("companion.people.urls")),
    path("manifest.webmanifest", phone.manifest, name="manifest"),
    path("sw.js", phone.service_worker, name="service-worker"),
    path("", include("companion.tables.urls")),
    path("", include("companion.history.urls")),
    *i18n_patterns(
        path("offline/", phone.offline_page, name="offline"),
        path("formats/", export_views.formats_page, name="formats"),
        path("programs/", key_views.programs_page, name="programs"),
        path("", include("companion.rulebook.urls")),
    ),
]

handler400 = "companion.views.bad_request"
handler403 = "companion.views.forbidden"
handler404 = "companion.views.not_found"
handler500 = "companion.views.failed"
