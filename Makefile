# make study and make test need nothing but Python >= 3.11, make and pip; .venv is theirs.

PYTHON ?= python3
VENV   := .venv
PINS   := constraints.txt
RUN    := $(VENV)/bin/python
NEIGHBOURS := .venv-neighbours
TORCH  ?= torch==2.13.0+cpu

.PHONY: study test oldest without-peers neighbours soak coverage bench docs clean

study: $(VENV)/ready            ## the main job: a study of an arm, as one page
	@mkdir -p study
	$(RUN) -m visviva study rp_arm -o study/rp_arm.html

test: $(VENV)/ready-test        ## everything that must hold
	$(RUN) -m pytest -q -n 3 --dist worksteal

oldest:                         ## tests that need no peer, with the oldest versions that are accepted
	$(MAKE) VENV=.venv-oldest PINS=constraints-oldest.txt without-peers

without-peers: $(VENV)/ready-tools
	VISVIVA_WITHOUT_PEERS=1 $(RUN) -m pytest -q -n 3 --dist worksteal

neighbours: | $(RUN)            ## torch, a build of it for processors, in an environment of its own
	@test -e $(NEIGHBOURS)/ready || { rm -rf $(NEIGHBOURS) && \
	  $(RUN) -m venv --without-pip $(NEIGHBOURS) && \
	  $(RUN) -m pip --python $(NEIGHBOURS) install -q --disable-pip-version-check \
	    -c constraints.txt "$(TORCH)" -e . pytest hypothesis && touch $(NEIGHBOURS)/ready; } || \
	  echo "the tests of torch are skipped: pip finds no $(TORCH) here (TORCH=… names another)"
	@test ! -e $(NEIGHBOURS)/ready || $(NEIGHBOURS)/bin/python -m pytest -q tests/neighbours

soak: $(VENV)/ready-test        ## property, fuzz and kill tests at their full counts
	VISVIVA_SOAK=1 $(RUN) -m pytest -v -s -m soak

coverage: $(VENV)/ready-test    ## how much of the source the tests run, in docs/coverage.md
	@mkdir -p build
	COVERAGE_FILE=build/.coverage $(RUN) -m pytest -q -n 2 --cov=visviva --cov-report=json:build/coverage.json
	$(RUN) tools/coverage_page.py

bench: $(VENV)/ready-peers      ## speed, against the peers, in one run; the page docs/speed.md
	$(RUN) -m benchmarks
	$(RUN) tools/benchmark_page.py

docs: $(VENV)/ready-docs        ## the site, in site/
	NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --strict

clean:
	rm -rf $(VENV) .venv-oldest $(NEIGHBOURS) site study build dist

$(VENV)/ready:       EXTRAS := [cli,study]
$(VENV)/ready-test:  EXTRAS := [test,docs]
$(VENV)/ready-docs:  EXTRAS := [docs]
$(VENV)/ready-tools: EXTRAS := [all,tools]
$(VENV)/ready-peers: EXTRAS := [peers]

$(VENV)/ready $(VENV)/ready-test $(VENV)/ready-docs $(VENV)/ready-tools $(VENV)/ready-peers: \
    pyproject.toml $(PINS) | $(RUN)
	$(RUN) -m pip install --quiet --disable-pip-version-check -c $(PINS) -e ".$(EXTRAS)"
	@touch $@

# Debian's Python comes without ensurepip: there the system's pip puts one into the environment.
$(RUN):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "visviva needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV) 2>/dev/null || \
	  { $(PYTHON) -m venv --clear --without-pip $(VENV) && \
	    $(PYTHON) -m pip --python $(RUN) install -q pip; } || { rm -rf $(VENV); exit 1; }
