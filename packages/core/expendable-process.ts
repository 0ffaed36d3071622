// SPDX-License-Identifier: MIT

import { writeFileSync } from "node:fs";
import { totalmem } from "node:os";
import process from "node:process";

/** Makes Linux end this process before any other if memory is short; its caller continues with an error. */
export function offerToKernel({ pid }: { pid?: number | undefined }): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, "1000");
  } catch {
    // It has ended, or this is another system.
  }
}

/** Whether there is less than 1 GB, of this machine or of the container: processes beside the main one are then one by one. */
export const hasLittleMemory = (): boolean => {
  const limit = process.constrainedMemory();
  return Math.min(totalmem(), limit || Number.MAX_SAFE_INTEGER) < 1e9;
};
