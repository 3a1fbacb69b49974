#!/bin/sh
# Puts Debian's Chromium in place when it is missing and we may; otherwise says that the browser tests will be skipped.
set -u
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing Chromium and fonts for the browser tests ..."
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >/dev/null && apt-get install -y -qq --no-install-recommends \
        chromium fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji >/dev/null 2>&1
fi
command -v chromium >/dev/null 2>&1 || {
    echo "NO BROWSER: install Chromium to run the browser tests; they are skipped now." >&2
    [ "${CI:-}" != true ]
}
