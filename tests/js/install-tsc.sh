#!/bin/sh
# Puts the TypeScript compiler beside the environment, to check the types in the scripts' comments.
set -u
command -v tsc >/dev/null 2>&1 && exit 0
test -x .venv/node/node_modules/.bin/tsc && exit 0
command -v npm >/dev/null 2>&1 || { echo "NO NPM: the types of the scripts are not checked." >&2; exit 0; }
npm install --silent --no-fund --no-audit --prefix .venv/node typescript@5 >/dev/null 2>&1 \
    || echo "TypeScript could not be installed: the types of the scripts are not checked." >&2
