"""Tests of the statistics against a naive computation from the logs."""

from collections import Counter, defaultdict
from datetime import timedelta
from statistics import median

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse
from django.utils import timezone

from companion.core.match_facts import collect_facts
from companion.games import get_games
from companion.history.models import Fact, Rating, SeatResult
from companion.history.statistics import aggregation, group_stats, player_stats, ratings
from companion.people.models import Circle
from companion.tables.models import Table
from tests.crowd import create_tables
from tests.history.test_players import play_table
from tests.web.people import load_fresh_log


@pytest.fixture
def crowd(db):
    """A circle with random matches of all games."""
    circle = Circle.objects.create()
    create_tables(circle, each=4)
    aggregation.catch_up_fully(circle)
    return circle


@pytest.fixture
def seat_rows(crowd):
    """The result of every seat: (player, table, game, rank, side, total, is_won, is_shared)."""
    rows = []
    for table in Table.objects.filter(circle=crowd).order_by("began_at", "pk"):
        match = load_fresh_log(table).match
        standing, game = match.standing, match.game
        for index, side in enumerate(game.scoring.sides(match.options, match.seats)):
            for seat in side:
                rank = standing.ranks[index] if standing.ranks else 0
                won = (
                    game.scoring.is_won_together(match.options, standing) if game.scoring.is_won_together else rank == 1
                )
                shared = rank == 1 and standing.ranks.count(1) > 1
                player = table.seats.get(number=seat).player
                rows.append((player, table, game, rank, index, standing.totals[index], won, shared))
    return rows


def test_seat_results_agree_with_the_logs(crowd, seat_rows):
    results = SeatResult.objects.filter(circle=crowd).order_by("began_at", "table", "side", "seat")
    names = ("player", "table", "game", "rank", "side", "total", "is_won", "is_shared")
    stored = list(results.values_list(*names))
    assert stored == [
        (p.pk, t.pk, g.slug, rank, side, total, won, s) for p, t, g, rank, side, total, won, s in seat_rows
    ]
    assert len({row[2] for row in stored}) == len(get_games())


def test_player_stats_agree_with_the_logs(crowd, seat_rows):
    for player in crowd.players.all():
        rows = [row for row in seat_rows if row[0] == player]
        stats = player_stats.build_player_stats(player, player_stats.list_matches(player))
        assert (stats.matches, stats.wins) == (len(rows), sum(row[6] for row in rows))
        assert stats.shared_wins == sum(row[7] for row in rows)
        for line in stats.by_game:
            totals = [row[5] for row in rows if row[2] is line.game]
            assert line.matches == len(totals)
            assert line.best in (min(totals), max(totals))
            assert line.median_total == (round(median(totals)) if len(totals) > 3 else None)
        runs, current = [0], 0
        for row in rows:
            if row[3] or row[2].scoring.is_won_together:
                current = current + 1 if row[6] else 0
                runs.append(current)
        assert (stats.streak.longest, stats.streak.current) == (max(runs), runs[-1])


def test_head_to_head_agrees_with_the_logs(crowd, seat_rows):
    by_table = defaultdict(list)
    for row in seat_rows:
        by_table[row[1]].append(row)
    for player in crowd.players.all():
        ahead, behind, tied, mates, matches = Counter(), Counter(), Counter(), Counter(), Counter()
        for rows in by_table.values():
            mine = next((row for row in rows if row[0] == player), None)
            for other in rows if mine else []:
                if other[0] == player:
                    continue
                if other[4] == mine[4]:
                    mates[other[0]] += 1
                    continue
                matches[other[0]] += 1
                if mine[3]:
                    (ahead if mine[3] < other[3] else behind if mine[3] > other[3] else tied)[other[0]] += 1
        against, together = player_stats.build_head_to_head(player)
        assert {c.player: (c.matches, c.ahead, c.tied, c.behind) for c in against} == {
            other: (n, ahead[other], tied[other], behind[other]) for other, n in matches.items()
        }
        assert {c.player: c.matches for c in together} == mates


def test_stored_facts_agree_with_the_logs(crowd, seat_rows):
    expected = Counter()
    for table in Table.objects.filter(circle=crowd):
        for fact in collect_facts(load_fresh_log(table).match):
            expected[table.pk, fact.name, fact.seat, fact.value] += 1
    stored = Fact.objects.filter(circle=crowd).values_list("table", "name", "seat", "value")
    assert Counter(stored) == expected


