// SPDX-License-Identifier: MIT

import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { knownSettings, writeTrialSettings } from "@reading-list/local/settings-file.ts";
import { Database } from "@reading-list/store-sqlite/database.ts";
import { findFreePort } from "@reading-list/testing/free-port.ts";
import { compileCache } from "@reading-list/testing/started-service.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { link, writeProgramHere } from "./program-here.ts";

/** A folder with the archive of each release. */
let releases: string;
let folder: string;

const tar = (...args: string[]) => execFileSync("tar", args);

/** systemctl runs the service. It empties the log itself: the shell in the background may do so after the first look into it. */
const systemctl = `echo "$1" >>$FOLDER/systemctl.log
pid=$FOLDER/pid
if [ "$1" = stop ]; then kill $(cat $pid) 2>/dev/null; while kill -0 $(cat $pid) 2>/dev/null; do sleep 0.1; done; exit 0; fi
cd $PROGRAM
: >$FOLDER/service.log
$NODE packages/local/main.ts >>$FOLDER/service.log 2>&1 &
echo $! >$pid
while kill -0 $(cat $pid) 2>/dev/null; do grep -q 'reading list at' $FOLDER/service.log && exit 0; sleep 0.2; done
exit 1`;

/** On the copy of the database, whose settings are in a file, each of these starts. */
const faultyStarts = {
  "no-start": 'throw new Error("broken");\n',
  "no-service": "if (!process.env.SETTINGS_FILE) process.exit(1);\n",
  migrates: `import { DatabaseSync } from "node:sqlite";
if (!process.env.SETTINGS_FILE) {
  new DatabaseSync(process.env.FOLDER + "/data/reading-list.db").exec("PRAGMA user_version = 99");
  process.exit(1);
}
`,
};

/** A release that works, and one for each way to fail. */
beforeAll(async () => {
  releases = temporaryFolder();
  folder = temporaryFolder();
  const program = path.join(releases, "reading-list");
  await writeProgramHere(program, link);
  const archive = (name: string) => tar("-czf", path.join(releases, `${name}.tar.gz`), "-C", releases, "reading-list");
  archive("v1");
  const main = path.join(program, "packages/local/main.ts");
  const works = readFileSync(main, "utf8");
  for (const [name, start] of Object.entries(faultyStarts)) {
    writeFileSync(main, start + works);
    archive(name);
  }
  writeFileSync(main, works);
  writeFileSync(path.join(program, "two"), "");
  archive("v2");
  const whole = readFileSync(path.join(releases, "v2.tar.gz"));
  writeFileSync(path.join(releases, "cut.tar.gz"), whole.subarray(0, whole.length / 2));
});

/** A server whose service runs v1. Its folder is the same in each test, because the cache of compiled code goes by paths. */
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.join(folder, "program"), { recursive: true });
  tar("-xzf", path.join(releases, "v1.tar.gz"), "--strip-components=1", "-C", path.join(folder, "program"));
  mkdirSync(path.join(folder, "bin"));
  writeFileSync(path.join(folder, "bin/systemctl"), `#!/bin/sh\n${systemctl}\n`, { mode: 0o755 });
  mkdirSync(path.join(folder, "settings"));
  set("LOCAL_API_KEY=a-key-of-mine", `DATA_DIR=${folder}/data`, "PORT=0", "TEXT_PORT=0");
  execFileSync("systemctl", ["start"], { env: environment() });
  onTestFinished(() => void spawnSync("systemctl", ["stop"], { env: environment() }));
});

const set = (...lines: string[]) =>
  appendFileSync(`${folder}/settings/environment`, lines.map((line) => `${line}\n`).join(""));

const environment = () => ({
  ...compileCache,
  PATH: `${folder}/bin:${process.env.PATH}`,
  HOME: folder,
  FOLDER: folder,
  NODE: process.execPath,
  AS_USER: "",
  PROGRAM: `${folder}/program`,
  SETTINGS_FOLDER: `${folder}/settings`,
});
const upgrade = (release: string) => {
  writeFileSync(`${folder}/systemctl.log`, "");
  const script = `${folder}/program/deploy/self-hosting/upgrade`;
  const { status, stdout, stderr } = spawnSync(script, [`${release}.tar.gz`], {
    cwd: releases,
    env: environment(),
    encoding: "utf8",
  });
  const calls = readFileSync(`${folder}/systemctl.log`, "utf8").trim().split("\n");
  return { status, output: stdout + stderr, calls };
};
const isServed = async () => {
  const url = /reading list at (\S+)/.exec(readFileSync(`${folder}/service.log`, "utf8"))?.[1];
  return (await fetch(`${url}/health`)).ok;
};
const left = () =>
  ["program-b", "program.first", "program.link", "data-trial", "data-trial.log"].filter((name) =>
    existsSync(`${folder}/${name}`),
  );

