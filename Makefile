# Everything a newcomer needs is a target here; `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
JOBS ?= $(shell nproc)
ARGS ?=
FUZZ_SECONDS ?= 60
FUZZ_PRESET ?= fuzz
export CCACHE_DIR ?= $(HOME)/.cache/ccache

# Where make install puts things; DESTDIR goes in front.
PREFIX ?= /usr/local
DESTDIR ?=
PROGRAM ?= tuned
export PREFIX DESTDIR

.PHONY: help setup run build tuned test check format format-check tidy layers language test-dev test-tsan conformance bench soak build-times fuzz install deb services setup-check clean

help:  ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:  ## install what building and testing need (Debian packages, test peers)
	@tools/setup test

run:  ## set up, build and start the gateway with its demo tools (ARGS=--once: one call, then end)
	@tools/setup run
	@tools/build --program release gantry
	@tools/run $(ARGS)

build:  ## the binary, at build/release/gantry
	@tools/setup build
	@tools/build --program release gantry

test: setup  ## set up, build and run all tests (release build)
	@tools/build release
	@tools/run-tests release

check: setup-check format-check layers language tidy test-dev  ## format, layering, language, clang-tidy, tests under ASan+UBSan

format:  ## rewrite all sources in the house format
	@tools/setup check
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format-19 -i

format-check: setup-check  ## fail when a file is not in the house format
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format-19 --dry-run -Werror && echo "format: all files fine"

layers:  ## fail when a file includes something its layer must not include
	@tools/check-layers

language:  ## fail when a page or a comment has one of the phrases that make our prose hard to read
	@tools/check-language

tidy: setup-check  ## clang-tidy on every file (TIDY_SINCE=<commit> for changed files only)
	@tools/tidy $(TIDY_SINCE)

test-dev: setup-check  ## tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@tools/build dev
	@tools/run-tests dev

test-tsan: setup-check  ## the concurrent tests under ThreadSanitizer
	@tools/build tsan concurrent_tests
	@tools/run-tests tsan

conformance: setup  ## the official MCP conformance suite against client, server and gateway
	@tools/build release
	@tools/conformance

tuned:  ## the fastest program, at build/tuned/gantry: built by a profile and across files (twice a build's time)
	@tools/build-tuned

bench:  ## benchmarks side by side with their yardsticks; writes bench/RESULTS.md
	@tools/setup bench
	@cmake --preset release > /dev/null
	@tools/build release
	@tools/build-tuned
	@bench/run

soak: setup  ## two hours of mixed load, crashes and reloads; fails when the gateway grows or answers wrongly (MINUTES=120)
	@tools/build release gantry everything_server
	@bench/soak/soak.py

build-times:  ## a clean build and one-file changes, measured without ccache; writes bench/BUILD.md
	@tools/setup build
	@tools/build-times

fuzz: setup-check  ## every fuzz target for FUZZ_SECONDS (default 60) each
	@tools/build $(FUZZ_PRESET) fuzz_targets
	@tools/fuzz $(FUZZ_PRESET) $(FUZZ_SECONDS)

install:  ## program, manual, completions and libraries below PREFIX (/usr/local); DESTDIR goes in front
	@tools/setup build
	@tools/install

deb:  ## a Debian package of the tuned program, into build/package (PROGRAM=release: of the plain build)
	@tools/setup deb
	@tools/package $(PROGRAM)

services:  ## Keycloak, Kafka, Consul and chromium for the tests, into a cache outside the tree
	@tools/setup services

setup-check:
	@tools/setup check

clean:  ## remove everything built
	rm -rf build
