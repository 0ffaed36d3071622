// SPDX-License-Identifier: MIT

import { rounded, type Subject } from "@reading-list/testing/table-text.ts";
import { startAccountData } from "../../tests/stacks/bundles/account-data.ts";
import { startMeasuredService } from "./measured-service.ts";
import { databaseDollars, dollars, prices } from "./prices.ts";
import { measureProcessorTime } from "./processor-time.ts";

const callsMeasured = 300;
/** The used share of the processors: they are enough for the peak, three times the mean, at 75 %. */
const processorUse = 0.25;
const gigabytesOfProcessor = 2;
/** New connections a second, with TLS, of one capacity unit of a network load balancer. */
const connectionsOfUnit = 50;

/** A kind of call, with what it costs in the database and in traffic, deployed or not. */
export interface CallCost {
  call: string;
  readUnits: number;
  writeUnits: number;
  bucketDollars: number;
  sentDollars: number;
}

/**
 * The dollars of a million calls of each kind in container mode, with the processor time of a process on the embedded
 * database. Each call opens a connection, as a poll every 15 minutes does.
 */
export async function costOfContainers(calls: readonly CallCost[]): Promise<Subject> {
  const measured = await measureProcess();
  const processorDollars =
    (prices.perArmProcessorHour + gigabytesOfProcessor * prices.perContainerGigabyteHour) / 3600 / processorUse;
  const balancer = (1e6 / (connectionsOfUnit * 3600)) * prices.perBalancerUnitHour;
  const rows = calls.flatMap(({ call, readUnits, writeUnits, bucketDollars, sentDollars }) => {
    const ms = measured.get(call);
    if (ms === undefined) return [];
    const database = databaseDollars(readUnits, writeUnits);
    // A million calls of 1 ms take 1,000 s.
    const processor = ms * 1000 * processorDollars;
    return {
      call,
      "read units": readUnits,
      "write units": writeUnits,
      "processor ms": rounded(ms),
      database: dollars(database),
      processor: dollars(processor),
      balancer: dollars(balancer),
      bucket: dollars(bucketDollars),
      sent: dollars(sentDollars),
      total: dollars(database + processor + balancer + bucketDollars + sentDollars),
    };
  });
  return {
    title: "US dollars for a million calls in container mode",
    notes: [
      "Processor time of a process on the embedded database, as this run measured it: more on a busy machine. Assumed: Fargate,",
      `arm64, ${gigabytesOfProcessor} GB for each processor, of which ${100 * processorUse} % are used; a connection with TLS for each call to a network`,
      "load balancer.",
    ],
    rows,
  };
}

/** Milliseconds of processor time of each kind of call. */
async function measureProcess(): Promise<Map<string, number>> {
  const data = await startAccountData("bench", new Map([["bench", [{ actions: ["*"], resources: ["*"] }]]]));
  try {
    const application = { applicationId: "bench", name: "Bench", status: "enabled", created: 0 } as const;
    await data.operator.createApiKey("bench-key", application);
    const stage = {
      ...data.variables,
      AWS_REGION: "local",
      AWS_ACCESS_KEY_ID: "bench",
      AWS_SECRET_ACCESS_KEY: "bench",
      STORE: "dynamodb",
      TABLE_NAME: "bench",
      ARTICLE_BUCKET: "articles",
      TEXT_BUCKET: "texts",
      SEARCH_BUCKET: "indexes",
      PICTURE_BUCKET: "pictures",
      PROOF_SECRET: "a secret of the bench of containers",
    };
    const { rows } = await measureProcessorTime(callsMeasured, () => startMeasuredService(stage));
    return new Map(rows.map(({ call, ms }) => [String(call), Number(ms)]));
  } finally {
    await data.stop();
  }
}
