# SPDX-License-Identifier: Apache-2.0
"""What `numaprof top` shows, as golden files, and what keys change; without a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable

import pytest
from live_samples import NO_PMU, busy_machine, process, sample, thread, view
from numaprof.live.screen import State, frame, press
from numaprof.live.tables import Choice, chosen, plain, process_table
from numaprof.terminal.layout import cells

Golden = Callable[[str, str], None]
SUBJECT = "all processes"


def pressed(keys: Sequence[str], state: State | None = None, shown: object = None) -> State:
    state = state or State()
    for key in keys:
        state = press(state, key, shown or busy_machine())  # type: ignore[arg-type]
    return state


def screen(keys: Sequence[str], width: int = 79, height: int = 24) -> str:
    """The chosen row has an arrow."""
    found = frame(busy_machine(), pressed(keys), SUBJECT, width, height)
    assert max(map(cells, found.lines)) <= width
    assert len(found.lines) <= height
    return "\n".join(("> " if n == found.chosen else "  ") + line for n, line in enumerate(found.lines)) + "\n"


def test_once(golden: Golden) -> None:
    golden("top/once.txt", "\n".join(plain(busy_machine(), SUBJECT, Choice(), 80, 20)) + "\n")


def test_once_without_counters(golden: Golden) -> None:
    golden("top/once-without-counters.txt", "\n".join(plain(busy_machine(**NO_PMU), SUBJECT, Choice(), 80, 20)) + "\n")


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("processes", []),
        ("threads", ["enter"]),
        ("memory", ["enter", "enter"]),
        ("nodes", ["n"]),
        ("help", ["?"]),
    ],
)
def test_screens(name: str, keys: list[str], golden: Golden) -> None:
    golden(f"top/screen-{name}.txt", screen(keys))


@pytest.mark.parametrize(("width", "height"), [(40, 10), (20, 5), (200, 60), (79, 3), (1, 1), (2, 2), (0, 1), (0, 24)])
@pytest.mark.parametrize("keys", [[], ["t"], ["n"], ["enter", "m"], ["?"]])
def test_any_size(keys: list[str], width: int, height: int) -> None:
    screen(keys, width, height)


def test_a_choice_stays_where_rows_change_their_order() -> None:
    def busy(first: int, second: int) -> object:
        rows = ((1, "a", first), (2, "b", second), (3, "c", 10))
        before = sample(0, *(process(pid, name, thread(pid, name, 0)) for pid, name, _ in rows))
        return view(before, sample(1, *(process(pid, name, thread(pid, name, ms)) for pid, name, ms in rows)))

    state = pressed(["down"], shown=busy(900, 100))
    assert state.chosen == (2, 0)
    found = frame(busy(100, 900), state, SUBJECT, 79, 24)  # type: ignore[arg-type]
    assert found.chosen is not None
    assert found.lines[found.chosen].split()[:2] == ["2", "b"]


def test_from_a_process_to_its_threads_to_its_memory_and_back() -> None:
    state = pressed(["enter"])
    assert (state.table, state.choice.pid) == ("threads", 4711)
    state = pressed(["enter"], state)
    assert (state.table, state.choice.pid) == ("memory", 4711)
    state = pressed(["back", "back"], state)
    assert (state.table, state.choice.pid, state.chosen) == ("processes", None, (4711, 0))


def test_sort_filter_and_class_go_round() -> None:
    shown = busy_machine()
    state, seen = State(), []
    for _ in range(7):
        state = press(state, "s", shown)
        seen.append(state.choice.sort)
    assert seen == ["remote", "share", "migrated", "memory", "name", "cpu", "remote"]
    assert [press(State(choice=Choice(node=node)), "f", shown).choice.node for node in (None, 0, 1)] == [0, 1, None]
    assert [press(State(choice=Choice(request=key)), "c", shown).choice.request for key in (None, "demand")] == [
        "demand",
        "prefetch",
    ]


def test_rows_of_a_node_are_those_that_ran_there() -> None:
    shown = busy_machine()
    assert [row.tid for row in chosen(shown.threads, Choice(node=0))] == [4712]
    assert [row.pid for row in chosen(shown.processes, Choice(node=1))] == [4711, 90]


def test_r_asks_to_record_the_chosen_process() -> None:
    assert pressed(["r"]).asks_to_record == 4711
    assert pressed(["n", "r"]).asks_to_record is None
    assert "choose a process" in pressed(["n", "r"]).message


def test_a_key_before_the_first_reading_changes_nothing() -> None:
    assert press(State(), "enter", None) == State()
    assert press(State(), "q", None).quits
    assert "first time" in frame(None, State(), SUBJECT, 79, 24).lines[0]


def test_any_key_goes_back_from_the_help() -> None:
    for key in ("q", "x", "enter"):
        assert pressed(["?", key]) == State()
    assert pressed(["?", "q", "q"]).quits


def test_the_last_reading_is_named_as_such_whatever_is_pressed() -> None:
    for keys in ([], ["x"], ["t", "s"]):
        lines = frame(busy_machine(), pressed(keys, State(ended=True)), SUBJECT, 79, 24).lines
        assert lines[-2] == "the processes have ended: this is the last reading; q quits"


def test_names_cannot_steer_the_terminal() -> None:
    evil = "\x1b[2J\u202e"
    before = sample(0, process(1, evil, thread(1, evil, 0)))
    shown = view(before, sample(1, process(1, evil, thread(1, evil, 10))))
    assert all(line.isprintable() for line in process_table(shown, Choice(), 80)[0])
    for keys in ([], ["t"], ["enter"]):
        assert all(line.isprintable() for line in frame(shown, pressed(keys, shown=shown), SUBJECT, 79, 24).lines)
