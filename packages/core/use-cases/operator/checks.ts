// SPDX-License-Identifier: MIT

import { operatorChecks } from "../../contract/operator.ts";
import { ServiceError } from "../../errors.ts";
import { defineOperatorEndpoint } from "./define.ts";

/** Shows the result of the last checks of the data, or starts checks (docs/api.md 13.7). */
export const endpoint = defineOperatorEndpoint(operatorChecks, async ({ checks }, { run }) => {
  if (!checks)
    throw new ServiceError(
      "invalid",
      "operator/checks: DATA_DIR must be a folder, because checks need a database on disk",
    );
  if (run) checks.begin();
  const { last, isRunning, failure = "" } = checks;
  const list = last?.findings.map(({ check: id, ok, finding }) => ({ id, state: ok ? "ok" : "fault", finding })) ?? [];
  return {
    fields: { status: "1", running: isRunning ? "1" : "0", error: failure, time_checked: String(last?.time ?? 0) },
    list: [list],
  };
});
