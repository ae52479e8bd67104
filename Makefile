# What a newcomer and .ci/run call. Nothing here is needed to read the code.

PYTHON ?= python3
BIN := .venv/bin
# As the settings do: the environment first, then the file that keeps it.
DATABASE := $(or $(DATABASE_URL),$(shell sed -n 's/^DATABASE_URL=//p' "$${COMPANION_DATA:-data}/environment" 2>/dev/null))
DATABASE_EXTRA := $(if $(filter postgres%,$(DATABASE)),postgresql)
APP := .venv/.app$(addprefix -,$(DATABASE_EXTRA))
TEST := .venv/.test
CHROMIUM ?= $(shell command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome)
# What tests need beside Python: a browser, a reader of PDF, what draws one, and what shows when a file is synced.
MISSING := $(if $(CHROMIUM),,chromium-headless-shell) $(shell command -v pdftotext >/dev/null || echo poppler-utils) \
	$(shell test "$$(uname)" != Linux || command -v strace >/dev/null || echo strace) \
	$(shell for package in libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0; do \
		file=$${package%0}; \
		test -n "$$(find /usr/lib /usr/local/lib /opt/homebrew/lib -name "$${file%-}*" -print -quit 2>/dev/null)" || echo $$package; done)

.PHONY: setup run build service not-as-root check check-tests test test-all test-postgresql test-long bench load pictures lint style types messages clean tools tools-postgresql

setup: $(TEST)  ## everything for working on the companion

run: $(APP)  ## serve on this network
	@exec $(BIN)/python manage.py serve

build: $(APP)  ## all that serving needs, for the settings in force
	@$(BIN)/python manage.py build

service: not-as-root build  ## serve from now on, also after a restart of the machine, and back up each night (systemd)
	$(BIN)/python manage.py service .venv/units
	sudo cp .venv/units/companion.service .venv/units/companion-nightly.service .venv/units/companion-nightly.timer /etc/systemd/system/
	sudo systemctl daemon-reload
	sudo systemctl enable --quiet companion.service companion-nightly.timer
	sudo systemctl restart companion.service companion-nightly.timer
	@echo "It runs. Its addresses and what it says: sudo journalctl -u companion"

not-as-root:
	@test "$$(id -u)" != 0 || { echo "Not as root, nor with sudo: as the user whose the companion is to be (see docs/operating.md)."; exit 1; }

# Which tests belong to which run: tests/scale.py.
RUN_TESTS = $(BIN)/python -m pytest -n $(1) --dist worksteal

check: export TEST_RUN = check
check: $(TEST)  ## within a minute: style, types, and the tests of core, games and services
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target style types check-tests

check-tests: $(TEST)
	$(call RUN_TESTS,2)

test: export TEST_RUN = test
test: $(TEST) tools  ## within six minutes: all that a change is likely to break, with a match of each game in a browser
	$(call RUN_TESTS,3)

test-all: export TEST_RUN = all
test-all: $(TEST) tools  ## all tests
	$(call RUN_TESTS,3)

# The list of what runs there is in tests/postgresql.py.
test-postgresql: $(TEST) tools-postgresql  ## what touches a database and no browser, on a PostgreSQL of its own
	$(BIN)/python -m tests.postgresql

test-long: export TEST_RUN = long
test-long: $(TEST) tools tools-postgresql  ## all tests on both databases, with many more random draws: before a release
	$(call RUN_TESTS,3)
	$(BIN)/python -m tests.postgresql

bench: $(TEST)
	$(BIN)/python -m tests.bench

load: $(TEST)  ## an evening of 50 tables with 8 phones each, for five minutes; LOAD="--minutes 60" and others, see --help
	$(BIN)/python -m tests.load $(LOAD)

pictures: $(TEST) tools  ## of the README, from the running app
	$(BIN)/python -m tests.pictures

lint: style types
	$(BIN)/python manage.py check --fail-level WARNING
	$(BIN)/python manage.py makemigrations --check --dry-run

style: $(TEST)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(TEST)
	$(BIN)/mypy

messages: $(TEST)  ## collect the texts to translate; needs gettext
	$(BIN)/python manage.py makemessages --locale el --no-location --no-obsolete --no-wrap --ignore 'data/*' --ignore 'tests/*'

clean:  ## all that can be made again; never the data folder
	rm -rf .venv build *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache .grimp_cache
	find companion tests -name __pycache__ -prune -exec rm -rf {} +
	find companion -name '*.mo' -delete

.venv/bin/python:
	@$(PYTHON) -m venv .venv || { echo "Python's venv module is missing. On Debian: apt-get install python3-venv"; rm -rf .venv; exit 1; }

$(APP): pyproject.toml constraints.txt | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.$(addprefix [,$(addsuffix ],$(DATABASE_EXTRA)))'
	@touch $@

$(TEST): pyproject.toml constraints.txt | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,postgresql]'
	@touch $@ .venv/.app .venv/.app-postgresql

# The browser tests drive a real browser; Debian's packages are fetched where they are missing and we may.
tools: PACKAGES = $(strip $(MISSING))
tools:
	@$(FETCH)

tools-postgresql: PACKAGES = $(if $(wildcard /usr/lib/postgresql/*/bin/initdb)$(shell command -v initdb),,postgresql)
tools-postgresql:
	@$(FETCH)

define FETCH
if [ -z "$(PACKAGES)" ]; then :; \
elif [ "$$(id -u)" = 0 ]; then apt-get update -q && apt-get install -qy --no-install-recommends $(PACKAGES); \
elif sudo -n true 2>/dev/null; then sudo apt-get update -q && sudo apt-get install -qy --no-install-recommends $(PACKAGES); \
else false; fi || { echo "The tests need, under Debian's names: $(PACKAGES). CHROMIUM may be the path of a browser."; exit 1; }
endef
