# Commands for users, contributors and .ci/run.

PYTHON ?= python3
BIN := .venv/bin
# Like the settings: the environment first, then the saved settings.
DATABASE := $(or $(DATABASE_URL),$(shell sed -n 's/^DATABASE_URL=//p' "$${COMPANION_DATA:-data}/environment" 2>/dev/null))
DATABASE_EXTRA := $(if $(filter postgres%,$(DATABASE)),postgresql)
APP := .venv/.app$(addprefix -,$(DATABASE_EXTRA))
TEST := .venv/.test
CHROMIUM ?= $(shell command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome)
# Programs that tests need: a browser, a PDF reader, the libraries that draw PDFs, and strace to watch for fsync.
MISSING := $(if $(CHROMIUM),,chromium-headless-shell) $(shell command -v pdftotext >/dev/null || echo poppler-utils) \
	$(shell test "$$(uname)" != Linux || command -v strace >/dev/null || echo strace) \
	$(shell for package in libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0; do \
		file=$${package%0}; \
		test -n "$$(find /usr/lib /usr/local/lib /opt/homebrew/lib -name "$${file%-}*" -print -quit 2>/dev/null)" || echo $$package; done)

.PHONY: setup run build service not-as-root check check-tests test test-all test-postgresql test-long bench load pictures lint style types format messages clean tools tools-postgresql

setup: $(TEST)  ## set up for development

run: $(APP)  ## serve on this network
	@exec $(BIN)/python manage.py serve

build: $(APP)  ## everything that serving needs, for the current settings
	@$(BIN)/python manage.py build

service: not-as-root build  ## run as a systemd service, with nightly backups
	$(BIN)/python manage.py service .venv/units
	sudo cp .venv/units/companion.service .venv/units/companion-nightly.service .venv/units/companion-nightly.timer /etc/systemd/system/
	sudo systemctl daemon-reload
	sudo systemctl enable --quiet companion.service companion-nightly.timer
	sudo systemctl restart companion.service companion-nightly.timer
	@echo "The companion is running. For its addresses and log: sudo journalctl -u companion"

not-as-root:
	@test "$$(id -u)" != 0 || { echo "Run this as the user who will own the companion, not as root or with sudo (see docs/operating.md)."; exit 1; }

# Which tests belong to which run: tests/scale.py.
# With bytecode: else every process compiles the app and rewrites the assertions of all tests again.
PYTHON_M = env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m
RUN_TESTS = $(PYTHON_M) pytest -n $(1) --dist worksteal

check: export TEST_RUN = check
check: $(TEST)  ## within a minute: style, types, and tests of core, games and services
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
test-postgresql: $(TEST) tools-postgresql  ## every test that uses a database but no browser, on a temporary PostgreSQL
	$(PYTHON_M) tests.postgresql

test-long: export TEST_RUN = long
test-long: export PYTEST_ADDOPTS = -o faulthandler_timeout=0
test-long: $(TEST) tools tools-postgresql  ## all tests on both databases, with many more random draws: before a release
	$(call RUN_TESTS,3)
	$(PYTHON_M) tests.postgresql

bench: $(TEST)
	$(BIN)/python -m tests.bench

load: $(TEST)  ## load test: 50 tables with 8 phones each for five minutes; options in LOAD="--minutes 60", see --help
	$(BIN)/python -m tests.load $(LOAD)

pictures: $(TEST) tools  ## retake the pictures of the README from the running app
	$(BIN)/python -m tests.pictures

lint: style types
	$(BIN)/python manage.py check --fail-level WARNING
	$(BIN)/python manage.py makemigrations --check --dry-run

TEMPLATES := templates companion/games

style: $(TEST)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/djlint --lint --check --quiet $(TEMPLATES)
	$(BIN)/djade --check --target-version 5.2 $$(find $(TEMPLATES) -name '*.html')
	@! LC_ALL=C.UTF-8 grep -rnE --include='*.html' '.{121,}' $(TEMPLATES)

types: $(TEST)
	$(BIN)/mypy

format: $(TEST)  ## format code and templates
	$(BIN)/ruff check --select I --fix --quiet .
	$(BIN)/ruff format --quiet .
	-$(BIN)/djlint --reformat --quiet $(TEMPLATES)
	-$(BIN)/djade --target-version 5.2 $$(find $(TEMPLATES) -name '*.html')

messages: $(TEST)  ## collect texts to translate; needs gettext
	$(BIN)/python manage.py makemessages --locale el --no-location --no-obsolete --no-wrap --ignore 'data/*' --ignore 'tests/*'

clean:  ## delete everything that can be rebuilt, never the data folder
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

# Install missing Debian packages where that is possible.
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
else false; fi || { echo "The tests need these Debian packages: $(PACKAGES). CHROMIUM may be the path of a browser."; exit 1; }
endef
