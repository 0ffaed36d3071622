// SPDX-License-Identifier: MIT

import type { Release } from "@reading-list/canary/release.ts";
import { createCanaryFunction, type DeployedFunction, type Storage } from "./functions.ts";
import type { StageSettings } from "./settings.ts";

/**
 * Runs the canary at the end of a deployment, which fails if the new versions are worse than the former ones
 * (docs/decisions/canary.md). Pulumi runs it again if a version has changed, or if it failed. `before`: what must be
 * changed before, such as CloudFront with a new secret.
 */
export function createCanary(
  moved: readonly DeployedFunction[],
  storage: Storage,
  before: $util.Input<$util.Resource>[],
  settings: StageSettings,
): void {
  const canary = createCanaryFunction(moved, storage, settings);
  if ($dev) return;
  const versions = moved.map((each) => $util.all([each.function.name, each.version]));
  const release: { [name in keyof Release]: $util.Input<Release[name]> } = {
    versions: $util.all(versions).apply((pairs) => Object.fromEntries(pairs)),
    seconds: settings.canarySeconds,
  };
  new aws.lambda.Invocation(
    "CanaryRun",
    { functionName: canary.function.name, qualifier: canary.version, input: $jsonStringify(release) },
    { dependsOn: before },
  );
}
