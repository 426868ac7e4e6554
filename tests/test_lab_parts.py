# SPDX-License-Identifier: Apache-2.0
"""`make test-emulator MACHINES=1/3`: each emulated machine is in one part, and the parts have about as many tests."""

from __future__ import annotations

from collections import Counter

import pytest
from lab_plugin import part_of

TESTS_OF = Counter({"article": 9, "zen": 8, "ring": 3, "single": 5, "cloud": 1, "locked": 1, "uneven": 4})


def test_each_machine_is_in_one_part() -> None:
    parts = [part_of(TESTS_OF, f"{number}/3") for number in (1, 2, 3)]
    assert sorted(machine for part in parts for machine in part) == sorted(TESTS_OF)


def test_parts_have_about_as_many_tests() -> None:
    sizes = [sum(TESTS_OF[machine] for machine in part_of(TESTS_OF, f"{number}/3")) for number in (1, 2, 3)]
    assert max(sizes) - min(sizes) <= max(TESTS_OF.values())


@pytest.mark.parametrize("word", ["0/3", "4/3", "1", "a/b", "1/0", ""])
def test_a_word_that_is_no_part_is_refused(word: str) -> None:
    with pytest.raises(pytest.UsageError, match="for example 1/3"):
        part_of(TESTS_OF, word)
