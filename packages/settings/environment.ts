// SPDX-License-Identifier: MIT

import { SettingsError } from "@reading-list/core/errors.ts";
import * as z from "zod";

/** Reads environment variables, an empty one being the same as none. Throws a SettingsError that names a faulty one. */
export function readEnvironment<S extends z.ZodObject>(
  variables: S,
  env: Record<string, string | undefined>,
): z.output<S> {
  const result = variables.safeParse(withoutEmpty(env));
  if (result.success) return result.data;
  throw new SettingsError(describeIssue(result.error.issues[0]));
}

/** A sentence about each faulty variable. */
export const findEnvironmentFaults = (variables: z.ZodObject, env: Record<string, string | undefined>): string[] =>
  variables.safeParse(withoutEmpty(env)).error?.issues.map(describeIssue) ?? [];

const withoutEmpty = (env: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));

const describeIssue = (issue: z.core.$ZodIssue | undefined) => `${String(issue?.path[0])}: ${issue?.message}`;

/** A variable that is an http(s) URL, or an element of a list of URLs. */
export const httpUrl = (message = "must be an http(s) URL, such as http://127.0.0.1:8000") =>
  z.url({ protocol: /^https?$/, error: message });
