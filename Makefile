# The commands of this project. Each installs what it needs first; nothing else has to be typed.
#   make demo      build, then the main job on generated ad data, told step by step
#   make test      build and run every test
#   make build     build/strandline
#   make bench     the benchmark at full scale (SCALE=0.1 in about a minute; PEERS=all adds Spark, Comet, PyIceberg)
#   make lint      format and clang-tidy over changed files
#   make install PREFIX=/usr/local
SHELL := /bin/bash
BUILD ?= build
BUILD_TYPE ?= Release
PREFIX ?= /usr/local
SCALE ?= 1
PEERS ?= duckdb
JOBS ?= $(shell nproc)

# What ccache needs to know about precompiled headers.
export CCACHE_SLOPPINESS := pch_defines,time_macros,include_file_mtime,include_file_ctime
# The path of the checkout does not matter to the result, so clones share what was compiled.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1

CMAKE_FLAGS := -DCMAKE_BUILD_TYPE=$(BUILD_TYPE) -DCMAKE_CXX_COMPILER_LAUNCHER=ccache \
	-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold \
	$(if $(STRANDLINE_ARROW_ROOT),-DSTRANDLINE_ARROW_ROOT=$(STRANDLINE_ARROW_ROOT)) \
	$(if $(STRANDLINE_DUCKDB_ROOT),-DSTRANDLINE_DUCKDB_ROOT=$(STRANDLINE_DUCKDB_ROOT))

.PHONY: all build build-all demo test bench lint install clean bootstrap
all: build

bootstrap:
	@scripts/bootstrap.sh

$(BUILD)/build.ninja: CMakeLists.txt | bootstrap
	@cmake -S . -B $(BUILD) -G Ninja $(CMAKE_FLAGS) > $(BUILD).configure.log 2>&1 || { cat $(BUILD).configure.log; exit 1; }
	@mkdir -p $(BUILD) && mv $(BUILD).configure.log $(BUILD)/configure.log

build: bootstrap $(BUILD)/build.ninja
	@ninja -C $(BUILD) -j $(JOBS) --quiet strandline

build-all: bootstrap $(BUILD)/build.ninja
	@ninja -C $(BUILD) -j $(JOBS) --quiet

demo: build
	@scripts/demo.sh $(BUILD)

test: build-all
	@scripts/test.sh $(BUILD)

bench: build-all
	@scripts/bench.sh $(BUILD) $(SCALE) $(PEERS)

lint: bootstrap $(BUILD)/build.ninja
	@scripts/lint.sh $(BUILD)

install: build
	@scripts/install.sh $(BUILD) $(DESTDIR)$(PREFIX)

clean:
	@rm -rf $(BUILD)
