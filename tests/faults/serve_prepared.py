"""`manage.py serve` without migrations or static files, for a prepared folder and database."""

from django.conf import settings
from django.core.servers.basehttp import get_internal_wsgi_application

from companion.ops import server

if __name__ == "__main__":
    application = get_internal_wsgi_application()
    server.run_server(
        application, server.open_sockets(settings.PORT), workers=settings.WORKERS, proxy=settings.TRUSTED_PROXY
    )
