#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs in a booted container: installs the units as docs/self-hosting.md says, uses them, and prints a line for each step.
cd /root || exit 1
step() { name=$1; shift; if "$@" >/tmp/step.log 2>&1; then echo "ok $name"; else echo "FAULT $name"; cat /tmp/step.log; fi; }
fails() { ! "$@"; }
app=/opt/reading-list/deploy/self-hosting

useradd --system --home-dir /var/lib/reading-list --shell /usr/sbin/nologin reading-list
install -d -m 700 /etc/reading-list
install -m 600 $app/environment /etc/reading-list/environment
key=$(head -c 24 /dev/urandom | base64 | tr '+/' '-_')
sed -i "s/replace-me/$key/; s/SIGNUP=closed/SIGNUP=open/" /etc/reading-list/environment
install -m 644 $app/*.service $app/*.timer /etc/systemd/system/
install -m 755 $app/readinglist /usr/local/sbin/
systemctl daemon-reload

step "start returns when the service answers" systemctl enable --now reading-list.service reading-list-backup.timer
step "health" curl -sf http://127.0.0.1:3000/health
step "doctor right after the start" readinglist doctor
post() { curl -sf -d "apikey=$key&username=ann&password=secret-word$2" "http://127.0.0.1:3000/v2/$1"; }
step "signup" post signup
step "add" post add "&url=https://example.com/1"
printf 'https://example.com/2\nhttps://example.com/3\n' >urls.txt
chmod 600 urls.txt
step "import reads a file of the caller" readinglist import urls.txt --user ann
step "export writes a file of the caller" readinglist export ann --output ann.jsonl
step "the export is the caller's" test "$(stat -c %U ann.jsonl)" = root
step "the database is the service's" test "$(stat -c %U /var/lib/reading-list/* | sort -u)" = reading-list
count() { post stats | grep -q "\"count_list\":\"$1\""; }
step "the service shows the import" count 3

step "backup by the unit" systemctl start reading-list-backup.service
backup=$(ls /var/lib/reading-list-backups/*.db)
step "add after the backup" post add "&url=https://example.com/4"

pid=$(systemctl show -p MainPID --value reading-list)
kill -9 "$pid"
healthy() { curl -sf -o /dev/null --retry 30 --retry-delay 1 --retry-all-errors http://127.0.0.1:3000/health; }
step "answers again after kill -9" healthy
step "kept what was acknowledged" count 4

step "restore is refused while the service runs" fails readinglist restore "$backup" --yes
step "stop" systemctl stop reading-list
step "restore" readinglist restore "$backup" --yes
step "start after the restore" systemctl start reading-list
step "the restored list" count 3

sed -i 's/^SIGNUP=.*/SIGNUP=shut/' /etc/reading-list/environment
step "a wrong setting lets restart fail" fails timeout 60 systemctl restart reading-list
reason() { journalctl -u reading-list -o cat | grep -q 'SIGNUP: must be open or closed'; }
step "with the reason in the journal" reason
step "as its last line" sh -c 'journalctl -u reading-list -o cat _TRANSPORT=stdout | tail -1 | grep -q "^SIGNUP: must be"'
step "it is not started again" test "$(systemctl show -p NRestarts --value reading-list)" = 0
systemctl stop reading-list
sed -i 's/^SIGNUP=.*/SIGNUP=open/' /etc/reading-list/environment
systemctl reset-failed reading-list
step "start after the correction" systemctl start reading-list

install -d -o reading-list -g reading-list -m 700 /srv/list
cp -a /var/lib/reading-list/. /srv/list
echo 'data_dir = "/srv/list"' >/etc/reading-list/readinglist.toml
sed -i /^DATA_DIR/d /etc/reading-list/environment
mkdir -p /etc/systemd/system/reading-list.service.d /etc/systemd/system/reading-list-backup.service.d
printf '[Service]\nReadWritePaths=/srv/list\n' | tee /etc/systemd/system/reading-list.service.d/o.conf >/etc/systemd/system/reading-list-backup.service.d/o.conf
systemctl daemon-reload
step "start with settings in readinglist.toml" systemctl restart reading-list
step "add there" post add "&url=https://example.com/5"
step "doctor looks there" sh -c 'rm -r /var/lib/reading-list/reading-list.db* && readinglist doctor'
step "backup looks there" systemctl start reading-list-backup.service
step "another user gets a sentence" sh -c 'runuser -u nobody -- readinglist users list 2>&1 | grep -q "cannot be read; run this command as root"'
step "settings name the file" sh -c 'readinglist settings | grep -q "^DATA_DIR .*/srv/list .*readinglist.toml"'

mv /opt/reading-list /opt/reading-list.old && cp -a /opt/reading-list.old /opt/reading-list
step "upgrade: restart on the new folder" systemctl restart reading-list
step "the list after the upgrade" count 4

systemctl disable --now reading-list.service reading-list-backup.timer >/dev/null 2>&1
rm -rf /etc/systemd/system/reading-list* /usr/local/sbin/readinglist /etc/reading-list /var/lib/reading-list /var/lib/reading-list-backups
userdel reading-list
step "uninstalled" fails systemctl cat reading-list.service
echo done
