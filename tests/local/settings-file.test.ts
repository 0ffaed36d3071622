// SPDX-License-Identifier: MIT

import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { knownSettings, withSettings } from "@reading-list/local/settings-file.ts";
import { withSettingsTables } from "@reading-list/local/settings-tables.ts";
import { runCommandLine } from "@reading-list/ops/cli.ts";
import type { Terminal } from "@reading-list/ops/terminal.ts";
import { runCommand, runProcess } from "@reading-list/testing/command-line.ts";
import { start } from "@reading-list/testing/started-service.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

function write(text: string): string {
  const file = path.join(temporaryFolder(), "list.toml");
  writeFileSync(file, text);
  return file;
}

test("a file has the settings in lower case: texts, numbers, true or false, and lists", () => {
  const SETTINGS_FILE = write(
    '# mine\nport = 4000\nsignup = "closed"\ntext_allowed_origins = ["http://127.0.0.1:8080", "http://127.0.0.1:8081"]\n',
  );
  expect(withSettings({ SETTINGS_FILE, HOME: "/root" })).toEqual({
    SETTINGS_FILE,
    HOME: "/root",
    PORT: "4000",
    SIGNUP: "closed",
    TEXT_ALLOWED_ORIGINS: "http://127.0.0.1:8080,http://127.0.0.1:8081",
  });
});

test("a variable of the environment wins over the file, an empty one does not", () => {
  const SETTINGS_FILE = write('port = 4000\nhost = "127.0.0.2"\n');
  expect(withSettings({ SETTINGS_FILE, PORT: "5000", HOST: "" })).toMatchObject({
    PORT: "5000",
    HOST: "127.0.0.2",
  });
});

test.each([
  ['host = "127.0.0.1"\nport = "many"', "line 2: port must be a whole number from 0 to 65535"],
  ["\n\nsignup = true", "line 3: signup must be open or closed"],
  ["prot = 1", "line 1: prot is not a setting; did you mean port?"],
  ["PORT = 1", "line 1: PORT is not a setting; did you mean port?"],
  ["colour = 1", "line 1: colour is not a setting; docs/self-hosting.md lists all settings"],
  ["[port]\na = 1", "line 1: port must be a string, a number, true or false, or a list of strings"],
  ['port = 1\nhost = "', "line 2: Invalid TOML document"],
])("a fault in the file names its line: %j", (text, message) => {
  const SETTINGS_FILE = write(text);
  expect(() => withSettings({ SETTINGS_FILE })).toThrow(`${SETTINGS_FILE}, ${message}`);
});

test("docs/self-hosting.md has the tables of settings that `npm run openapi` writes, except settings that only functions have", () => {
  const page = readFileSync(new URL("../../docs/self-hosting.md", import.meta.url), "utf8");
  expect(page).toBe(withSettingsTables(page));
  const folder = new URL("../../stacks/", import.meta.url);
  const stacks = readdirSync(folder)
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(new URL(name, folder), "utf8"))
    .join();
  for (const name of Object.keys(knownSettings)) {
    const isShown = page.includes(`| \`${name}\` |`);
    expect(isShown || stacks.includes(name), name).toBe(true);
  }
});

test("a file that SETTINGS_FILE names must exist, readinglist.toml need not", () => {
  expect(() => withSettings({ SETTINGS_FILE: "/nowhere.toml" })).toThrow("SETTINGS_FILE: the file /nowhere.toml");
  expect(withSettings({ PORT: "1" })).toEqual({ PORT: "1" });
});

test("the command line reads readinglist.toml of its folder, and names a fault", async () => {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, "data"));
  const run = (text: string) => {
    writeFileSync(path.join(folder, "readinglist.toml"), text);
    return runProcess(["users", "list"], {}, "", folder);
  };
  expect((await run('data_dir = "data"\n')).err).toContain(
    `no local database was found in ${path.join(folder, "data")}`,
  );
  expect(await run("data_dir = []\nport = -1\n")).toMatchObject({
    code: 1,
    err: expect.stringContaining("readinglist.toml, line 2: port"),
  });
});

