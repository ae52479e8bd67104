"""Liveness and readiness probes."""

from dataclasses import asdict

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from companion.ops.health.findings import Severity
from companion.ops.health.readiness import LOG_CHECK, READINESS
from companion.ops.supervisor import get_worker_count

STATES = {Severity.OK: "ok", Severity.WARNING: "degraded", Severity.ERROR: "failed"}
"""Words of the response; what is degraded works, but somebody should look."""


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer that the process is alive, without using the database."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Return the state of each check; 503 if one has failed, but not if it is only degraded."""
    results, workers = {**READINESS.get(), **LOG_CHECK.get()}, get_worker_count()
    if workers is not None:
        results["workers"] = Severity.OK if workers.serving >= workers.wanted else Severity.WARNING
    worst = max(results.values(), key=list(Severity).index)
    body = {"status": STATES[worst], "checks": {name: STATES[severity] for name, severity in results.items()}}
    if workers is not None:
        body["workers"] = asdict(workers)
    return JsonResponse(body, status=503 if worst == Severity.ERROR else 200)
