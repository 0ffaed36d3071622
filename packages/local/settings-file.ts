// SPDX-License-Identifier: MIT

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { SettingsError } from "@reading-list/core/errors.ts";
import { checkSignOn, findSettingFaults, settingVariables } from "@reading-list/settings/settings.ts";
import { parse, stringify, TomlError } from "smol-toml";
import type * as z from "zod";
import { parseEnvironmentFile } from "./environment-file.ts";
import { findLocalFaults, localVariables } from "./local-settings.ts";

/** In the working directory, or in `SETTINGS_FOLDER`, unless `SETTINGS_FILE` names another one. */
const tomlName = "readinglist.toml";
/** Files in `SETTINGS_FOLDER`, in the syntax of systemd. If both have a variable, the last one wins. */
const environmentNames = ["api-key", "environment"];
/** The data folder of a service that was installed by a package or by docs/self-hosting.md. */
const installedDataDir = "/var/lib/reading-list";
const programFolder = fileURLToPath(new URL("../../", import.meta.url));

/** All settings, each with its schema; the schema for all services has the description. */
export const knownSettings: Readonly<Record<string, z.ZodType>> = { ...localVariables, ...settingVariables };

type Environment = Record<string, string | undefined>;

/** A variable, and where it comes from: a file, or `environment` of the process. */
export interface Setting {
  value: string;
  from: string;
}

/** The variables of a process, and the names in its files that are not settings or have faults. */
export interface FoundSettings {
  variables: Map<string, Setting>;
  /** Sentences without a line break. */
  faults: string[];
  /** Names in the environment files that are not settings: variables for libraries, or misspelt names. */
  unknown: { name: string; from: string; nearest: string | undefined }[];
}

/**
 * The settings of a service and of every command (docs/self-hosting.md, "Settings"), from all places, by rising rank:
 * `readinglist.toml`, with names in lower case; the environment files of `SETTINGS_FOLDER`; the environment. An empty
 * variable counts as absent. Throws a SettingsError if a file cannot be read, so that nobody gets the defaults instead.
 */
export function findSettings(env: Environment): FoundSettings {
  const found: FoundSettings = { variables: new Map(), faults: [], unknown: [] };
  const set = (variables: Environment, from: string) => {
    for (const [name, value] of Object.entries(variables)) if (value) found.variables.set(name, { value, from });
  };
  const folder = env.SETTINGS_FOLDER;
  if (folder) {
    if (!existsSync(folder)) throw new SettingsError(`SETTINGS_FOLDER: the folder ${folder} does not exist`);
    set({ DATA_DIR: installedDataDir }, "default");
  }
  for (const { file, isNeeded } of tomlFiles(env)) {
    const text = readIfThere(file);
    if (text === undefined && isNeeded) throw new SettingsError(`SETTINGS_FILE: the file ${file} does not exist`);
    if (text === undefined) continue;
    const { variables, faults } = parseSettings(file, text);
    set(variables, file);
    found.faults.push(...faults);
    break;
  }
  for (const name of folder ? environmentNames : []) {
    const file = path.join(folder as string, name);
    const variables = parseEnvironmentFile(readIfThere(file) ?? "");
    set(variables, file);
    for (const each of Object.keys(variables)) {
      if (!knownSettings[each]) found.unknown.push({ name: each, from: file, nearest: nearestSetting(each) });
    }
  }
  set(env, "environment");
  return found;
}

/** The environment with the settings of all files. Throws a SettingsError that names the first fault of a file. */
export function withSettings(env: Environment): Environment {
  const { variables, faults } = findSettings(env);
  if (faults[0] !== undefined) throw new SettingsError(faults[0]);
  return Object.fromEntries([...variables].map(([name, { value }]) => [name, value]));
}