describe("the folder of settings of an installed service", () => {
  let SETTINGS_FOLDER: string;
  const writeIn = (name: string, text: string) => writeFileSync(path.join(SETTINGS_FOLDER, name), text);
  beforeEach(() => {
    SETTINGS_FOLDER = temporaryFolder();
  });

  test("has files in the syntax of systemd and readinglist.toml: the first win, and the environment wins over both", () => {
    writeIn("readinglist.toml", 'port = 1\nhost = "127.0.0.2"\nhelp_text = "Ask Ann"\nsignup = "closed"\n');
    writeIn("api-key", "LOCAL_API_KEY=a-key\nHOST=127.0.0.3\n");
    writeIn("environment", "PORT=2\nHOST=127.0.0.4\nAWS_REGION=eu-west-1\n");
    expect(withSettings({ SETTINGS_FOLDER, SIGNUP: "open", PORT: "" })).toEqual({
      SETTINGS_FOLDER,
      PORT: "2",
      HOST: "127.0.0.4",
      HELP_TEXT: "Ask Ann",
      SIGNUP: "open",
      LOCAL_API_KEY: "a-key",
      AWS_REGION: "eu-west-1",
      DATA_DIR: "/var/lib/reading-list",
    });
  });

  test("must exist, and its files must be files", async () => {
    expect(() => withSettings({ SETTINGS_FOLDER: "/nowhere" })).toThrow(
      "SETTINGS_FOLDER: the folder /nowhere does not exist",
    );
    mkdirSync(path.join(SETTINGS_FOLDER, "environment"));
    const { code, err } = await runCommand(["users", "list"], { SETTINGS_FOLDER });
    expect([code, err]).toEqual([
      1,
      `readinglist: ${SETTINGS_FOLDER}/environment cannot be read: its path is a folder, or below a file\n`,
    ]);
  });

  test.skipIf(process.geteuid?.() !== 0)(
    "gives a user who may not read it a sentence, never the defaults",
    async () => {
      writeIn("environment", "DATA_DIR=/srv/list\n");
      chmodSync(SETTINGS_FOLDER, 0o700);
      onTestFinished(() => process.seteuid?.(0));
      process.seteuid?.(65_534);
      for (const args of [["users", "list"], ["doctor"], ["backup", "/tmp/a.db"], ["settings"]]) {
        const { code, err } = await runCommand(args, { SETTINGS_FOLDER });
        expect([code, err]).toEqual([
          1,
          expect.stringMatching(/cannot be read; run this command as root, or as the service's user\n$/),
        ]);
      }
    },
  );

  /** A value other than the default, by the name of the setting, for settings that do not accept every text. */
  const values: Record<string, string> = {
    STORE: "sqlite",
    DYNAMODB_ENDPOINT: "http://127.0.0.1:9",
    BASE_URL: "https://a.example",
    KEEP_PAGES: "opened",
    OIDC_ISSUER: "https://b.example",
    OIDC_ALLOWED: "groups=readers",
    OIDC_OPERATORS: "groups=admins",
    READER_URL: "https://c.example",
    TEXT_URL: "https://d.example",
    TRUST_PROXY: "10.0.0.1",
    BACKUP_TO: "/mnt/a",
    BACKUP_RECIPIENT: "age1abc",
    CHECKPOINTS: "litestream",
    SMTP_URL: "smtps://mail.example",
    MAIL_FROM: "a@b.example",
    LOG_LEVEL: "INFO",
    LOG_FORMAT: "text",
    SIGNUP: "closed",
    TEXT_ALLOWED_ORIGINS: "http://127.0.0.1:8080",
    API_HOST: "text",
    NETWORK_DATA_DIR: "allowed",
  };
  const sampleOf = (name: string) =>
    values[name] ??
    ["7", "1", "a text", "off", "x".repeat(32)].find((value) => knownSettings[name]?.safeParse(value).success) ??
    "";
  const forms = {
    environment: (name: string) => `${name}="${sampleOf(name)}"\n`,
    "readinglist.toml": (name: string) => `${name.toLowerCase()} = "${sampleOf(name)}"\n`,
  };
  const cases = Object.keys(forms).flatMap((file) =>
    Object.keys(knownSettings).map((name) => [name, file as keyof typeof forms] as const),
  );

  // The service, in main.ts, and every command read their environment by `withSettings`.
  test.each(cases)("%s in %s is the same for the service, backup, doctor, users and settings", async (name, file) => {
    writeIn(file, forms[file](name));
    expect(withSettings({ SETTINGS_FOLDER })[name]).toBe(sampleOf(name));
    // Each command fails, as the folder or the database is not there, with the settings that it has read.
    for (const args of [["users", "list"], ["doctor"], ["backup", "/nowhere/a.db"]]) {
      expect((await environmentOf(args))[name], args.join(" ")).toBe(sampleOf(name));
    }
    const { settings } = (await runCommand(["--json", "settings"], { SETTINGS_FOLDER })).json() as Settings;
    const shown = settings.find((each) => each.name === name);
    const value = knownSettings[name]?.meta()?.isSecret ? "(secret)" : sampleOf(name);
    expect(shown).toEqual({ name, value, from: path.join(SETTINGS_FOLDER, file) });
  });

  /** The environment of a command after it has read the settings. */
  async function environmentOf(args: readonly string[]): Promise<Record<string, string | undefined>> {
    const sink = () => new Writable({ write: (_chunk, _encoding, done) => done() });
    const terminal: Terminal = { env: { SETTINGS_FOLDER }, stdin: Readable.from([]), stdout: sink(), stderr: sink() };
    await runCommandLine(args, terminal);
    return terminal.env;
  }

  test("npm start reads it", async () => {
    writeIn("environment", `DATA_DIR=${temporaryFolder()}\n`);
    writeIn("readinglist.toml", 'signup = "closed"\nmetrics_port = 99999\n');
    const started = start({ SETTINGS_FOLDER });
    expect(await started.ended).toBe(78);
    expect(started.output()).toBe(
      `${SETTINGS_FOLDER}/readinglist.toml, line 2: metrics_port must be a whole number from 0 to 65535\n`,
    );
  });

  test("has faults that readinglist settings names all at once, with the nearest name", async () => {
    writeIn("readinglist.toml", 'prot = 1\ntext_port = "many"\n');
    writeIn("environment", "SIGNPU=closed\nUSER_LIMIT=-1\nKEY_LIMIT=x\nOIDC_ONLY=1\nAWS_REGION=eu-west-1\n");
    const { code, json } = await runCommand(["--json", "settings"], { SETTINGS_FOLDER });
    expect([code, json()]).toMatchObject([
      1,
      {
        faults: [
          `${SETTINGS_FOLDER}/readinglist.toml, line 1: prot is not a setting; did you mean port?`,
          `${SETTINGS_FOLDER}/readinglist.toml, line 2: text_port must be a whole number from 0 to 65535`,
          "USER_LIMIT: must be a whole number, 0 or more",
          "KEY_LIMIT: must be a whole number, 0 or more",
          "OIDC_ISSUER: must be set, because OIDC_ONLY is 1",
          `${SETTINGS_FOLDER}/environment: SIGNPU is not a setting; did you mean SIGNUP?`,
        ],
        others: ["AWS_REGION"],
      },
    ]);
  });
});

interface Settings extends Record<string, unknown> {
  settings: { name: string; value: string; from: string }[];
}
