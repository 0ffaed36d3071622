// SPDX-License-Identifier: MIT

import { type CallStorage, grantAllCalls } from "./functions.ts";

/**
 * The policy of a process that serves the stage's data with `STORE=dynamodb` (docs/aws/operations.md, "Container mode"). The
 * operator attaches it to the role of the process; without a role it grants nothing.
 */
export function createContainerPolicy(storage: CallStorage): aws.iam.Policy {
  return new aws.iam.Policy("ContainerPolicy", {
    description: "What a process with STORE=dynamodb needs of the table and the buckets",
    policy: aws.iam.getPolicyDocumentOutput({ statements: grantAllCalls(storage) }).json,
  });
}
