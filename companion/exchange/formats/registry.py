"""Registry of the export formats."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from companion.core.text import Text, _
from companion.exchange.export_records import TableRecord
from companion.exchange.formats import bgg, companion_json, csv_files, notation
from companion.exchange.formats.bgstats import export as bgstats


@dataclass(frozen=True)
class ExportFormat:
    """An export format; `slug` is part of URLs, `suffix` of file names."""

    slug: str
    label: Text
    hint: Text
    suffix: str
    content_type: str
    write: Callable[[Iterable[TableRecord], datetime], Iterator[str] | Iterator[bytes]]


FORMATS: Mapping[str, ExportFormat] = {
    export_format.slug: export_format
    for export_format in (
        ExportFormat(
            "json",
            _("Companion (JSON)"),
            _("Everything, entry by entry: as a backup, or to import into another circle."),
            "json",
            "application/json",
            companion_json.write_file,
        ),
        ExportFormat(
            "csv",
            _("Spreadsheet (CSV)"),
            _("Tables, results and rounds, for calculations."),
            "csv.zip",
            "application/zip",
            lambda records, at: csv_files.write_archive(records),
        ),
        ExportFormat(
            "notation",
            _("Notation (text)"),
            _("One entry per line, readable by people and programs."),
            "txt.zip",
            "application/zip",
            lambda records, at: notation.write_archive(records),
        ),
        ExportFormat(
            "bgsplay",
            _("BG Stats: plays"),
            _("A file that you open in the app, or send to somebody who has it."),
            "bgsplay",
            "application/octet-stream",
            lambda records, at: bgstats.write_plays(records),
        ),
        ExportFormat(
            "bgstats",
            _("BG Stats: full export"),
            _("In the format of its backups, for other programs that read them."),
            "bgstats.json",
            "application/json",
            bgstats.write_full_export,
        ),
        ExportFormat(
            "bgg-xml",
            _("BoardGameGeek (XML)"),
            _("Plays as the site lists them."),
            "bgg.xml",
            "application/xml",
            lambda records, at: bgg.write_xml(records),
        ),
        ExportFormat(
            "bgg-json",
            _("BoardGameGeek (JSON)"),
            _("Plays in its import format."),
            "bgg.json",
            "application/json",
            lambda records, at: bgg.write_json(records),
        ),
    )
}
SINGLE_TABLE_FORMATS: Mapping[str, ExportFormat] = {
    **FORMATS,
    "notation": replace(
        FORMATS["notation"],
        suffix="txt",
        content_type="text/plain; charset=utf-8",
        write=lambda records, at: map(notation.format_table, records),
    ),
}
"""The formats for a single table, whose notation needs no zip."""
