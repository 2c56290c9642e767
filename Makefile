# Everything a newcomer needs is a target here; `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
JOBS ?= $(shell nproc)
ARGS ?=
FUZZ_SECONDS ?= 60
FUZZ_PRESET ?= fuzz
export CCACHE_DIR ?= $(HOME)/.cache/ccache

.PHONY: help setup run build tuned test check format format-check tidy layers test-dev test-tsan conformance bench soak build-times fuzz clean

help:  ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:  ## install what is missing (Debian packages, test peers); says what it does
	@tools/setup

run: setup build  ## set up, build and start the gateway on its embedded default (ARGS=--once: one call, then end)
	@tools/run $(ARGS)

build:  ## the binary, at build/release/gantry
	@tools/setup build
	@tools/build release gantry

test: setup  ## set up, build and run all tests (release build)
	@tools/build release
	@tools/run-tests release

check: setup format-check layers tidy test-dev  ## format, layering, clang-tidy, tests under ASan+UBSan

format:  ## rewrite all sources in the house format
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format-19 -i

format-check:  ## fail when a file is not in the house format
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format-19 --dry-run -Werror && echo "format: all files fine"

layers:  ## fail when a file includes what its layer must not see
	@tools/check-layers

tidy:  ## clang-tidy on every file (TIDY_SINCE=<commit> for changed files only)
	@tools/tidy $(TIDY_SINCE)

test-dev: setup  ## tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@tools/build dev
	@tools/run-tests dev

test-tsan: setup  ## the concurrent tests under ThreadSanitizer
	@tools/build tsan concurrent_tests
	@tools/run-tests tsan

conformance: setup  ## the official MCP conformance suite against client, server and gateway
	@tools/build release
	@tools/conformance

tuned: setup  ## the fastest program, at build/tuned/gantry: built by a profile and across files (twice a build's time)
	@tools/build-tuned

bench: setup  ## benchmarks side by side with their yardsticks; writes bench/RESULTS.md
	@tools/build release
	@tools/build-tuned
	@bench/run

soak: setup  ## two hours of mixed load, crashes and reloads; fails when the gateway grows or answers wrongly (MINUTES=120)
	@tools/build release gantry everything_server
	@bench/soak/soak.py

build-times: setup  ## a clean build and one-file changes, measured without ccache; writes bench/BUILD.md
	@tools/build-times

fuzz: setup  ## every fuzz target for FUZZ_SECONDS (default 60) each
	@tools/build $(FUZZ_PRESET) fuzz_targets
	@tools/fuzz $(FUZZ_PRESET) $(FUZZ_SECONDS)

clean:  ## remove everything built
	rm -rf build
