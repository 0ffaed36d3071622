#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs in a booted container with two versions of the package in /root: installs, uses, upgrades and removes it, and prints a
# line for each step.
cd /root || exit 1
step() { name=$1; shift; if "$@" >/tmp/step.log 2>&1; then echo "ok $name"; else echo "FAULT $name"; cat /tmp/step.log; fi; }
fails() { ! "$@"; }
settings=/etc/reading-list/environment

step "install" dpkg --install reading-list_old.deb
step "health" curl -sf http://127.0.0.1:3000/health
step "the journal has the link of the first user" sh -c 'journalctl -u reading-list -o cat | grep -q "/app/#code="'
step "settings are for root and the service alone" test "$(stat -c %a $settings /etc/reading-list/api-key /etc/reading-list | xargs)" = "640 640 750"
key=$(sed -n s/LOCAL_API_KEY=//p /etc/reading-list/api-key)
code=$(journalctl -u reading-list -o cat | sed -n 's/.*#code=\([^ ]*\).*/\1/p' | tail -1)
post() { curl -sf -d "apikey=$key&username=ann&password=secret-word$2" "http://127.0.0.1:3000/v2/$1"; }
step "signup without the code is closed" fails post signup
step "signup with the code" post signup "&invitation=$code"
step "the first user is an operator" post operator/state
step "add" post add "&url=https://example.com/1"
step "the command line" sh -c 'readinglist users list | grep -q ann'
step "doctor" readinglist doctor

echo "HELP_TEXT=Ask me" >>$settings
step "upgrade" dpkg --install --force-confold reading-list_new.deb
step "a backup was written before" sh -c 'ls /var/lib/reading-list-backups/*.db'
step "the settings were kept" grep -q "HELP_TEXT=Ask me" $settings
step "the key was kept" test "$(sed -n s/LOCAL_API_KEY=//p /etc/reading-list/api-key)" = "$key"
count() { post stats | grep -q "\"count_list\":\"$1\""; }
step "the list after the upgrade" count 1
step "the way back" dpkg --install --force-confold reading-list_old.deb
step "the list after it" count 1

step "remove" dpkg --remove reading-list
step "stopped" fails curl -sf http://127.0.0.1:3000/health
step "purge" dpkg --purge reading-list
step "lists and backups stay" sh -c 'ls /var/lib/reading-list/reading-list.db /var/lib/reading-list-backups/*.db'
step "settings are gone" test ! -e /etc/reading-list
step "install again" dpkg --install reading-list_old.deb
key=$(sed -n s/LOCAL_API_KEY=//p /etc/reading-list/api-key)
step "the list is back" count 1
echo done
