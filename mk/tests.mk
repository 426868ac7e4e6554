# SPDX-License-Identifier: Apache-2.0

# A test that fails is run once more, and listed if it passes then: it waited for a machine that was busy, or it is wrong
# now and then. What is wrong always fails. Lab tests are run again in a boot of their own (tests/lab_guests.py).
ONCE_MORE := --reruns 1
PYTEST := $(VENV)/bin/python -m pytest -c tests/pytest.ini --rootdir=.

# Tests are compiled once, here: in the emulated machine that takes longer than many a test.
# Where the emulated machine cannot be had (another system, no download) its tests are skipped, and say so.
test: all examples $(BUILD)/.packages-test ## run all tests, those in the emulated machine as well
	$(Q)$(MAKE) lab || echo 'make: no emulated machine, for the reason above: tests that need it are skipped' >&2
	$(Q)PYTHONDONTWRITEBYTECODE= $(PYTEST) -q $(ONCE_MORE) tests $(TESTFLAGS)

lint: all $(BUILD)/.packages-lint ## compilers' warnings as errors, clang-tidy, ruff, mypy, shellcheck
	$(Q)mk/lint

golden: all ## write the golden files of the tests anew; look at the diff before you commit
	$(Q)$(PYTEST) -q tests --golden $(TESTFLAGS)

.PHONY: test lint golden
