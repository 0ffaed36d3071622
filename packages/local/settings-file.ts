// SPDX-License-Identifier: MIT

import { existsSync, readFileSync } from "node:fs";
import { SetupError } from "@reading-list/core/errors.ts";
import { settingVariables } from "@reading-list/settings/settings.ts";
import { parse, TomlError } from "smol-toml";
import type * as z from "zod";
import { localVariables } from "./local-settings.ts";

/** The file in the working directory, unless `SETTINGS_FILE` names another one. */
const defaultFile = "readinglist.toml";

const known: Readonly<Record<string, z.ZodType>> = { ...settingVariables, ...localVariables };

/**
 * The environment with the settings of `readinglist.toml` (docs/self-hosting.md, "Settings"): the variables in lower case. A
 * variable of the environment wins. Throws a SetupError that names the line at fault.
 */
export function withSettingsFile(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const file = env.SETTINGS_FILE || defaultFile;
  if (!existsSync(file)) {
    if (env.SETTINGS_FILE) throw new SetupError(`SETTINGS_FILE: there is no file ${file}`);
    return env;
  }
  return { ...parseSettings(file, readFileSync(file, "utf8")), ...withoutEmpty(env) };
}

const withoutEmpty = (env: NodeJS.ProcessEnv) => Object.fromEntries(Object.entries(env).filter(([, value]) => value));

function parseSettings(file: string, text: string): Record<string, string> {
  const lines = text.split("\n");
  const fault = (name: string, message: string) => {
    const line = lines.findIndex((each) => /^\W*(\w+)/.exec(each)?.[1] === name) + 1;
    return new SetupError(`${file}, line ${line}: ${name} ${message}`);
  };
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(parseToml(file, text))) {
    const variable = name.toUpperCase();
    const schema = known[variable];
    if (!schema || name !== name.toLowerCase()) throw fault(name, "is no setting; docs/self-hosting.md lists them");
    const given = toVariable(value);
    if (given === undefined) throw fault(name, "must be a text, a number, true or false, or a list of texts");
    const { error } = schema.safeParse(given);
    if (error && given !== "") throw fault(name, String(error.issues[0]?.message));
    variables[variable] = given;
  }
  return variables;
}

function parseToml(file: string, text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new SetupError(`${file}, line ${error.line}: ${error.message.split("\n")[0]}`);
  }
}

/** A value as the text of a variable; undefined if it cannot be one. */
function toVariable(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.every((each) => typeof each === "string") ? value.join(",") : undefined;
  if (typeof value === "boolean") return value ? "1" : "0";
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint"
    ? String(value)
    : undefined;
}
