"""Django settings, read from the environment."""

import os
import socket
import sys
from pathlib import Path

from csp.constants import NONE, SELF

from companion import env, limits
from companion.core import languages
from companion.db.settings import database_config
from companion.web.allowed_hosts import build_allowed_hosts

ROOT = Path(__file__).resolve().parent.parent

# The machine

DATA = env.get_folder("COMPANION_DATA", ROOT / "data")
env.load_env_file(DATA / env.ENV_FILE)
PUBLIC_URL = env.get_public_url("PUBLIC_URL")
PORT = env.get_int("PORT", 8000, 1, 65535)
WORKERS = env.get_int("WORKERS", min(os.cpu_count() or 1, 2), 1, 64)
"""Worker processes. Two keep pages quick while others are rendered; more only help on PostgreSQL."""
TRUSTED_PROXY = env.get_text("TRUSTED_PROXY", "127.0.0.1" if PUBLIC_URL.scheme == "https" else "")
"""The address whose X-Forwarded headers are trusted."""

DEBUG = env.get_bool("DEBUG", False)
SECRET_KEY = env.get_secret_key("SECRET_KEY", DATA / "secret_key")
ALLOWED_HOSTS = build_allowed_hosts(
    machine=socket.gethostname(), public=PUBLIC_URL.hostname, extra=env.get_list("ALLOWED_HOSTS")
)
DATABASES = {"default": database_config(env.get_text("DATABASE_URL"), DATA)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Application

ROOT_URLCONF = "companion.urls"
WSGI_APPLICATION = "companion.wsgi.application"
APPEND_SLASH = False

INSTALLED_APPS = [
    "companion",
    "companion.people",
    "companion.tables",
    "companion.history",
    "companion.rulebook",
    "django.contrib.staticfiles",
    "django_htmx",
    "template_partials",
    "csp",
]

# Middleware that sets headers comes first, so that every response has them, even files and refusals; only the request
# log comes before it.
MIDDLEWARE = [
    "companion.middleware.request_log.RequestLogMiddleware",
    "csp.middleware.CSPMiddleware",
    "companion.middleware.headers.ResourcePolicyMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "companion.middleware.host_check.HostCheckMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",  # for pages; static files are compressed when they are collected
    "django.middleware.locale.LocaleMiddleware",
    "companion.middleware.error_pages.ErrorPagesMiddleware",
    "companion.middleware.charset.CharsetMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "companion.middleware.database_errors.DatabaseErrorMiddleware",
]

GAMES = ROOT / "companion" / "games"
TEMPLATE_LOADERS = [
    ("companion.web.game_templates.GameTemplateLoader", [GAMES]),
    "django.template.loaders.filesystem.Loader",
    "django.template.loaders.app_directories.Loader",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "OPTIONS": {
            "loaders": [
                ("template_partials.loader.Loader", [("django.template.loaders.cached.Loader", TEMPLATE_LOADERS)])
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "companion.site.views.page_context",
            ],
        },
    }
]

# Languages and time

LANGUAGE_CODE = "en"
LANGUAGES = list(languages.LANGUAGES.items())
LOCALE_PATHS = [ROOT / "companion" / "locale", *sorted(GAMES.glob("*/locale"))]
"""The first catalogue that has a text translates it: that of the app, then those of the games."""
TIME_ZONE = env.get_time_zone("TZ")

# Files

STATIC_URL = "/static/"
STATIC_ROOT = DATA / "static"
STATICFILES_DIRS = [
    ROOT / "static",
    *((f"games/{folder.parent.name.replace('_', '-')}", folder) for folder in sorted(GAMES.glob("*/static"))),
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},  # uploads are not stored
    "staticfiles": {"BACKEND": "companion.web.static_storage.BundledStaticFilesStorage"},
}
WHITENOISE_ALLOW_ALL_ORIGINS = False
DATA_UPLOAD_MAX_MEMORY_SIZE = limits.MAX_FORM_BYTES
DATA_UPLOAD_MAX_NUMBER_FIELDS = limits.MAX_FORM_FIELDS
DATA_UPLOAD_MAX_NUMBER_FILES = 1
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]  # nothing is written to disk
FILE_UPLOAD_MAX_MEMORY_SIZE = limits.MAX_REQUEST_BYTES  # the server refuses anything larger

# Security. Over plain http, in a home network, the first block is empty: phones could not comply.

IS_HTTPS = PUBLIC_URL.scheme == "https"
SECURE_SSL_REDIRECT = IS_HTTPS
SECURE_SSL_HOST = PUBLIC_URL.netloc if IS_HTTPS else None
SECURE_REDIRECT_EXEMPT = ["^healthz$", "^readyz$"]  # probes on this machine use plain http
SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60 if IS_HTTPS else 0
CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = IS_HTTPS
CSRF_TRUSTED_ORIGINS = [f"https://{PUBLIC_URL.netloc}"] if IS_HTTPS else []

COOKIE_PREFIX = "__Host-" if IS_HTTPS else ""
"""Browsers accept such cookies from this very host only, and over https: no sibling domain can set one."""
CSRF_COOKIE_NAME = f"{COOKIE_PREFIX}csrftoken"
LANGUAGE_COOKIE_NAME = f"{COOKIE_PREFIX}django_language"
CSRF_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_AGE = 400 * 24 * 60 * 60
CSRF_FAILURE_VIEW = "companion.site.views.csrf_failure"
SECURE_REFERRER_POLICY = "same-origin"  # with no-referrer, Chromium sends `Origin: null` and every form is refused
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        **{name: [NONE] for name in ("default-src", "base-uri", "frame-ancestors")},
        **{name: [SELF] for name in ("script-src", "style-src", "img-src", "font-src", "connect-src")},
        **{name: [SELF] for name in ("manifest-src", "worker-src", "form-action")},
    }
}

# Warnings of `check --deploy` that are intentional.
SILENCED_SYSTEM_CHECKS = (
    [
        "security.W005",  # HSTS for subdomains: a home server must not force its siblings to https
        "security.W021",  # HSTS preload: hard to undo, and of no use to a home server
    ]
    if IS_HTTPS
    else [
        "security.W004",  # HSTS,
        "security.W008",  # https redirect,
        "security.W016",  # and secure cookies: none of them works over plain http
    ]
)

# Logging to standard error: plain lines on a terminal, JSON elsewhere

LOG_LEVEL = env.get_choice("LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))
LOG_FORMAT = env.get_choice("LOG_FORMAT", "LINE" if sys.stderr.isatty() else "JSON", ("JSON", "LINE"))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "JSON": {"()": "companion.web.logging.JsonFormatter"},
        "LINE": {"()": "companion.web.logging.TextFormatter"},
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT},
        "failures": {"class": "companion.web.logging.FailureHandler"},
    },
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        # Django logs requests by their paths; the request log has the same without them.
        "django.request": {"handlers": ["failures"], "level": "ERROR", "propagate": False},
        "django.security": {"level": "CRITICAL"},
        "waitress.queue": {"level": "ERROR"},
        "weasyprint": {"level": "ERROR"},  # warns about CSS for browsers
        "fontTools": {"level": "ERROR"},
    },
}