def test_circle_statistics_agree_with_the_logs(crowd, seat_rows):
    tables = Counter(row[2] for row in seat_rows if row[4] == 0 and row[0] == row[1].seats.get(number=0).player)
    assert {stats.game: stats.tables for stats in group_stats.list_game_stats(crowd)} == tables
    for count in group_stats.count_matches_by_player(crowd):
        rows = [row for row in seat_rows if row[0] == count.player]
        assert count.matches == len(rows)
        assert count.shared_wins == sum(row[7] for row in rows)
        assert count.outright_wins == sum(row[6] and not row[7] for row in rows)
    since = timezone.localdate().replace(day=1) - timedelta(days=750)
    months = Counter(timezone.localtime(t.began_at).date().replace(day=1) for t in {row[1] for row in seat_rows})
    recent = {month: count for month, count in group_stats.count_tables_by_month(crowd).items() if count}
    assert recent == {
        month: count for month, count in months.items() if month in group_stats.count_tables_by_month(crowd)
    }
    assert sum(recent.values()) > 20 and min(recent) > since


# Ratings


def compute_ratings_naively(rows, slug):
    """Compute Elo ratings pairwise between the sides of each match, without the application’s code."""
    values = defaultdict(lambda: 1500.0)
    tables = defaultdict(list)
    for row in rows:
        if row[2].slug == slug and row[3]:
            tables[row[1]].append(row)
    for seats in tables.values():
        sides = defaultdict(list)
        for row in seats:
            sides[row[4]].append(row)
        strength = {side: sum(values[row[0]] for row in members) / len(members) for side, members in sides.items()}
        change = {}
        for side, members in sides.items():
            change[side] = 0.0
            for other, theirs in sides.items():
                if other != side:
                    expected = 1 / (1 + 10 ** ((strength[other] - strength[side]) / 400))
                    rank, other_rank = members[0][3], theirs[0][3]
                    score = 1 if rank < other_rank else 0 if rank > other_rank else 0.5
                    change[side] += 32 * (score - expected) / (len(sides) - 1)
        for side, members in sides.items():
            for row in members:
                values[row[0]] += change[side]
    return values


def test_ratings_follow_the_elo_formula(crowd, seat_rows):
    for slug in get_games():
        ratings.catch_up(crowd, slug)
        values = {rating.player: rating.value for rating in Rating.objects.filter(circle=crowd, game=slug)}
        assert values == pytest.approx(dict(compute_ratings_naively(seat_rows, slug))), slug
        if slug == "take-that":
            assert sum(values.values()) == pytest.approx(1500 * len(values)), "ratings are zero-sum"
    assert not Rating.objects.filter(circle=crowd, game="the-game").exists(), "it ranks nobody"


def take_snapshot(circle):
    """Return all statistics rows, without their ids."""
    results = SeatResult.objects.filter(circle=circle).order_by("table", "seat")
    facts = Fact.objects.filter(circle=circle).order_by("table", "name", "seat")
    rated = Rating.objects.filter(circle=circle).order_by("game", "called", "player")
    return [[{**row, "id": 0} for row in rows.values()] for rows in (results, facts, rated)]


def test_rebuild_gives_the_same_statistics(crowd):
    for slug in get_games():
        ratings.catch_up(crowd, slug)
    before = take_snapshot(crowd)
    call_command("statistics", "--rebuild", verbosity=0)
    for slug in get_games():
        ratings.catch_up(crowd, slug)
    assert take_snapshot(crowd) == before
    assert before[2]
    call_command("statistics", "--verify", verbosity=0)
    SeatResult.objects.filter(circle=crowd, seat=1).update(total=10_000)
    with pytest.raises(CommandError):
        call_command("statistics", "--verify", verbosity=0)


def test_incremental_ratings_equal_rebuilt_ones(alice):
    tables = [play_table(alice, *names, points=points) for names, points in (
        (("Ann", "Bo"), (5, 3)), (("Bo", "Ann", "Cleo"), (5, 5, 1)), (("Cleo", "Ann"), (7, 2)), (("Ann", "Bo"), (1, 2)),
    )]  # fmt: skip
    circle = tables[0].circle
    alice.get(reverse("game-statistics", args=["any-game"]))
    incremental = take_snapshot(circle)[2]
    aggregation.rebuild([circle])
    ratings.catch_up(circle, "any-game")
    assert take_snapshot(circle)[2] == incremental != []


def test_correcting_an_early_table_recomputes_ratings(alice):
    first = play_table(alice, "Ann", "Bo", points=(5, 3))
    play_table(alice, "Ann", "Bo", points=(4, 3))
    alice.get(reverse("game-statistics", args=["any-game"]))
    assert Rating.objects.get(player__name="Ann").value > 1500
    sent = {"amend": "correct", "target": 1, "round": 1, "count.0.points": 1}
    assert alice.enter(first, **sent).status_code == 302
    alice.get(reverse("game-statistics", args=["any-game"]))
    values = [rating.value for rating in Rating.objects.order_by("player__name")]
    second = play_table(alice, "Cleo", "Dora", points=(3, 5))
    play_table(alice, "Cleo", "Dora", points=(4, 3))
    alice.get(reverse("game-statistics", args=["any-game"]))
    expected = [Rating.objects.get(player__name=name).value for name in ("Cleo", "Dora")]
    assert second.pk and values == pytest.approx(expected)
