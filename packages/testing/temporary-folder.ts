// SPDX-License-Identifier: MIT

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { atEndOfFile } from "./end-of-file.ts";

/** Path of a new folder, which is removed after the file's tests. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "reading-list-test-"));
  // A process that was killed may write for another moment.
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
