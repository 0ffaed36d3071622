import type { Finding } from "@reading-list/core/operator-ports.ts";
import type { Table } from "./client.ts";
import { keepsData, tableDefinition } from "./table-definition.ts";
import {
  findExpiry,
  findRefusedActions,
  hasPointInTimeRecovery,
  inspectTable,
  readServerTime,
} from "./table-inspection.ts";

/** Seconds by which clocks may differ. AWS refuses a request that is five minutes off; limits and sync need less. */
const clockTolerance = 30;

const switchOn = {
  backups:
    "aws dynamodb update-continuous-backups --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true",
  protection: "aws dynamodb update-table --deletion-protection-enabled",
};

/** Which table it is, in words, and the deployed stage that it belongs to. */
export interface Place {
  description: string;
  stage?: string;
}

/** The checks of `readinglist doctor` on a table. */
export function checksOf(table: Table, { description, stage }: Place): Record<string, () => Promise<Finding>> {
  const { indexes, ttl } = tableDefinition;
  const inspection = inspectTable(table);
  // Each check that awaits it reports its failure.
  inspection.catch(() => {});
  return {
    table: async () => {
      const { isActive, hasKeys } = await inspection;
      if (!hasKeys) return { fault: `the ${description} has other keys than it should; it is another service's` };
      return isActive ? { found: description } : { fault: "the table is not active; wait until it is" };
    },
    indexes: async () => {
      const { missingIndexes: missing } = await inspection;
      return missing.length === 0
        ? { found: `${Object.keys(indexes).join(" and ")} are there` }
        : { fault: `missing: ${missing.join(", ")}; a table cannot get a local index later: deploy or start anew` };
    },
    expiry: async () =>
      (await findExpiry(table)) === ttl
        ? { found: `records expire by ${ttl}` }
        : { fault: `records do not expire; switch TTL on for the attribute ${ttl}` },
    backups: async () => {
      const isOn = await hasPointInTimeRecovery(table);
      if (isOn === undefined) return { found: "this database has none; run readinglist backup" };
      if (isOn) return { found: "point-in-time recovery is on" };
      return { fault: `point-in-time recovery is off; run ${switchOn.backups} --table-name ${table.tableName}` };
    },
    "deletion protection": async () => {
      if ((await inspection).isProtected) return { found: "on" };
      if (stage === undefined) return { found: "off, as on every database that is not deployed" };
      if (!keepsData(stage)) return { found: "off, as on every stage of a developer" };
      return { fault: `off; run ${switchOn.protection} --table-name ${table.tableName}` };
    },
    clock: async () => {
      const before = Date.now();
      const time = await readServerTime(table);
      if (time === undefined) return { found: "the database does not say its time" };
      // The database returns whole seconds.
      const apart = Math.max(0, time - Date.now(), before - time - 1000) / 1000;
      return apart <= clockTolerance
        ? { found: `within ${Math.ceil(apart) || 1} s of the database's` }
        : { fault: `this machine's clock is ${Math.round(apart)} s off the database's; set it by NTP` };
    },
    permissions: async () => {
      const refused = await findRefusedActions(table);
      return refused.length === 0
        ? { found: "all that these commands need" }
        : { fault: `allow these credentials ${refused.map((action) => `dynamodb:${action}`).join(", ")} on the table` };
    },
  };
}
