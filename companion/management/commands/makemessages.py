"""Django's `makemessages` with catalogues that merge well: sorted, undated, without fuzzy matches."""

import re
from pathlib import Path

from django.core.management.commands import makemessages


class Command(makemessages.Command):
    # A fuzzy match is worse than a gap, which the tests find.
    msgmerge_options = [*makemessages.Command.msgmerge_options, "--no-fuzzy-matching", "--sort-output"]
    xgettext_options = [*makemessages.Command.xgettext_options, "--sort-output"]

    def write_po_file(self, potfile: str, locale: str) -> None:
        super().write_po_file(potfile, locale)
        po = Path(potfile).parent / locale / "LC_MESSAGES" / f"{self.domain}.po"
        # The date conflicts in every merge.
        po.write_text(re.sub(r'"POT-Creation-Date:.*\n', "", po.read_text(encoding="utf-8")), encoding="utf-8")
