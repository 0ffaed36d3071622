// SPDX-License-Identifier: MIT

import type { OperatorStore } from "../../ports/operator.ts";

/** Ends all app passwords and signed-in apps of a user; the password stays. Returns their number. */
export async function endSignIns({ signIns }: Pick<OperatorStore, "signIns">, username: string): Promise<number> {
  const found = await signIns.list(username);
  for (const { id } of found) await signIns.remove(username, id);
  return found.length;
}
