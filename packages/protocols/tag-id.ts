// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";

/** The id of a tag in APIs that have one: a hash of its name, because the list identifies tags only by name. */
export const tagIdOf = (label: string): number => createHash("sha256").update(label).digest().readUInt32BE() >>> 1 || 1;
