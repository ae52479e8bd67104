"""Base class of the pages of a table, and their templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from django.template.loader import select_template
from django.urls import reverse

from companion.core.game import Game, Preset, Standing
from companion.core.match import Match
from companion.core.text import Text
from companion.tables.auth import TableAccess
from companion.tables.forms.new_table import NewTableForm, OptionField, build_option_fields
from companion.tables.models import Table


@dataclass(frozen=True)
class BasePage:
    """A page of a table, as one device sees it. Parts are computed when the template first asks for them."""

    access: TableAccess

    @property
    def table(self) -> Table:
        return self.access.table

    @cached_property
    def game(self) -> Game:
        return self.access.game

    @property
    def match(self) -> Match:
        return self.access.match

    @property
    def names(self) -> tuple[str, ...]:
        return self.access.names

    @property
    def version(self) -> int:
        return self.access.cached_log.version

    @property
    def standing(self) -> Standing:
        return self.match.standing

    @property
    def own_seat(self) -> int | None:
        return self.access.seat

    @property
    def can_enter(self) -> bool:
        return self.access.can_enter

    @property
    def is_member(self) -> bool:
        return self.access.is_member

    @property
    def is_closed(self) -> bool:
        return self.access.cached_log.log.is_closed

    @cached_property
    def is_read_only(self) -> bool:
        return self.is_closed or not self.can_enter

    @cached_property
    def table_url(self) -> str:
        return reverse("table", args=[self.table.public_id])

    @property
    def news_url(self) -> str:
        return reverse("news", args=[self.table.public_id])

    @cached_property
    def record_url(self) -> str:
        return reverse("record", args=[self.table.public_id])

    @cached_property
    def table_title(self) -> Text:
        return self.game.get_table_title(self.match.options)


@dataclass(frozen=True)
class OptionsForm:
    """The options of a new table, in the template of the game or the one for all games."""

    form: NewTableForm
    offers: Sequence[Preset] = ()
    """Options that the circle has played with before."""

    @cached_property
    def fields(self) -> tuple[OptionField, ...]:
        return build_option_fields(self.form)

    @property
    def by_name(self) -> Mapping[str, OptionField]:
        return {field.name: field for field in self.fields}

    @property
    def template(self) -> object:
        return select_game_template(self.form.game.slug, "_options")


@cache
def select_game_template(slug: str, name: str, default: str = "") -> object:
    """Return the template of that name of a game, or the one for games that have none."""
    return select_template([f"games/{slug}/{name}.html", f"tables/{default or name}.html"])
