// SPDX-License-Identifier: MIT

import { apis } from "@reading-list/core/contract/apis.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { picture } from "@reading-list/core/contract/picture.ts";
import { shared } from "@reading-list/core/contract/shared.ts";
import type { AlarmInputs, CompositeInputs } from "./alarm-simulation.ts";
import { type Evaluation, resourcesOf } from "./evaluate.ts";

export const shortName = (name: string) => name.replace("reading-list-production-", "");
export const callNames: string[] = [...endpoints, ...apis, picture, shared].map(({ name }) => name);

const inputsOf = <Inputs>(evaluation: Evaluation, type: string) =>
  resourcesOf(evaluation, type).map(({ inputs }) => inputs as Inputs);
export const alarmsOf = (evaluation: Evaluation) =>
  inputsOf<AlarmInputs>(evaluation, "cloudwatch/metricAlarm:MetricAlarm");
export const compositesOf = (evaluation: Evaluation) =>
  inputsOf<CompositeInputs>(evaluation, "cloudwatch/compositeAlarm:CompositeAlarm");

/** The names of the functions, such as `get`. */
export const functionNamesOf = (evaluation: Evaluation) =>
  inputsOf<{ name: string }>(evaluation, "lambda/function:Function").map(({ name }) => shortName(name));

/** The functions that do the work of calls. */
export const watchedNamesOf = (evaluation: Evaluation) =>
  functionNamesOf(evaluation).filter((name) => !/^(?:deletions|canary)$|(?:Health|Unrouted)$/.test(name));
