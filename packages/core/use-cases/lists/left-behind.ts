// SPDX-License-Identifier: MIT

import { isTemporary } from "../../domain/sign-in.ts";
import type { OperatorStore, UserRecord } from "../../ports/operator.ts";

/** The data that a move leaves in the source, and that the user would miss in the target. */
export interface LeftBehind {
  /** App passwords and signed-in apps. */
  appPasswords: number;
  /** Public addresses of articles and tags, which name the host of the source. */
  shares: number;
  hasPasskeys: boolean;
  isOperator: boolean;
}

/** What `moveList` does not bring of a user. */
export async function findLeftBehind(from: OperatorStore, source: UserRecord): Promise<LeftBehind> {
  const signIns = await from.signIns.list(source.username);
  return {
    appPasswords: signIns.filter((each) => !isTemporary(each)).length,
    shares: (await from.shares.list(source)).length,
    hasPasskeys: source.hasPasskeys === true,
    isOperator: (await from.administration?.isOperator(source)) === true,
  };
}
