"""Patterns of Greek wording that a native speaker has corrected."""

import re
from pathlib import Path

import polib
import pytest

ROOT = Path(__file__).resolve().parent.parent
GAMES = ROOT / "companion" / "games"
CATALOGUES = sorted((ROOT / "companion").rglob("locale/el/LC_MESSAGES/django.po"))
EVERYWHERE = ""

LIMIT = r"[\d{%−]|(το|τον|την(?! αμέσως)|τους|τις|τα|τώρα|τότε|εκεί|πόσ\w+|δύο|τρ\w+|τέσσερ\w+|δουλειά)\b|\|"
"""What follows «ως» when it means "up to", for which the app uses «έως»; "as" is allowed."""
FORBIDDEN = [
    (EVERYWHERE, rf"\bως (?={LIMIT})", "από 0 ως 9"),
    (EVERYWHERE, r"όπως οι δείκτες του ρολογιού", "Καθίστε όπως οι δείκτες του ρολογιού"),
    (EVERYWHERE, r"\bκάνε τις\b|\bθυμήσου τις\b", "θυμήσου τις, κάνε τες"),
    (EVERYWHERE, r"πηδι(ούν|έ)ται", "σκαλιά πηδιούνται"),
    (EVERYWHERE, r"(έχουν|αν|όταν) (περάσει|περάσουν) όλοι|περνάνε όλοι|πέρασαν (όλοι|τρεις)", "όταν περάσουν όλοι"),
    (EVERYWHERE, r"(ποιος|όποιος|αυτός που|ο \w+) πρόσφερε\b|προσφέρει \{bid\}", "ο Λίνος πρόσφερε 2G"),
    (EVERYWHERE, r"όποιος παραβεί τους κανόνες ακυρώνει", "Όποιος παραβεί τους κανόνες ακυρώνει την παρτίδα"),
    (EVERYWHERE, r"^χάνει$|χάν(ει|ουν) σειρά\b|ποιος χάνει$", "χάνει"),
    ("muzicando", r"\bχάν(ει|ουν|ω|εις)\b(?! (τη|τις) σειρ| τους πόντους)", "η Σάρα χάνει"),
    ("muzicando", r"βορράς και ο? ?νότος με ", "Βορράς και Νότος με Ανατολή και Δύση"),
    ("muzicando", r"(χωρίς|υπάρχει|από τη) στοίβα|στοίβα δεν υπάρχει", "μία κάρτα από τη στοίβα"),
    ("muzicando", r"τραβ(ή|ά)[ξσ]?τε θέσεις", "τότε τραβήξτε θέσεις"),
    ("muzicando", r"το πάσο τραβάει", "το πάσο τραβάει μία κάρτα"),
    ("muzicando", r"έναν μόνο του|ένας μόνος του", "−11 για έναν μόνο του"),
    ("muzicando", r"\b(βάλε|βάζεις|βάζει|βάζω|βάλεις|έβαλε|βάλει)\b", "Βάλε πρώτος όλες τις κάρτες"),
    ("muzicando", r"(?<!γι’ αυτό )σε πιστεύουμε", "Σε πιστεύουμε, εκτός αν"),
    ("muzicando", r"σημεία βάζεις|όποτε θέλεις\.$", "Σημεία βάζεις όποτε θέλεις."),
    ("muzicando", r"\*\*θέσεις:\*\*|θέσεις που πιάστηκαν|η πρώτη θέση", "Οι θέσεις που πιάστηκαν μένουν"),
    ("muzicando", r"ανεβαίνουν (από αριστερά )?προς τα δεξιά", "σειρές που ανεβαίνουν προς τα δεξιά"),
    ("beavers_and_mice", r"οι αριθμοί είναι από", "Οι αριθμοί είναι από 4 φορές"),
    ("beavers_and_mice", r"περισσότεροι\b(?! από ένας)", "Αν έχουν ειδικές κάρτες περισσότεροι, το κάνουν"),
    ("beavers_and_mice", r"(?<!\bο )(?<!στον )(?<!τον )\bκαθένας?\b", "Τώρα καθένας κοιτάζει"),
    ("beavers_and_mice", r"μοιράζει από \d", "μοιράζει από 4 κάρτες"),
    ("the_game", r"πριν τελειώσει ο επόμενος|σκεπάσει πριν τελειώσει", "πριν τελειώσει ο επόμενος παίκτης"),
    (EVERYWHERE, r"πριν τελειώσει ο επόμενος", "πριν τελειώσει ο επόμενος παίκτης"),
]
"""The folder of a game or everywhere, the forbidden pattern, and the wording that was corrected."""


def read_greek_lines() -> list[tuple[str, str]]:
    """Return the path and text of every Greek line of the games and of the catalogue."""
    lines = [
        (path.relative_to(GAMES).as_posix(), line)
        for path in sorted([*GAMES.rglob("*.el.md"), *GAMES.rglob("*.toml")])
        for line in path.read_text(encoding="utf-8").splitlines()
        if path.suffix == ".md" or (re.search(r"[α-ωά-ώ]", line) and not line.startswith("also.el"))
    ]
    messages = [entry for path in CATALOGUES for entry in polib.pofile(str(path), encoding="utf-8")]
    texts = [text for entry in messages for text in (entry.msgstr, *entry.msgstr_plural.values())]
    return [*lines, *(("django.po", line) for text in texts for line in text.split("\n"))]


def find_hits(folder: str, pattern: str) -> list[str]:
    regex = re.compile(pattern, re.IGNORECASE)
    return [
        f"{path}: {line}"
        for path, line in read_greek_lines()
        if path.startswith(folder) and regex.search(strip_assignment(line))
    ]


def strip_assignment(line: str) -> str:
    """Return the text of a TOML string, without its key and quotes."""
    return re.sub(r'^[\w.]+ = "|"$', "", line)


@pytest.mark.parametrize(("where", "pattern", "_was"), FORBIDDEN, ids=[row[2] for row in FORBIDDEN])
def test_corrected_wording_does_not_come_back(where, pattern, _was):
    assert find_hits(where, pattern) == []


@pytest.mark.parametrize(("_where", "pattern", "was"), FORBIDDEN, ids=[row[2] for row in FORBIDDEN])
def test_each_pattern_finds_the_wording_that_was_corrected(_where, pattern, was):
    assert re.search(pattern, strip_assignment(was), re.IGNORECASE)