/** All faults of the settings of a service: first of each setting by itself; without any, of settings that do not fit together. */
export function findFaults({ variables, faults }: FoundSettings): string[] {
  const env = Object.fromEntries([...variables].map(([name, { value }]) => [name, value]));
  const together: string[] = [];
  try {
    checkSignOn(env, ["BASE_URL"]);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    together.push(error.message);
  }
  return [...faults, ...new Set([...findSettingFaults(env), ...findLocalFaults(env), ...together])];
}

function tomlFiles({ SETTINGS_FILE, SETTINGS_FOLDER }: Environment): { file: string; isNeeded?: true }[] {
  if (SETTINGS_FILE) return [{ file: SETTINGS_FILE, isNeeded: true }];
  // Where it was before there was a folder of settings.
  if (SETTINGS_FOLDER) return [SETTINGS_FOLDER, programFolder].map((folder) => ({ file: path.join(folder, tomlName) }));
  return [{ file: tomlName }];
}

/** The text of a file; undefined if the file does not exist. */
function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "EACCES" || code === "EPERM") {
      throw new SettingsError(`${file} cannot be read; run this command as root, or as the service's user`, error);
    }
    const reason = code === "EISDIR" || code === "ENOTDIR" ? "its path is a folder, or below a file" : code;
    throw new SettingsError(`${file} cannot be read: ${reason}`, error);
  }
}

function parseSettings(file: string, text: string): { variables: Record<string, string>; faults: string[] } {
  const lines = text.split("\n");
  const variables: Record<string, string> = {};
  const faults: string[] = [];
  const addFault = (name: string, message: string) => {
    const line = lines.findIndex((each) => /^\W*(\w+)/.exec(each)?.[1] === name) + 1;
    faults.push(`${file}, line ${line}: ${name} ${message}`);
  };
  let values: Record<string, unknown>;
  try {
    values = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return { variables, faults: [`${file}, line ${error.line}: ${error.message.split("\n")[0]}`] };
  }
  for (const [name, value] of Object.entries(values)) {
    const variable = name.toUpperCase();
    const schema = knownSettings[variable];
    const given = toVariable(value);
    if (!schema || name !== name.toLowerCase()) {
      const nearest = schema ? variable : nearestSetting(variable);
      const advice = nearest ? `did you mean ${nearest.toLowerCase()}?` : "docs/self-hosting.md lists all settings";
      addFault(name, `is not a setting; ${advice}`);
    } else if (given === undefined) addFault(name, "must be a string, a number, true or false, or a list of strings");
    else {
      const { error } = schema.safeParse(given);
      if (error && given !== "") addFault(name, String(error.issues[0]?.message));
      else variables[variable] = given;
    }
  }
  return { variables, faults };
}

/** A value as the text of a variable; undefined if it cannot be one. */
function toVariable(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.every((each) => typeof each === "string") ? value.join(",") : undefined;
  if (typeof value === "boolean") return value ? "1" : "0";
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint"
    ? String(value)
    : undefined;
}

/** The setting with the most similar name; undefined if more than two letters differ. */
function nearestSetting(name: string): string | undefined {
  const near = Object.keys(knownSettings).map((known) => ({ known, distance: countEdits(name.slice(0, 40), known) }));
  near.sort((a, b) => a.distance - b.distance);
  return near[0] && near[0].distance <= 2 ? near[0].known : undefined;
}

/** The letters to insert, delete or replace (Levenshtein distance). */
function countEdits(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, each] of [...other].entries()) {
      const replaced = (row[j] ?? 0) + (each === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/**
 * The settings of a service as `readinglist.toml` for the trial of a new version on a copy of its data: on free ports
 * of this machine only, without outgoing mails, backups and calls. A setting whose schema has `inTrial` has that value,
 * or is not set if it is empty.
 */
export function writeTrialSettings({ variables }: FoundSettings, dataDir: string): string {
  const values: Record<string, string> = {};
  for (const [name, schema] of Object.entries(knownSettings)) {
    const value = schema.meta()?.inTrial ?? variables.get(name)?.value ?? "";
    if (value !== "") values[name.toLowerCase()] = String(value);
  }
  return stringify({ ...values, data_dir: dataDir });
}
