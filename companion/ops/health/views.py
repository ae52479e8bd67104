"""Two addresses for probes: does the server answer at all, and is it ready for phones. Neither tells anything else."""

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
    """The process lives; no database is asked."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """503 where something has failed; what is only degraded is no reason to send phones away."""
    found, workers = {**READINESS.get(), **LOG_CHECK.get()}, get_worker_count()
    if workers is not None:
        found["workers"] = CheckState.OK if workers.serving >= workers.wanted else CheckState.DEGRADED
    state = get_worst_state(found)
    body = {"status": state, "checks": found, **({"workers": asdict(workers)} if workers else {})}
    return JsonResponse(body, status=503 if state == CheckState.FAILED else 200)
