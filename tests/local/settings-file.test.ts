// SPDX-License-Identifier: MIT

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { localVariables } from "@reading-list/local/local-settings.ts";
import { withSettingsFile } from "@reading-list/local/settings-file.ts";
import { withSettingsTables } from "@reading-list/local/settings-tables.ts";
import { settingVariables } from "@reading-list/settings/settings.ts";
import { runProcess } from "@reading-list/testing/command-line.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { expect, test } from "vitest";

function write(text: string): string {
  const file = path.join(temporaryFolder(), "list.toml");
  writeFileSync(file, text);
  return file;
}

test("a file has the settings in lower case: texts, numbers, true or false, and lists", () => {
  const SETTINGS_FILE = write(
    '# mine\nport = 4000\nsignup = "closed"\ntext_allowed_origins = ["http://127.0.0.1:8080", "http://127.0.0.1:8081"]\n',
  );
  expect(withSettingsFile({ SETTINGS_FILE, HOME: "/root" })).toEqual({
    ...{ SETTINGS_FILE, HOME: "/root", PORT: "4000", SIGNUP: "closed" },
    TEXT_ALLOWED_ORIGINS: "http://127.0.0.1:8080,http://127.0.0.1:8081",
  });
});

test("a variable of the environment wins over the file, an empty one does not", () => {
  const SETTINGS_FILE = write('port = 4000\nhost = "127.0.0.2"\n');
  expect(withSettingsFile({ SETTINGS_FILE, PORT: "5000", HOST: "" })).toMatchObject({
    PORT: "5000",
    HOST: "127.0.0.2",
  });
});

test.each([
  ['host = "127.0.0.1"\nport = "many"', "line 2: port must be a whole number from 0 to 65535"],
  ["\n\nsignup = true", "line 3: signup must be open or closed"],
  ["prot = 1", "line 1: prot is no setting; docs/self-hosting.md lists them"],
  ["PORT = 1", "line 1: PORT is no setting; docs/self-hosting.md lists them"],
  ["[port]\na = 1", "line 1: port must be a text, a number, true or false, or a list of texts"],
  ['port = 1\nhost = "', "line 2: Invalid TOML document"],
])("a fault in the file names its line: %j", (text, message) => {
  const SETTINGS_FILE = write(text);
  expect(() => withSettingsFile({ SETTINGS_FILE })).toThrow(`${SETTINGS_FILE}, ${message}`);
});

test("docs/self-hosting.md has the tables of settings that `npm run openapi` writes, but for those of functions alone", () => {
  const page = readFileSync(new URL("../../docs/self-hosting.md", import.meta.url), "utf8");
  expect(page).toBe(withSettingsTables(page));
  const folder = new URL("../../stacks/", import.meta.url);
  const stacks = readdirSync(folder)
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(new URL(name, folder), "utf8"))
    .join();
  for (const name of Object.keys({ ...localVariables, ...settingVariables })) {
    const isShown = page.includes(`| \`${name}\` |`);
    expect(isShown || stacks.includes(name), name).toBe(true);
  }
});

test("a file that SETTINGS_FILE names must exist, readinglist.toml need not", () => {
  expect(() => withSettingsFile({ SETTINGS_FILE: "/nowhere.toml" })).toThrow(
    "SETTINGS_FILE: there is no file /nowhere.toml",
  );
  expect(withSettingsFile({ PORT: "1" })).toEqual({ PORT: "1" });
});

test("the command line reads readinglist.toml of its folder, and names a fault", async () => {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, "data"));
  const run = (text: string) => {
    writeFileSync(path.join(folder, "readinglist.toml"), text);
    return runProcess(["users", "list"], {}, "", folder);
  };
  expect((await run('data_dir = "data"\n')).err).toContain(`no local database in ${path.join(folder, "data")}`);
  expect(await run("data_dir = []\nport = -1\n")).toMatchObject({
    code: 1,
    err: expect.stringContaining("readinglist.toml, line 2: port"),
  });
});
