// SPDX-License-Identifier: MIT

import { canRecord, cutPower, recordService } from "@reading-list/testing/power-cuts.ts";
import { randomFrom, seed } from "@reading-list/testing/seeded-random.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { expect, test } from "vitest";

if (!canRecord())
  console.warn(
    "SKIPPED: the test of power cuts, as there is no Linux with a C compiler; sh .ci/install-compiler installs it",
  );

test.skipIf(!canRecord())(
  "after any power cut, the disk has everything that was answered before, and is intact",
  {
    timeout: 600_000,
  },
  async () => {
    const endings = ["killed", "sync of the log fails", "sync of the database fails", "stopped", "killed"] as const;
    const recording = await recordService(temporaryFolder(), endings, 40);
    expect(await cutPower(recording, 90, randomFrom(seed)), `FAULTS_SEED=${seed}`).toEqual([]);
  },
);
