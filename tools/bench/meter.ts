// SPDX-License-Identifier: MIT

import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** The cost of a call in the database. */
export interface Spent {
  /** Sequential steps: the largest number of commands that did not overlap in time. */
  steps: number;
  readUnits: number;
  writeUnits: number;
}

interface Command {
  start: number;
  end: number;
  isWrite: boolean;
  units: number;
}

/** Counts the commands that a database client sends during a call. */
export class Meter {
  #commands: Command[] | undefined;

  /** Attaches the meter to a client. */
  attach(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (!this.#commands) return next(args);
        const isWrite = /Update|Put|Delete|Write/.test(String(context.commandName));
        const command = { start: performance.now(), end: Number.POSITIVE_INFINITY, isWrite, units: 0 };
        this.#commands.push(command);
        try {
          const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: "TOTAL" } });
          command.units = unitsOf(result.output);
          return result;
        } finally {
          command.end = performance.now();
        }
      },
      { step: "initialize" },
    );
    return client;
  }

  /** The cost of the commands that the client sent during `call`. */
  async measure(call: () => Promise<unknown>): Promise<Spent> {
    const commands: Command[] = [];
    this.#commands = commands;
    try {
      await call();
    } finally {
      this.#commands = undefined;
    }
    const unitsWhere = (isWrite: boolean) =>
      commands.reduce((sum, command) => sum + (command.isWrite === isWrite ? command.units : 0), 0);
    return {
      steps: longestChain(commands),
      readUnits: unitsWhere(false),
      writeUnits: unitsWhere(true),
    };
  }
}

function unitsOf(output: object): number {
  const consumed = "ConsumedCapacity" in output ? output.ConsumedCapacity : undefined;
  const parts = (Array.isArray(consumed) ? consumed : [consumed]) as ({ CapacityUnits?: number } | undefined)[];
  return parts.reduce((sum, part) => sum + (part?.CapacityUnits ?? 0), 0);
}

/** Greedy interval scheduling: always choosing the command that ends first gives the longest sequence. */
function longestChain(commands: readonly Command[]): number {
  let length = 0;
  let chainEnd = Number.NEGATIVE_INFINITY;
  for (const { start, end } of commands.toSorted((a, b) => a.end - b.end)) {
    if (start < chainEnd) continue;
    length++;
    chainEnd = end;
  }
  return length;
}
