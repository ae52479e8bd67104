"""Base class of the table page and the correction page: the board or pad of a round, and its settings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from secrets import token_urlsafe

from companion.core.game import Game, Preset, get_setting
from companion.core.match import Round
from companion.core.protocols import Board, Options
from companion.tables.forms.new_table import build_setting_fields
from companion.tables.forms.pad import Box
from companion.tables.forms.play import PlayForm, build_play_forms
from companion.tables.models import Table
from companion.tables.presenters.base_page import BasePage, select_game_template
from companion.tables.services import saved_options


@dataclass(frozen=True)
class SettingForm:
    """Form of a setting that can still be changed at the table: its kind of entry, and its fields by name."""

    kind: str
    fields: Mapping[str, Box]


@dataclass(frozen=True)
class BoardPage(BasePage):
    """A round on its board or pad, to which something can be entered."""

    played: Round
    mode: str
    """How the round is shown, `pad` or `referee`; empty for a setting."""

    @property
    def options(self) -> Options:
        return self.played.options

    @cached_property
    def board(self) -> Board | None:
        referee = self.game.referee if self.mode == Table.Mode.REFEREE else None
        return referee.board(self.played.state) if referee else None

    @property
    def board_template(self) -> object:
        return select_game_template(self.game.slug, self.mode, f"plain_{self.mode}")

    @property
    def turn(self) -> int | None:
        """The seat to play, if a referee knows."""
        return self.board.turn if self.board else None

    @property
    def settings_template(self) -> object:
        return select_game_template(self.game.slug, "_settings")

    @property
    def play_forms(self) -> Sequence[PlayForm]:
        """The forms of the plain board, for a game that has none of its own."""
        return build_play_forms(self.played, self.turn)

    @cached_property
    def offers(self) -> Sequence[Preset]:
        """Settings that the circle has played with before."""
        has_offers = self.is_member and self.game.options.settings
        return saved_options.list_saved_options(self.game, self.table.circle_id) if has_offers else ()

    @property
    def is_new(self) -> bool:
        """Whether nothing has been entered in the round."""
        return not (self.played.plays or self.played.counts)

    @cached_property
    def form(self) -> Mapping[str, object]:
        """Hidden fields of an entry."""
        return self.build_form(self.played)

    def build_form(self, played: Round) -> dict[str, object]:
        """Return the hidden fields of an entry for the free slot of a round; the key makes posting idempotent."""
        return {
            "key": token_urlsafe(12),
            "round": played.number,
            "place": len(played.plays) + 1,
            "seen": self.version,
            "way": self.mode,
        }


@lru_cache(maxsize=64)  # the same in every answer until something is set
def build_setting_forms(game: Game, options: Options) -> tuple[SettingForm, ...]:
    """Return the forms of all settings of a game, with their current values."""
    settings = ((kind, get_setting(options, cls)) for kind, cls in game.options.settings.items())
    return tuple(SettingForm(kind, build_setting_fields(setting)) for kind, setting in settings)
