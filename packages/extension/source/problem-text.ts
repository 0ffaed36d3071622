// SPDX-License-Identifier: MIT

import type { Problem } from "./outbox.ts";
import { text } from "./texts.ts";

/** The problem and its cure, in one sentence. */
export function problemText({ kind, message }: Problem): string {
  if (kind === "noAccount") return text("noAccount");
  if (kind === "unauthorized") return text("remedyUnauthorized", message);
  if (kind === "invalid") return text("remedyInvalid", message);
  if (kind === "notFound") return text("remedyNotFound");
  return kind === "noResponse" ? text("remedyNoResponse", message) : text("remedyLater", message);
}
