// SPDX-License-Identifier: MIT

import { apis, passkeySignIn, signOn } from "@reading-list/core/contract/apis.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { picture, shared } from "@reading-list/core/contract/text-host.ts";
import type { AlarmInputs, CompositeInputs } from "./alarm-simulation.ts";
import { type Evaluation, resourcesOf } from "./evaluate.ts";

export const shortName = (name: string) => name.replace("reading-list-production-", "");
export const callNames: string[] = [...endpoints, ...apis, picture, shared, signOn, passkeySignIn].map(
  ({ name }) => name,
);

const inputsOf = <Inputs>(evaluation: Evaluation, type: string) =>
  resourcesOf(evaluation, type).map(({ inputs }) => inputs as Inputs);
export const alarmsOf = (evaluation: Evaluation) =>
  inputsOf<AlarmInputs>(evaluation, "cloudwatch/metricAlarm:MetricAlarm");
export const compositesOf = (evaluation: Evaluation) =>
  inputsOf<CompositeInputs>(evaluation, "cloudwatch/compositeAlarm:CompositeAlarm");

/** The names of the functions, such as `get`. */
export const functionNamesOf = (evaluation: Evaluation) =>
  inputsOf<{ name: string }>(evaluation, "lambda/function:Function").map(({ name }) => shortName(name));

/** The names of the functions that count the failures of their own code. */
export const failingNames = [...callNames, "extraction", "imaging", "keeping", "probe"];

/** The settings of a production stage that has every function. */
export const everything = {
  ALARM_EMAIL: "ops@example.com",
  // Other units to read than to write, so that no alarm has the threshold of the other.
  TABLE_READ_UNITS: "2000",
  BASE_DOMAIN: "api.example.com",
  WEB_API_KEY: "the-key-of-the-reader",
  OIDC_ISSUER: "https://id.example.com",
  OIDC_CLIENT_ID: "reading-list",
  OIDC_CLIENT_SECRET: "secret",
};
