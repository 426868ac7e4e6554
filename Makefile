# SPDX-License-Identifier: Apache-2.0
# The one door: `make help`. Everything made goes below build/; V=1 shows the commands.

BUILD   := build
PREFIX  ?= /usr/local
CC      ?= gcc
PYTHON  ?= $(shell mk/find-python)
VENV    := $(BUILD)/venv
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' reports/pyproject.toml)

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
CFLAGS   ?= -O2 -g
# SANITIZE=address,undefined or thread: the C program once more, below a folder of its own (mk/sanitize.mk).
comma    := ,
ifdef SANITIZE
override BUILD := build/sanitize-$(subst $(comma),-,$(SANITIZE))
override CFLAGS := -O1 -g -fsanitize=$(SANITIZE) -fno-sanitize-recover=all
endif
# CROSS=aarch64-linux-gnu: static and wheel for that machine, below a folder of its own (docs/installing.md).
ifdef CROSS
override BUILD := build/$(CROSS)
override CC := $(CROSS)-gcc
override AR := $(CROSS)-ar
endif
ALL_CFLAGS := -std=c17 -D_GNU_SOURCE -I. -I$(BUILD)/gen $(WARNINGS) -fno-omit-frame-pointer -pthread $(CFLAGS)
LIBS     := -lm -ldw -lelf -lsqlite3 -pthread

ifeq ($(V),1)
Q :=
else
Q := @
MAKEFLAGS += --no-print-directory
endif
say = @printf '  %-7s %s\n' $(1) $(2)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
SHELL := /bin/bash

include $(sort $(wildcard mk/*.mk)) lab/lab.mk examples/examples.mk

all: $(BUILD)/.packages program preload reports ## build everything a user needs; then ./numaprof works
.PHONY: all program preload reports clean help

clean: ## remove what was built (downloads of the emulated machine stay: see distclean)
	$(call say,CLEAN,$(BUILD))
	$(Q)find $(BUILD) -mindepth 1 -maxdepth 1 ! -name cache -exec rm -rf {} + 2>/dev/null || true
	$(Q)rm -f numaprof

distclean: clean ## remove downloads as well
	$(Q)rm -rf $(BUILD)

help: ## this list
	@echo 'numaprof $(VERSION): find remote NUMA memory, name the line, prove the fix.'; echo
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | \
	    sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20
	@echo; echo '  V=1 shows commands; PREFIX=DIR (install), CC, CFLAGS, PYTHON can be set.'
