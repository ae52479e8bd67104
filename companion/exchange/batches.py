"""Batches of tables, bounded by their number and by their entries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def iter_batches(
    items: Iterable[Item], get_size: Callable[[Item], int], *, max_items: int, max_size: int
) -> Iterator[list[Item]]:
    """Yield the items in lists; a single item may be larger than `max_size`."""
    batch: list[Item] = []
    size = 0
    for item in items:
        if batch and (len(batch) == max_items or size + get_size(item) > max_size):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += get_size(item)
    if batch:
        yield batch
