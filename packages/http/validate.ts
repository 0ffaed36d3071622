// SPDX-License-Identifier: MIT

import type { z } from "zod";

/** A step of the path to an invalid value. A key chosen by the client is shown only if it is plain. */
const stepName = (step: PropertyKey) => (/^[\w, -]{1,60}$/.test(String(step)) ? String(step) : "?");

/** The first parameter or entry that breaks a rule, never its value, and the rule. */
export function describeFault({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.map(stepName).join(".")} ${issue?.message}`;
}
