# SPDX-License-Identifier: Apache-2.0
#
# One word per need; HACKING.md lists them. Everything is built under build/; CMake and Ninja do the work.
.PHONY: all build test demo bench fuzz lint install asan tsan clean distclean
SHELL := /bin/bash
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 20
NINJA := ninja -j $(JOBS)

all: build

# `make` stays quick: library and binary. The tests are compiled by `make test`.
build: build/build.ninja
	@$(NINJA) -C build frazil_bin

# Configured once; Ninja configures again by itself when a CMake file or the set of sources changes.
build/build.ninja: CMakePresets.json | bootstrap-build
	cmake --preset dev
	@touch $@
build/%/build.ninja: CMakePresets.json | bootstrap-build
	cmake --preset $*
	@touch $@

bootstrap-%:
	@scripts/bootstrap $*

test: bootstrap-test build/build.ninja
	@$(NINJA) -C build
	@ctest --preset dev

asan tsan: %: bootstrap-test build/%/build.ninja
	@$(NINJA) -C build/$@
	@ctest --preset $@

demo: build
	@scripts/demo

bench: bootstrap-bench build
	@bench/run

fuzz: bootstrap-fuzz build/fuzz/build.ninja
	@$(NINJA) -C build/fuzz fuzz_targets
	@scripts/fuzz build/fuzz/bin $(FUZZ_SECONDS)

lint: bootstrap-lint build/build.ninja
	@scripts/lint

install: build
	@cmake --install build --prefix "$(PREFIX)" --strip
	@echo "installed $(PREFIX)/bin/frazil, with library, headers and CMake package"

# What was built goes; what was downloaded (build/deps) stays.
clean:
	@find build -mindepth 1 -maxdepth 1 ! -name deps -exec rm -rf {} + 2>/dev/null || true

distclean:
	@rm -rf build
