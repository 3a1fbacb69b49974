#!/bin/sh
# Puts the tools for the pages' scripts into the environment: TypeScript checks the types in their comments, Biome
# formats and lints them.
set -u
tools=.venv/node/node_modules/.bin
test -x $tools/tsc && test -x $tools/biome && exit 0
command -v npm >/dev/null 2>&1 || { echo "NO NPM: the pages' scripts are not checked." >&2; exit 0; }
npm install --silent --no-fund --no-audit --prefix .venv/node typescript@5 @biomejs/biome@2.6.6 >/dev/null 2>&1 \
    || echo "TypeScript and Biome could not be installed: the pages' scripts are not checked." >&2
