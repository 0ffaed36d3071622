// SPDX-License-Identifier: MIT

import { type Evaluation, resourcesOf } from "../evaluate.ts";

/** A request to AWS as IAM judges it. */
export interface AwsRequest {
  action: string;
  /** The ARN of the table, index, bucket, object or function. */
  resource: string;
  /** The partitions of the records; empty for a request to S3 or Lambda. */
  leadingKeys: readonly string[];
}

/** A statement of a function's role. */
export interface Statement {
  actions: readonly string[];
  resources: readonly string[];
  conditions?: readonly { test: string; variable: string; values: readonly string[] }[];
}

/** The statements of each function for DynamoDB, S3 and Lambda, by SST's name of the function. */
export function policiesOf(evaluation: Evaluation): Map<string, Statement[]> {
  const functions = new Set(resourcesOf(evaluation, "lambda/function:Function").map(({ name }) => name));
  const roles = resourcesOf(evaluation, "iam/role:Role").filter(({ name }) =>
    functions.has(name.replace(/Role$/, "Function")),
  );
  return new Map(
    roles.map(({ name, inputs }) => {
      const policies = (inputs.inlinePolicies ?? []) as { policy: string }[];
      const statements = policies.flatMap(({ policy }) => JSON.parse(policy) as Statement[]);
      return [
        name.replace(/Role$/, ""),
        statements.filter(({ actions }) => /^(dynamodb|s3|lambda):/.test(String(actions))),
      ];
    }),
  );
}

/** Whether a value matches a pattern of IAM, in which `*` stands for any characters. */
const isLike = (value: string, pattern: string) =>
  new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`, "s").test(value);

/** Whether IAM would let a function with these statements make a request. */
export const isAllowed = (statements: readonly Statement[], { action, resource, leadingKeys }: AwsRequest): boolean =>
  statements.some(
    ({ actions, resources, conditions = [] }) =>
      actions.some((each) => isLike(action, each)) &&
      resources.some((each) => isLike(resource, each)) &&
      conditions.every(({ test, variable, values }) => {
        if (test !== "ForAllValues:StringLike" || variable !== "dynamodb:LeadingKeys") throw new Error(variable);
        return leadingKeys.every((key) => values.some((value) => isLike(key, value)));
      }),
  );

/** The narrowest pattern that a policy has for a partition, and for a resource. */
const patternOfKey = (key: string) => key.replace(/#.*/s, "#*");
/** Whether a policy names one partition, and not all of its kind. */
const isExact = (pattern: string) => pattern.includes("#") && !pattern.endsWith("*");
const patternOfResource = (resource: string) =>
  resource.replace(/^(arn:aws:s3:::[^/]+\/)([^/]+\/)?.*/s, "$1$2*").replace(/(:function:[\w-]+:)\d+$/, "$1*");

/** A request by the patterns of a policy: requests of one kind have the same text. */
export const kindOf = ({ action, resource, leadingKeys }: AwsRequest): string =>
  [action, patternOfResource(resource), ...new Set(leadingKeys.map(patternOfKey))].join(" ");

/** The grants that no request needs: an action on a resource, and on a kind of partition. A wide pattern is one, too. */
export function unusedGrants(statements: readonly Statement[], requests: readonly AwsRequest[]): string[] {
  const used = new Set(
    requests.flatMap(({ action, resource, leadingKeys }) =>
      (leadingKeys.length > 0 ? leadingKeys : [""]).flatMap((key) => [
        kindOf({ action, resource, leadingKeys: [key] }),
        ...(isExact(key) ? [[action, patternOfResource(resource), key].join(" ")] : []),
      ]),
    ),
  );
  const granted = statements.flatMap(({ actions, resources, conditions = [] }) => {
    const patterns = conditions.length > 0 ? conditions.flatMap(({ values }) => values) : [""];
    return actions.flatMap((action) =>
      resources.flatMap((resource) => patterns.map((pattern) => [action, resource, pattern].join(" "))),
    );
  });
  return granted.filter((grant) => !used.has(grant));
}

/** Every way to take one action on one resource, or on one kind of partition of it, from a function. */
export function narrowed(statements: readonly Statement[]): Statement[][] {
  const grants = new Map<string, { action: string; resource: string; conditions: Map<string, Set<string>> }>();
  for (const { actions, resources, conditions = [] } of statements) {
    for (const [action, resource] of actions.flatMap((each) =>
      resources.map((resource) => [each, resource] as const),
    )) {
      const grant = grants.get(`${action} ${resource}`) ?? { action, resource, conditions: new Map() };
      grants.set(`${action} ${resource}`, grant);
      for (const { variable, values } of conditions) {
        grant.conditions.set(variable, new Set([...(grant.conditions.get(variable) ?? []), ...values]));
      }
    }
  }
  const test = "ForAllValues:StringLike";
  const joined = [...grants.values()].map(({ action, resource, conditions }) => ({
    actions: [action],
    resources: [resource],
    conditions: [...conditions].map(([variable, values]) => ({ test, variable, values: [...values] })),
  }));
  return joined.flatMap((statement, place) => {
    const [condition] = statement.conditions;
    if (!condition) return [joined.toSpliced(place, 1)];
    return condition.values.map((_, which) => {
      const values = condition.values.toSpliced(which, 1);
      return values.length === 0
        ? joined.toSpliced(place, 1)
        : joined.with(place, { ...statement, conditions: [{ ...condition, values }] });
    });
  });
}

/** Ways to grant more by one statement: another action, every action, every resource, and every partition. */
export function widened(statements: readonly Statement[]): Statement[][] {
  return statements.flatMap((statement, place) => {
    const { actions, resources, conditions = [] } = statement;
    const service = actions[0]?.split(":")[0];
    const more = { s3: "s3:PutObjectAcl", lambda: "lambda:UpdateFunctionCode" }[service ?? ""] ?? "dynamodb:Scan";
    const wider: Statement[] = [
      { ...statement, actions: [...actions, more] },
      { ...statement, actions: [`${service}:*`] },
      { ...statement, resources: resources.map((resource) => resource.replace(/[^:/]+$/, "*")).concat("*") },
      ...conditions.map((condition) => ({ ...statement, conditions: [{ ...condition, values: ["*"] }] })),
      ...(conditions.length > 0 ? [{ actions, resources }] : []),
    ];
    return wider.map((each) => statements.with(place, each));
  });
}
