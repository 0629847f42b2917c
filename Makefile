# A front end for CMake: each target does its own set-up.  CMakePresets.json describes the builds.
#
#   make                   builds everything that is installed: build/wideload and the libraries
#   make bench             runs every experiment, verified and counted or timed, and writes all rows to
#                          build/bench.md; ARGS="--device sim copy"
#   make report            runs it and writes build/report.html, a page with charts, from build/bench.json
#   make test              builds and runs the tests
#   make wheel             packs the build into a Python wheel in build/wheel/wheel
#   make test-python       tests that wheel
#   make speed             prints the simulator's speed compared with gcc -O2
#   make install           installs; PREFIX=/usr/local DESTDIR=
#   make clean             removes the builds (and keeps the compiler in .cuda/)
#   make sanitize          builds with ASan and UBSan and runs the tests
#   make coverage          runs the tests and prints the lines that they cover
#   make fuzz              fuzzes each target for SECONDS=60; see docs/fuzzing.md
#   make format            formats the sources

PREFIX = /usr/local
DESTDIR =
ARGS =
SECONDS = 60
JOBS = $(shell nproc)

# make works on one build directory at a time; Ninja runs jobs in parallel.
.NOTPARALLEL:
.PHONY: all bench report test wheel test-python speed install clean sanitize coverage fuzz format setup setup-wheel

all: setup build/build.ninja
	@cmake --build --preset release --target installed -j $(JOBS)

bench: all
	@build/wideload bench --markdown build/bench.md $(ARGS)

report: all
	@build/wideload bench --json build/bench.json $(ARGS)
	@build/wideload report build/bench.json -o build/report.html
	@echo "build/report.html"

test: setup build/build.ninja
	@cmake --build --preset release -j $(JOBS)
	@ctest --preset release -j $(JOBS)

wheel: setup-wheel all
	@scripts/wheel.sh

test-python: wheel
	@scripts/wheel.sh test

speed: setup build/build.ninja
	@cmake --build --preset release --target speed -j $(JOBS)

install: all
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"
	@test -n "$(DESTDIR)" || test "$$(id -u)" != 0 || ldconfig

sanitize: setup build-sanitize/build.ninja
	@cmake --build --preset sanitize -j $(JOBS)
	@ctest --preset sanitize -j $(JOBS)

coverage: build-coverage/build.ninja
	@scripts/setup.sh coverage
	@cmake --build --preset coverage -j $(JOBS)
	@find build-coverage -name '*.gcda' -delete
	@ctest --preset coverage -j $(JOBS)
	@gcovr --root . --object-directory build-coverage --exclude 'tests/' --exclude 'build-coverage/'

fuzz: setup
	@scripts/fuzz.sh $(SECONDS)

format:
	@scripts/format.sh

clean:
	rm -rf build build-kernels build-sanitize build-coverage build-debug build-fuzz

setup:
	@scripts/setup.sh
setup-wheel:
	@scripts/setup.sh wheel

# This happens once: Ninja itself re-runs CMake when a CMakeLists.txt changes.
build/build.ninja: | setup
	@cmake --preset release
build-%/build.ninja: | setup
	@cmake --preset $*
