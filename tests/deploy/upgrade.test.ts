import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Database } from "@reading-list/store-sqlite/database.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";

const checkout = path.resolve(".");
let origin: string;
let folder: string;

const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd, stdio: "pipe" });

/** Programs in place of those that a server has: npm links what is installed here, systemctl runs the service. */
const programs = {
  npm: `[ ! -e fails-to-install ] || exit 1
ln -s ${checkout}/node_modules node_modules
for package in packages/*; do [ ! -e ${checkout}/$package/node_modules ] || ln -sfn ${checkout}/$package/node_modules $package/node_modules; done`,
  systemctl: `echo "$1" >>$FOLDER/systemctl.log
pid=$FOLDER/pid
if [ "$1" = stop ]; then kill $(cat $pid) 2>/dev/null; while kill -0 $(cat $pid) 2>/dev/null; do sleep 0.1; done; exit 0; fi
cd $PROGRAM && . $ENVIRONMENT && export LOCAL_API_KEY
PORT=0 TEXT_PORT=0 $NODE packages/local/main.ts >$FOLDER/service.log 2>&1 &
echo $! >$pid
for i in $(seq 100); do grep -q 'reading list at' $FOLDER/service.log && exit 0; kill -0 $(cat $pid) 2>/dev/null || exit 1; sleep 0.2; done
exit 1`,
};

/** A repository with a version that works, and one for each way to fail. */
beforeAll(() => {
  origin = path.join(temporaryFolder(), "origin");
  mkdirSync(origin);
  execFileSync("sh", [
    "-c",
    `git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t ${origin}`,
  ]);
  git(origin, "init", "-q");
  const release = (tag: string, change: () => void) => {
    change();
    git(origin, "add", "-A");
    git(origin, "commit", "-qm", tag, "--allow-empty");
    git(origin, "tag", tag);
    git(origin, "reset", "-q", "--hard", "v1");
  };
  const main = path.join(origin, "packages/local/main.ts");
  git(origin, "add", "-A");
  git(origin, "commit", "-qm", "v1");
  git(origin, "tag", "v1");
  release("v2", () => writeFileSync(path.join(origin, "two"), ""));
  release("no-install", () => writeFileSync(path.join(origin, "fails-to-install"), ""));
  release("no-start", () => writeFileSync(main, 'throw new Error("broken");\n'));
  // It starts on the copy, whose folder has another name.
  release("no-service", () =>
    writeFileSync(
      main,
      `if (!process.env.DATA_DIR?.endsWith("-trial")) process.exit(1);\n${readFileSync(main, "utf8")}`,
    ),
  );
});

/** A server whose service runs v1. */
beforeEach(() => {
  folder = temporaryFolder();
  git(folder, "clone", "-q", origin, "program");
  git(path.join(folder, "program"), "checkout", "-q", "v1");
  mkdirSync(path.join(folder, "bin"));
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(path.join(folder, "bin", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  writeFileSync(path.join(folder, "environment"), "LOCAL_API_KEY=a-key-of-mine\n");
  execFileSync("npm", [], { cwd: path.join(folder, "program"), env: environment() });
  execFileSync("systemctl", ["start"], { env: environment() });
  onTestFinished(() => void spawnSync("systemctl", ["stop"], { env: environment() }));
});

const environment = () => ({
  ...{ PATH: `${folder}/bin:${process.env.PATH}`, HOME: folder, FOLDER: folder, NODE: process.execPath, AS_USER: "" },
  ...{ PROGRAM: `${folder}/program`, DATA_DIR: `${folder}/data`, ENVIRONMENT: `${folder}/environment` },
});
const upgrade = (version: string) => {
  writeFileSync(`${folder}/systemctl.log`, "");
  const script = `${folder}/program/deploy/self-hosting/upgrade`;
  const { status, stdout, stderr } = spawnSync(script, [version], { env: environment(), encoding: "utf8" });
  const calls = readFileSync(`${folder}/systemctl.log`, "utf8").trim().split("\n");
  return { status, output: stdout + stderr, calls };
};
const isServed = async () => {
  const url = /reading list at (\S+)/.exec(readFileSync(`${folder}/service.log`, "utf8"))?.[1];
  return (await fetch(`${url}/health`)).ok;
};
const left = () =>
  ["program.new", "program.old", "data-trial", "data-trial.log"].filter((name) => existsSync(`${folder}/${name}`));

test("a version that works on a copy of the database takes the place of the running one", async () => {
  const { status, output, calls } = upgrade("v2");
  expect([status, calls, left()], output).toEqual([0, ["stop", "start"], []]);
  expect(existsSync(`${folder}/program/two`)).toBe(true);
  expect(await isServed()).toBe(true);
});

test.each([
  ["no-install", "could not be installed"],
  ["no-start", "does not work on a copy of the database"],
  ["unknown", "could not be installed"],
])("the service runs on if version %s %s", async (version, reason) => {
  const { status, output, calls } = upgrade(version);
  expect([status, calls, left()], output).toEqual([1, [""], []]);
  expect(output).toContain(`${version} ${reason}`);
  expect(await isServed()).toBe(true);
});

test("the version before runs again if the new one does not start as the service", async () => {
  const { status, output, calls } = upgrade("no-service");
  expect([status, calls, left()], output).toEqual([1, ["stop", "start", "stop", "start"], []]);
  expect(output).toContain("the version before runs again");
  expect(await isServed()).toBe(true);
});

test("no older database is put back if the new version has migrated it", async () => {
  const main = path.join(folder, "program/packages/local/main.ts");
  git(path.join(folder, "program"), "remote", "set-url", "origin", path.join(folder, "newer"));
  cpSync(origin, path.join(folder, "newer"), { recursive: true });
  const newer = path.join(folder, "newer/packages/local/main.ts");
  writeFileSync(
    newer,
    `import { DatabaseSync } from "node:sqlite";
if (!process.env.DATA_DIR?.endsWith("-trial")) {
  new DatabaseSync(process.env.DATA_DIR + "/reading-list.db").exec("PRAGMA user_version = 99");
  process.exit(1);
}
${readFileSync(main, "utf8")}`,
  );
  git(path.join(folder, "newer"), "commit", "-qam", "v3");
  git(path.join(folder, "newer"), "tag", "v3");
  const { status, output, calls } = upgrade("v3");
  expect([status, calls], output).toEqual([1, ["stop", "start", "stop"]]);
  expect(output).toContain("To go back without the changes since the upgrade");
  expect(() => Database.open(`${folder}/data`)).toThrow("install the newer version");
});
