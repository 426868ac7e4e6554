# SPDX-License-Identifier: Apache-2.0

corpus: all lab $(BUILD)/.packages-test ## judge the advice on programs with known truth; writes the table of docs/corpus.md
	$(Q)$(VENV)/bin/python tests/corpus/run.py --table docs/corpus.md $(CORPUSFLAGS)

.PHONY: corpus
