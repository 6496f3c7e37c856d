# SPDX-FileCopyrightText: The Lyra authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The door to the project: each target is one script or one CMake call, so that all of it also works
# without make. `make help` lists the targets.

PREFIX ?= /usr/local
DESTDIR ?=
PARTS ?=
BENCH ?=

export DESTDIR

.PHONY: all demo viewer quick check check-more check-web check-long bench format install clean help
.NOTPARALLEL:

all:
	@tools/build release

demo:
	@tools/setup build
	@tools/demo

viewer:
	@tools/setup build view
	@tools/build release
	@tools/check_viewer build/bin/lyra build/release/viewer.txt

quick:
	@tools/check quick

check:
	@tools/setup build view test
	@tools/check

check-more:
	@tools/setup build view test check
	@tools/check asan tsan clang fuzz format

check-web:
	@tools/setup build view test
	@tools/check web

check-long:
	@tools/setup build view test check long
	@tools/check-long $(PARTS)

bench: all
	@build/bin/lyra bench $(BENCH)

format:
	@tools/format

# needs no tools but CMake when everything is built, so that it may run as root
install:
	@test -x build/bin/lyra || tools/build release
	@cmake --install build/release --prefix "$(PREFIX)"

clean:
	rm -rf build

help:
	@echo 'make             optimised build: the command build/bin/lyra, the libraries in build/lib'
	@echo 'make demo        install what is missing, build, and show what Lyra does'
	@echo 'make viewer      install what lyra view needs too, and build with it'
	@echo 'make quick       build what changed and run a smoke set of tests: under 2 minutes'
	@echo 'make check       install what is missing, build, run all tests: under 10 minutes'
	@echo 'make check-more  sanitizers, clang, fuzz replays, format: under 35 minutes'
	@echo 'make check-web   test the page of the viewer in a headless Chromium'
	@echo 'make check-long  the long checks; PARTS="fuzz tidy" chooses (tools/check-long --help)'
	@echo 'make bench       measure; BENCH="sparse" chooses'
	@echo 'make format      put all sources into the house format'
	@echo 'make install     into PREFIX ($(PREFIX)), below DESTDIR where set'
	@echo 'make clean       remove build/'
