#!/bin/sh
# COMET checkpoints as we read them beside the reference implementation, in an environment of its own.
# Where that cannot be installed nothing is tested: said loudly, and a failure where CI is true.
set -u
cd "$(dirname "$0")/../.."
place=.venv-metrics
wanted=tests/metrics/requirements.txt

install() {
    test -x "$place/bin/python" || "${PYTHON:-python3}" -m venv "$place" || return 1
    # --no-compile: what is never imported need not be compiled, which is most of it
    "$place/bin/python" -m pip --disable-pip-version-check install --quiet --no-compile -r "$wanted" || return 1
    cp "$wanted" "$place/installed.txt"
}

if ! cmp -s "$wanted" "$place/installed.txt"; then
    echo "Installing the reference implementation of COMET into $place (once, a minute or two) ..."
    if ! install 2>"$place.log"; then
        grep -v '^WARNING' "$place.log" | tail -5
        echo "******************************************************************************"
        echo "** make test-metrics: the reference implementation could not be installed.  **"
        echo "** COMET CHECKPOINTS WERE NOT TESTED. The lines above say what is missing.  **"
        echo "******************************************************************************"
        test "${CI:-}" = true && exit 1
        exit 0
    fi
    rm -f "$place.log"
fi
# tests/conftest.py needs Lanner's own dependencies, which this environment does not have
LANNER_TEST_METRICS=1 PYTHONPATH=src OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false HF_HUB_OFFLINE=1 \
    exec "$place/bin/python" -m pytest -q -p no:cacheprovider --confcutdir=tests/metrics/neural tests/metrics/neural