test("a version that works on a copy of the database takes the place of the running one", async () => {
  // The copy is not sent to where the backups are.
  mkdirSync(`${folder}/backups`);
  const recipient = "age1kxqxwch3cvcm0v2tkcyj9yqza9yt7gnxun2ssc08wqqgsq4m99tqnxlmfx";
  set(`BACKUP_TO=${folder}/backups`, `BACKUP_RECIPIENT=${recipient}`);
  const { status, output, calls } = upgrade("v2");
  expect([status, calls, left()], output).toEqual([0, ["stop", "start"], []]);
  expect(existsSync(`${folder}/program/two`)).toBe(true);
  // The service itself writes its list of deleted users there.
  expect(readdirSync(`${folder}/backups`).filter((name) => name.endsWith(".age"))).toEqual([]);
  expect(await isServed()).toBe(true);
});

test.each([
  ["cut", "could not be installed"],
  ["no-start", "does not work on a copy of the database"],
  ["unknown", "could not be installed"],
])("the service runs on if release %s %s", async (release, reason) => {
  const { status, output, calls } = upgrade(release);
  expect([status, calls, left()], output).toEqual([1, [""], []]);
  expect(output).toContain(`${release}.tar.gz ${reason}`);
  expect(await isServed()).toBe(true);
});

test("the previous version runs again if the new one does not start as the service", async () => {
  const { status, output, calls } = upgrade("no-service");
  expect([status, calls, left()], output).toEqual([1, ["stop", "start", "stop", "start"], ["program.first"]]);
  expect(output).toContain("the previous version runs again");
  expect(await isServed()).toBe(true);
});

test("no older database is put back if the new version has migrated it", async () => {
  const { status, output, calls } = upgrade("migrates");
  expect([status, calls], output).toEqual([1, ["stop", "start", "stop"]]);
  expect(output).toContain("To go back without the changes since the upgrade");
  expect(() => Database.open(`${folder}/data`)).toThrow("install the newer version");
});

test("no setting prevents an upgrade, and none is executed", async () => {
  execFileSync("systemctl", ["stop"], { env: environment() });
  rmSync(`${folder}/data`, { recursive: true });
  set(`DATA_DIR=${folder}/elsewhere`, "OIDC_NAME=Company (Keycloak)", `HELP_TEXT=Ask Ann; touch ${folder}/executed`);
  set(`LOCAL_API_KEY=abc$HOME\`touch ${folder}/executed\`$(touch ${folder}/executed)`);
  set("SMTP_URL=smtps://mail.example.com", "MAIL_FROM=a@example.com", "OIDC_ISSUER=https://id.example.com");
  set("OIDC_CLIENT_ID=a", "OIDC_CLIENT_SECRET=b", "BASE_URL=https://list.example.com");
  // The running service has these ports, on which the trial must not listen.
  set(`METRICS_PORT=${await findFreePort()}`, `PORT=${await findFreePort()}`);
  execFileSync("systemctl", ["start"], { env: environment() });
  const { status, output } = upgrade("v2");
  expect(status, output).toBe(0);
  expect(existsSync(`${folder}/executed`)).toBe(false);
  expect(output).toContain(`a copy of the database in ${folder}/elsewhere`);
  expect(existsSync(`${folder}/data`)).toBe(false);
});

test("readinglist.toml in the folder of the program stays, and the program is a link that is switched in one step", async () => {
  writeFileSync(`${folder}/program/readinglist.toml`, 'signup = "closed"\n');
  expect(upgrade("v2").status).toBe(0);
  expect(readlinkSync(`${folder}/program`)).toBe(`${folder}/program-a`);
  const { status, output } = upgrade("v1");
  expect([status, left()], output).toEqual([0, ["program-b"]]);
  expect(readlinkSync(`${folder}/program`)).toBe(`${folder}/program-b`);
  expect(existsSync(`${folder}/program-a`)).toBe(false);
  expect(readFileSync(`${folder}/program/readinglist.toml`, "utf8")).toBe('signup = "closed"\n');
  expect(await isServed()).toBe(true);
});

test("the trial has every setting of the service, except ports, schedules and outgoing connections", async () => {
  const variables = new Map(Object.keys(knownSettings).map((name) => [name, { value: "set", from: "a file" }]));
  const lines = writeTrialSettings({ variables, faults: [], unknown: [] }, "/trial").split("\n");
  const changed = Object.keys(knownSettings).filter((name) => !lines.includes(`${name.toLowerCase()} = "set"`));
  // biome-ignore format: a line holds many short names
  expect(changed.sort()).toEqual([
    "BACKUP_RECIPIENT", "BACKUP_TO", "CHECKPOINTS", "DATA_DIR", "HOST", "MAIL_FROM", "METRICS_PORT", "OIDC_ALLOWED",
    "OIDC_ISSUER", "OIDC_ONLY", "OIDC_OPERATORS", "PAGE_KEEPER", "PORT", "SMTP_CA_FILE", "SMTP_URL", "TEXT_PORT",
  ]);
  const goesOut = /(^|_)PORT$|^HOST$|_TO$|^SMTP|^OIDC_ISSUER/;
  expect(changed).toEqual(expect.arrayContaining(Object.keys(knownSettings).filter((name) => goesOut.test(name))));
});
