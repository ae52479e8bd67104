"""Claims of how often a pattern is met."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from companion.core.game import Violation
from companion.core.text import Text, _, ngettext
from companion.games.sideboards.deck import Colour, Handle
from companion.games.sideboards.packing import Mask, Pattern, list_placements, pack_pattern
from companion.games.sideboards.rules import Rule


@dataclass(frozen=True)
class Claim:
    """A claim that a pattern is met a number of times on some drawers of a sideboard."""

    pattern: Pattern
    drawers: tuple[tuple[Colour | Handle, Mask], ...]
    """The drawers of each colour, or of each handle."""
    times: int
    mirrored: bool = False

    @property
    def rule(self) -> Rule:
        """The section of the rulebook on goals of this sort."""
        is_handles = any(isinstance(kind, Handle) for kind, _mask in self.drawers)
        return Rule.HANDLE_GOALS if is_handles else Rule.COLOUR_GOALS

    @cached_property
    def instances(self) -> dict[Colour | Handle, tuple[Mask, ...]]:
        """The most instances that share no drawer, by colour or handle; those without any are left out."""
        packed = {kind: pack_pattern(mask, self.pattern, mirrored=self.mirrored) for kind, mask in self.drawers}
        return {kind: masks for kind, masks in packed.items() if masks}

    @property
    def most(self) -> int:
        return sum(map(len, self.instances.values()))


def check_claim(claim: Claim) -> Iterator[Violation]:
    """Yield a violation if the pattern is met less often than claimed, with the reason."""
    if claim.times <= claim.most:
        return
    placements = (list_placements(mask, claim.pattern, mirrored=claim.mirrored) for _kind, mask in claim.drawers)
    if not claim.mirrored and replace(claim, mirrored=True).most >= claim.times:
        message = _(
            "It fits that often only if mirrored, and mirrored patterns don’t count here. {text}",
            text=_describe_most(claim),
        )
        yield Violation(Rule.PATTERNS, message)
    elif sum(map(len, placements)) >= claim.times:
        message = _("No drawer counts twice for the same goal. {text}", text=_describe_most(claim))
        yield Violation(Rule.DRAWER_ONCE, message)
    else:
        yield Violation(claim.rule, _describe_most(claim))


def _describe_most(claim: Claim) -> Text:
    if not claim.most:
        return _("It fits nowhere on these drawers.")
    kinds = tuple(_("{kind} {n}", kind=kind.label, n=len(masks)) for kind, masks in claim.instances.items())
    return ngettext("It fits {n} time: {kinds}.", "It fits {n} times: {kinds}.", claim.most, kinds=kinds)


def explain_claim(claim: Claim) -> Text:
    """Return how often the pattern fits, and in which colours or handles."""
    if claim.times < claim.most:
        return _("It fits more often than that. {text}", text=_describe_most(claim))
    return _describe_most(claim)
