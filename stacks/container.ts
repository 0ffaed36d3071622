// SPDX-License-Identifier: MIT

import { type CallStorage, grantAllCalls } from "./functions.ts";

/**
 * The policy of a process that serves the stage's data with `STORE=dynamodb` (docs/aws/operations.md, "Container mode"). The
 * operator attaches it to the role of the process; without a role it grants nothing.
 */
export function createContainerPolicy(storage: CallStorage): aws.iam.Policy {
  return new aws.iam.Policy("ContainerPolicy", {
    description: "Access to the table and buckets for a process with STORE=dynamodb",
    policy: aws.iam.getPolicyDocumentOutput({ statements: grantAllCalls(storage) }).json,
  });
}
