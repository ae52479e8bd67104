"""`manage.py serve`: migrate, build, print the addresses for phones, and serve."""

import socket
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.core.servers.basehttp import get_internal_wsgi_application
from django.db import DatabaseError, connections

from companion.db.data_lock import shared_lock
from companion.db.retry import startup_lock
from companion.db.sqlite_lock import lower_timeouts
from companion.history.cleanup import purge_at_start
from companion.management.commands.build import build
from companion.ops import server
from companion.ops.backup.create import BackupFailed, back_up_before_update
from companion.ops.health.startup import check_before_start, log_database_settings
from companion.rulebook.search import search
from companion.web.networks import list_phone_urls
from companion.web.qr import render_terminal_qr
from companion.web.static_files import get_release_id


class Command(BaseCommand):
    help = (
        "Check and migrate the database, build what is stale, print the addresses for phones, and serve until Ctrl-C."
    )

    @shared_lock()
    def handle(self, *args: Any, **options: Any) -> None:
        sockets = self.open_sockets()
        check_before_start()
        self.migrate()
        purge_at_start()
        log_database_settings()
        build()
        application = get_internal_wsgi_application()
        connections.close_all()  # forked workers must not share one
        self.print_addresses()
        get_release_id()  # cached: of the code that runs, even if files change later
        lower_timeouts()
        search("", settings.LANGUAGE_CODE)  # builds the search index once, before the workers fork
        server.run_server(application, sockets, workers=settings.WORKERS, proxy=settings.TRUSTED_PROXY)

    def open_sockets(self) -> list[socket.socket]:
        try:
            return server.open_sockets(settings.PORT)
        except OSError as error:
            raise CommandError(
                f"Port {settings.PORT} cannot be used: {error.strerror}. "
                f"Is the companion already running? Otherwise choose another: PORT={settings.PORT + 1}"
            ) from error

    def migrate(self) -> None:
        try:
            with startup_lock():
                if backup := back_up_before_update():
                    self.stdout.write(f"This release changes the database. Backup of the previous state: {backup}")
                call_command("migrate", interactive=False, verbosity=0)
                call_command("statistics", verbosity=0)  # results that a newer version of a game judges differently
        except DatabaseError as error:
            raise CommandError(f"The database cannot be used: {error}") from error
        except BackupFailed as error:
            raise CommandError(f"This release changes the database, which needs a backup first. {error}") from error

    def print_addresses(self) -> None:
        urls = list_phone_urls(settings.PORT, settings.PUBLIC_URL)
        if urls:
            self.stdout.write("\nOn a phone in the same network open\n\n" + "".join(f"    {url}\n" for url in urls))
            self.stdout.write(render_terminal_qr(urls[0], getattr(self.stdout, "encoding", None)))
        else:
            self.stdout.write("\nNo network found.")
        self.stdout.write(f"On this machine: http://localhost:{settings.PORT}\nStop with Ctrl-C.")
        self.stdout.flush()
