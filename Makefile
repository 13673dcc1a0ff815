# make lab     open the notebooks in JupyterLab        make lab NOTEBOOK=notebooks/…   another one first
# make test    check everything                        make lab PYTHON=python3.12      set up with another Python
# make pages   write each notebook as one offline HTML file into pages/
# make notebooks   run each notebook and store it with what it showed
#
# Each sets up .venv first, and again only when pyproject.toml or constraints.txt changed.

PYTHON   ?= python3
NOTEBOOK ?= notebooks/05_attention_heads.ipynb

run := .venv/bin/python -m
lab_settings := .venv/share/jupyter/lab/settings
display := $(DISPLAY)$(WAYLAND_DISPLAY)$(filter Darwin,$(shell uname -s))
lab_flags := $(if $(display),,--no-browser) $(if $(filter 0,$(shell id -u)),--allow-root)

# On Linux torch's threads wait for each other by turning in a loop, which beside another program costs up to fifty times
# the time; after this many turns they sleep. Notebooks, `train` and `translate` do without them, however they are started
# (core_options/threads.py); this is for what *Run it here* starts.
export GOMP_SPINCOUNT ?= 1000

.PHONY: lab test pages notebooks

lab: .venv/ready
	$(run) jupyterlab --LabApp.default_url=/lab/tree/$(NOTEBOOK) $(lab_flags)

test: .venv/ready
	$(run) ruff check .
	$(run) ruff format --check .
	$(run) ruff format --check --line-length 100 transformer_core.py
	$(run) mypy
	OMP_NUM_THREADS=1 $(run) pytest --nbval -n 3 --dist loadfile   # on two cores, as browsers wait; each with whole files

pages: .venv/ready
	$(run) viz.pages

notebooks: .venv/ready
	OMP_NUM_THREADS=1 $(run) viz.store

.venv/ready: pyproject.toml constraints.txt | .venv/bin/pip
	$(run) pip install -c constraints.txt -e ".[test]"
	@mkdir -p $(lab_settings)   # Lab would ask a web site for news and updates
	@echo '{"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false}}' \
	    > $(lab_settings)/overrides.json
	@touch $@

.venv/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "$(PYTHON) is Python %d.%d, but 3.11 or newer is \
	needed; name one, e.g. make $(MAKECMDGOALS) PYTHON=python3.12." % sys.version_info[:2])'
	$(PYTHON) -m venv .venv
