// SPDX-License-Identifier: MIT

import type { Finish, Release } from "@reading-list/canary/release.ts";
import { createCanaryFunction, type DeployedFunction, type Storage } from "./functions.ts";
import type { StageSettings } from "./settings.ts";

/**
 * Runs the canary at the end of a deployment, which fails if the new versions are worse than the previous ones
 * (docs/decisions/canary.md). Pulumi runs it again if a version has changed, or if it failed. `before`: resources that
 * must change first, such as CloudFront with a new secret.
 */
export function createCanary(
  moved: readonly DeployedFunction[],
  storage: Storage,
  before: $util.Input<$util.Resource>[],
  settings: StageSettings,
): DeployedFunction {
  const canary = createCanaryFunction(moved, storage, settings);
  if ($dev) return canary;
  const versions = moved.map((each) => $util.all([each.function.name, each.version]));
  const release: { [name in keyof Release]: $util.Input<Release[name]> } = {
    versions: $util.all(versions).apply((pairs) => Object.fromEntries(pairs)),
    seconds: settings.canarySeconds,
  };
  const run = (name: string, event: object, dependsOn: $util.Input<$util.Resource>[]) =>
    new aws.lambda.Invocation(
      name,
      { functionName: canary.function.name, qualifier: canary.version, input: $jsonStringify(event) },
      { dependsOn },
    );
  const moving = run("CanaryRun", release, before);
  // Pulumi runs a step again if a version has changed, or if it failed.
  const step = (finish: Finish["finish"]) => ({ finish, versions: release.versions });
  const waiting = run("CanaryWait", step("wait"), [moving]);
  run("RaiseOfData", step("raise"), [waiting]);
  return canary;
}
