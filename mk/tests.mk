# SPDX-License-Identifier: Apache-2.0

PYTEST := $(VENV)/bin/python -m pytest -c tests/pytest.ini --rootdir=.

test: all lab examples $(BUILD)/.packages-test ## run all tests, those in the emulated machine as well
	$(Q)$(PYTEST) -q tests $(TESTFLAGS)

lint: all $(BUILD)/.packages-lint ## compilers' warnings as errors, clang-tidy, ruff, mypy, shellcheck
	$(Q)mk/lint

golden: all ## write the golden files of the tests anew; look at the diff before you commit
	$(Q)$(PYTEST) -q tests --golden $(TESTFLAGS)

.PHONY: test lint golden
