// SPDX-License-Identifier: MIT

import { SetupError } from "@reading-list/core/errors.ts";

/** Executions of Lambda at the same time. */
export interface Concurrency {
  /** The quota of the account. */
  account: number;
  /** The number that the stage can reserve: executions without a reservation, and the reservations of its own functions. */
  free: number;
}

/** Executions that AWS does not let an account reserve. */
const unreserved = 100;

/**
 * Reserved concurrency of functions whose calls are expensive and caused by anyone with a key, so that they cannot use
 * up the concurrency of the account. A call that reads pages or pictures uses its own execution and one of `extraction`
 * or `imaging`, and returns 503 if none is free. So their reservations also limit its callers.
 */
const reservations = { signup: 20, text: 100, extraction: 100, imaging: 50, indexing: 20, keeping: 1 };

export type Reservations = Partial<Record<keyof typeof reservations, number>>;

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
const needed = unreserved + sum(Object.values(reservations));

/**
 * The reservations of a production stage; none in an account that is too small for them. Throws a SetupError if others
 * have reserved what the stage needs, because the deployment would fail in the middle.
 */
export function reserve({ account, free }: Concurrency): Reservations {
  if (account < needed) return {};
  if (free < needed) {
    throw new SetupError(
      `ACCOUNT_CONCURRENCY: the stage needs ${needed} concurrent executions of Lambda, and ${free} of the account's ${account} are free; request a higher quota, or set it to 10 to deploy without reservations`,
    );
  }
  return reservations;
}

/** A warning for the administrator of a stage without reservations; undefined with them. */
export const warnOfReservations = (account: number, reserved: Reservations): string | undefined =>
  Object.keys(reserved).length > 0
    ? undefined
    : `Lambda has ${account} concurrent executions in this account, and reservations need ${needed}: deploying without reservations, so slow pages can use up all of them. Request a higher quota and deploy again (docs/aws/operations.md, Limits to raise).`;

/** Reads the concurrency of the account. `prefix`: the names of the stage's functions begin with it. */
export async function readConcurrency(prefix: string): Promise<Concurrency> {
  const { GetAccountSettingsCommand, GetFunctionConcurrencyCommand, LambdaClient, ResourceNotFoundException } =
    await import("@aws-sdk/client-lambda");
  const lambda = new LambdaClient({});
  try {
    const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
    const own = await Promise.all(
      Object.keys(reservations).map(async (name) => {
        const found = await lambda
          .send(new GetFunctionConcurrencyCommand({ FunctionName: prefix + name }))
          .catch((error) => {
            if (error instanceof ResourceNotFoundException) return undefined;
            throw error;
          });
        return found?.ReservedConcurrentExecutions ?? 0;
      }),
    );
    const { ConcurrentExecutions: account = 0, UnreservedConcurrentExecutions: left = 0 } = AccountLimit ?? {};
    return { account, free: left + sum(own) };
  } catch (error) {
    throw new SetupError(
      `ACCOUNT_CONCURRENCY: set it to Lambda's concurrent executions of the account, because they cannot be read: ${error instanceof Error ? error.name : error}`,
    );
  }
}
