// SPDX-License-Identifier: MIT

import { emptyTally, runCall } from "@reading-list/core/call-scope.ts";
import { deriveProbeAccount } from "@reading-list/core/domain/probe-account.ts";
import { SetupError } from "@reading-list/core/errors.ts";
import { unixTime } from "@reading-list/core/ports/clock.ts";
import { createProbeAccount, type ProbePorts } from "@reading-list/core/use-cases/operator/create-probe-account.ts";
import { asServiceError } from "@reading-list/http/errors.ts";
import { logFailure, logWork } from "@reading-list/http/watch/call-log.ts";
import { metricNames } from "@reading-list/http/watch/metric-names.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import { createApiKey } from "@reading-list/store-dynamodb/api-key-records.ts";
import { createDocumentClient } from "@reading-list/store-dynamodb/client.ts";
import { createSettingStore } from "@reading-list/store-dynamodb/settings.ts";
import { createSignInStore } from "@reading-list/store-dynamodb/sign-ins.ts";
import { createUserStore } from "@reading-list/store-dynamodb/user-store.ts";
import { type Hosts, ProbeError, useService } from "../probe/use-service.ts";

/** Milliseconds of a run, of the 180 s of the function (stacks/functions.ts). */
const deadlineMs = 170_000;

const { dynamodbEndpoint, tableName, metricNamespace, probeSecret, publicUrl, textHostUrl } = readSettings(process.env);
if (!probeSecret || !publicUrl || !textHostUrl)
  throw new SetupError("PROBE_SECRET, BASE_URL, TEXT_HOST_URL: must be set");
const account = deriveProbeAccount(probeSecret);
const hosts: Hosts = { main: publicUrl, text: textHostUrl };
const table = { client: createDocumentClient(dynamodbEndpoint), tableName };
const settings = createSettingStore(table, Date);
const ports: ProbePorts = {
  createApiKey: (apiKey, record) => createApiKey(table, apiKey, record),
  users: createUserStore(table),
  signIns: createSignInStore(table),
};

/**
 * Uses the stage as an app does. The metrics have the runs that ended well, for which the alarm `Probe` waits; the line of
 * a failure names the step. During maintenance there is nothing to see.
 */
export const handler = () =>
  runCall(
    emptyTally(),
    async () => {
      try {
        if ((await settings.maintenance()) === undefined) await useWithAccount();
      } catch (error) {
        logFailure("probe", asServiceError(error), metricNamespace);
        return;
      }
      logWork("probe", { own: { [metricNames.bySchedule.runs]: 1 } }, metricNamespace);
    },
    deadlineMs,
  );

/** The first run on a stage, or on a restored table, creates the account. */
async function useWithAccount(): Promise<void> {
  try {
    await useService(hosts, account, Date.now());
  } catch (error) {
    if (!(error instanceof ProbeError && error.status === 401)) throw error;
    await createProbeAccount(ports, account, unixTime(Date));
    await useService(hosts, account, Date.now());
  }
}
