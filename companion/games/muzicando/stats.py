"""Match statistics of Muzicando."""

from collections import Counter
from collections.abc import Iterator

from companion.core.facts import Aggregation, Fact, FactKind
from companion.core.match import Match
from companion.core.match_facts import iter_tallies
from companion.core.text import Text, _
from companion.games.muzicando.bids import Kind
from companion.games.muzicando.plays import Deal, Options
from companion.games.muzicando.scoring import is_contract_made

LEVELS = range(1, 5)
PLACES = range(1, 9)


def _declare_contract_facts(name: str, label: Text, group: Text) -> tuple[FactKind, ...]:
    return (
        FactKind(f"tried-{name}", label, Aggregation.SUM, group=_("Contracts")),
        FactKind(f"made-{name}", label, Aggregation.SHARE, share_of=f"tried-{name}", group=group),
    )


BY_KIND, BY_LEVEL, PLACE = _("Contracts made, by kind"), _("Contracts made, by level"), _("Placings by round")
FACT_KINDS = (
    FactKind("tried", _("Contracts"), Aggregation.SUM),
    FactKind("made", _("Contracts made"), Aggregation.SHARE, share_of="tried"),
    *(fact for kind in Kind for fact in _declare_contract_facts(kind.name.lower(), kind.label, BY_KIND)),
    *(
        fact
        for level in LEVELS
        for fact in _declare_contract_facts(f"level-{level}", _("Level {n}", n=level), BY_LEVEL)
    ),
    *(FactKind(f"place-{n}", _("Place {n}", n=n), Aggregation.SUM, group=PLACE, is_personal=True) for n in PLACES),
    FactKind("no-place", _("Couldn’t lay all their cards"), Aggregation.SUM, group=PLACE),
)


def collect_facts(options: Options, match: Match) -> Iterator[Fact]:
    """Yield contracts by bidder and places by seat; cancelled deals count for neither.

    Counts of zero are left out, except for contracts tried but never made.
    """
    counter: Counter[tuple[str, int]] = Counter()
    for tally in iter_tallies(match, Deal):
        for deal in tally:
            if deal.foul is None:
                counter.update((f"place-{n}", seat) for n, seat in enumerate(deal.finished, start=1))
                counter.update(("no-place", seat) for seat in range(deal.players) if seat not in deal.finished)
                _count_contract(options, deal, counter)
    yield from (Fact(name, value, seat) for (name, seat), value in counter.items())


def _count_contract(options: Options, deal: Deal, counter: Counter[tuple[str, int]]) -> None:
    """Count a contract as tried and, as 0 or 1, as made, so that both facts exist."""
    if deal.bid is None or deal.bidder is None:
        return
    made = int(is_contract_made(options, deal))
    for suffix in ("", f"-{deal.bid.kind.name.lower()}", f"-level-{deal.bid.level}"):
        counter[f"tried{suffix}", deal.bidder] += 1
        counter[f"made{suffix}", deal.bidder] += made
