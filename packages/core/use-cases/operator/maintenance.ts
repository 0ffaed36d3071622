// SPDX-License-Identifier: MIT

import { operatorMaintenance } from "../../contract/operator.ts";
import { unixTime } from "../../ports/clock.ts";
import { defineOperatorEndpoint } from "./define.ts";

/** Begins, ends or shows maintenance (docs/api.md 13.4). */
export const endpoint = defineOperatorEndpoint(operatorMaintenance, async ({ records, clock }, { begin, end }) => {
  if (begin !== undefined) await records.beginMaintenance({ text: begin, since: unixTime(clock) });
  else if (end) await records.endMaintenance();
  const found = await records.findMaintenance();
  return { fields: { status: "1", maintenance: found ? "1" : "0", text: found?.text ?? "" } };
});
