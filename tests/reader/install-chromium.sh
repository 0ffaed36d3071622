#!/bin/sh
# Installs Debian's Chromium, where that can be, for the test that loads the reader's output in a real browser.
command -v chromium >/dev/null && exit 0
install() {
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium
}
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && install >/dev/null 2>&1; then exit 0; fi
echo "SKIPPED: the test in a real browser, as there is no chromium here and it cannot be installed" >&2
