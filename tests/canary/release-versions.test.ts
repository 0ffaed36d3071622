// SPDX-License-Identifier: MIT

import {
  GetAliasCommand,
  type LambdaClient,
  PreconditionFailedException,
  UpdateAliasCommand,
} from "@aws-sdk/client-lambda";
import { releaseVersions } from "@reading-list/canary/release-versions.ts";
import { beforeEach, expect, test } from "vitest";

interface Alias {
  FunctionVersion: string;
  RoutingConfig: { AdditionalVersionWeights: Record<string, number> };
  RevisionId: string;
}

let aliases: Record<string, Alias>;
/** Runs after each update of an alias, which is then answered; it may throw instead of answering. */
let afterUpdate: (functionName: string) => void;

const moved = (functionName: string, changes: Partial<Alias>) => {
  const alias = aliases[functionName] as Alias;
  Object.assign(alias, changes, { RevisionId: `${alias.RevisionId}+` });
};

/** Lambda's aliases, with its optimistic locking. */
const lambda = {
  async send(command: unknown) {
    const { FunctionName = "", ...input } = (command as GetAliasCommand | UpdateAliasCommand).input;
    if (command instanceof UpdateAliasCommand) {
      const { RevisionId, RoutingConfig, FunctionVersion } = input as Alias;
      if (RevisionId !== aliases[FunctionName]?.RevisionId) {
        throw new PreconditionFailedException({ message: "moved", $metadata: {} });
      }
      moved(FunctionName, { RoutingConfig, FunctionVersion });
      afterUpdate(FunctionName);
    } else expect(command).toBeInstanceOf(GetAliasCommand);
    return structuredClone(aliases[FunctionName]);
  },
} as unknown as LambdaClient;

const versionsNow = () =>
  Object.values(aliases).map(({ FunctionVersion, RoutingConfig }) =>
    [FunctionVersion, JSON.stringify(RoutingConfig.AdditionalVersionWeights)].join(" "),
  );

let failed: { next: number; former: number };
let refused: Map<string, typeof failed>;
let waited: number;
let duringWait: () => void;

const run = (seconds = 300) =>
  releaseVersions(
    { versions: { get: "8", add: "5", added: "1" }, seconds },
    {
      lambda,
      countFailedCalls: async () => failed,
      countRefusedCalls: async () => refused,
      now: () => 0,
      wait: async (milliseconds) => {
        waited += milliseconds;
        duringWait();
      },
    },
  );

beforeEach(() => {
  const alias = (version: string): Alias => ({
    FunctionVersion: version,
    RoutingConfig: { AdditionalVersionWeights: {} },
    RevisionId: version,
  });
  // Pulumi has just created the last one.
  aliases = { get: alias("7"), add: alias("4"), added: alias("1") };
  failed = { next: 0, former: 0 };
  refused = new Map();
  waited = 0;
  duringWait = () => {};
  afterUpdate = () => {};
});

test("new versions get a tenth of the calls for 300 s, and then all", async () => {
  duringWait = () => expect(versionsNow()).toEqual(['7 {"8":0.1}', '4 {"5":0.1}', "1 {}"]);
  await run();
  expect(waited).toBe(300_000);
  expect(versionsNow()).toEqual(["8 {}", "5 {}", "1 {}"]);
});

test("they get all calls at once if no time is given", async () => {
  await run(0);
  expect([waited, versionsNow()]).toEqual([0, ["8 {}", "5 {}", "1 {}"]]);
});

test("if every alias is at its version, nothing is moved and there is no wait", async () => {
  await run();
  waited = 0;
  afterUpdate = () => expect.unreachable();
  await run();
  expect(waited).toBe(0);
});

test("all aliases go back as soon as the new versions are worse", async () => {
  duringWait = () => {
    if (waited === 90_000) failed = { next: 3, former: 1 };
  };
  await expect(run()).rejects.toThrow(
    "the new versions failed 3 calls on a tenth of the traffic; the previous versions failed 1 on the rest",
  );
  expect(waited).toBe(90_000);
  expect(versionsNow()).toEqual(["7 {}", "4 {}", "1 {}"]);
});

test("they go back if the new versions refuse many more calls, but not for a difference caused by clients", async () => {
  refused = new Map([
    ["400", { next: 30, former: 150 }],
    ["401", { next: 4, former: 0 }],
  ]);
  await run();
  expect(versionsNow()).toEqual(["8 {}", "5 {}", "1 {}"]);
  aliases.get = { ...(aliases.get as Alias), FunctionVersion: "7" };
  refused = new Map([["401", { next: 40, former: 20 }]]);
  await expect(run()).rejects.toThrow(
    "answered 40 calls with 401 on a tenth of the traffic; the previous versions 20 on the rest",
  );
  expect(versionsNow()[0]).toBe("7 {}");
});

test("they go back, too, if the metrics cannot be read, or an alias cannot be moved", async () => {
  duringWait = () => {
    throw new Error("CloudWatch does not answer");
  };
  await expect(run()).rejects.toThrow("CloudWatch does not answer; all calls go to the previous versions again");
  expect(versionsNow()).toEqual(["7 {}", "4 {}", "1 {}"]);
  duringWait = () => {};
  let updates = 0;
  afterUpdate = () => {
    if (++updates === 2) throw new Error("Lambda does not answer");
  };
  // Whether the second alias has moved is unknown then, and it is read again.
  await expect(run()).rejects.toThrow("Lambda does not answer; all calls go to the previous versions again");
  expect(versionsNow()).toEqual(["7 {}", "4 {}", "1 {}"]);
});

test("an alias that an operator has rolled back meanwhile stays there, and the others go back", async () => {
  duringWait = () => {
    if (waited === 30_000) moved("add", { FunctionVersion: "3", RoutingConfig: { AdditionalVersionWeights: {} } });
  };
  await expect(run()).rejects.toThrow("moved; all calls go to the previous versions again");
  expect(versionsNow()).toEqual(["7 {}", "3 {}", "1 {}"]);
});

test("the error names the functions that could not be moved back", async () => {
  duringWait = () => {
    failed = { next: 3, former: 1 };
    afterUpdate = (functionName) => {
      if (functionName === "get") throw new Error("Lambda does not answer");
    };
  };
  await expect(run()).rejects.toThrow("could not be moved back: get");
  expect(versionsNow()[1]).toBe("4 {}");
});

test("an update whose answer was lost is not a conflict", async () => {
  let isLost = true;
  afterUpdate = (functionName) => {
    if (functionName !== "get" || !isLost) return;
    isLost = false;
    // The SDK repeats the request, with the revision from before.
    throw new PreconditionFailedException({ message: "moved", $metadata: {} });
  };
  await run();
  expect([isLost, versionsNow()]).toEqual([false, ["8 {}", "5 {}", "1 {}"]]);
});

test("a run that ended in the middle is continued by the next one", async () => {
  moved("get", { RoutingConfig: { AdditionalVersionWeights: { 8: 0.1 } } });
  moved("add", { FunctionVersion: "5" });
  await run();
  expect([waited, versionsNow()]).toEqual([300_000, ["8 {}", "5 {}", "1 {}"]]);
});
