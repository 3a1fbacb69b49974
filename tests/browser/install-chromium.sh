#!/bin/sh
# Puts Debian's Chromium in place when it is missing and we may; otherwise says that the browser tests will be skipped.
# Beside the whole browser, its engine without windows and menus: a fresh context costs a sixth there.
set -u
have() { command -v "$1" >/dev/null 2>&1; }
whole() { have chromium || have chromium-browser || have google-chrome; }

whole && have chromium-headless-shell && exit 0
if have apt-get && [ "$(id -u)" = 0 ]; then
    wanted=
    whole || wanted="chromium fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji"
    echo "Installing Chromium for the browser tests ..."
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >/dev/null 2>&1
    # One after the other: a distribution without the second still gives us the first.
    [ -z "$wanted" ] || apt-get install -y -qq --no-install-recommends $wanted >/dev/null 2>&1
    apt-get install -y -qq --no-install-recommends chromium-headless-shell >/dev/null 2>&1 \
        || echo "No chromium-headless-shell here: the browser tests take longer." >&2
fi
whole || {
    echo "NO BROWSER: install Chromium to run the browser tests; they are skipped now." >&2
    [ "${CI:-}" != true ]
}
