// SPDX-License-Identifier: MIT

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { canRecord, cutPower, type Ending, recordService } from "@reading-list/testing/power-cuts.ts";
import { showDuration } from "./duration.ts";

const endings: readonly Ending[] = ["killed", "stopped", "sync of the log fails", "sync of the database fails"];
const processesOfRound = 5;
const stepsOfProcess = 40;
const cutsOfRound = 2000;

/**
 * For some seconds, in rounds: records a service whose processes end in random ways, cuts its power at random moments, and
 * prints each disk that lacks something. Returns the exit code.
 */
export async function soakPowerCuts(seconds: number): Promise<number> {
  if (!canRecord()) {
    console.error("power cuts need Linux with a C compiler; sh .ci/install-compiler installs it");
    return 2;
  }
  const start = performance.now();
  const elapsed = () => (performance.now() - start) / 1000;
  let [disks, faults] = [0, 0];
  while (elapsed() < seconds) {
    const folder = mkdtempSync(path.join(tmpdir(), "reading-list-soak-"));
    const ended = Array.from(
      { length: processesOfRound },
      () => endings[Math.floor(Math.random() * endings.length)] as Ending,
    );
    try {
      const found = await cutPower(await recordService(folder, ended, stepsOfProcess), cutsOfRound, Math.random);
      for (const fault of found) console.log(`FAULT: ${fault} (endings: ${ended.join(", ")})`);
      disks += cutsOfRound;
      faults += found.length;
    } finally {
      rmSync(folder, { recursive: true });
    }
    console.log(`${showDuration(elapsed())}  ${disks} disks, ${faults} faults`);
  }
  return faults === 0 ? 0 : 1;
}
