"""Liveness and readiness probes."""

from __future__ import annotations

from dataclasses import asdict

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from companion.ops.health.readiness import LOG_CHECK, READINESS, CheckState, get_worst_state
from companion.ops.supervisor import get_worker_count


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer that the process is alive, without using the database."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Return the state of each check; 503 if one has failed, but not if it is only degraded."""
    states, workers = {**READINESS.get(), **LOG_CHECK.get()}, get_worker_count()
    if workers is not None:
        states["workers"] = CheckState.OK if workers.serving >= workers.wanted else CheckState.DEGRADED
    state = get_worst_state(states)
    body = {"status": state, "checks": states, **({"workers": asdict(workers)} if workers else {})}
    return JsonResponse(body, status=503 if state == CheckState.FAILED else 200)
