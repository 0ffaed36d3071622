import { existsSync } from "node:fs";
import { methods, pathOf } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { edgeSecretHeader } from "@reading-list/core/contract/headers.ts";
import { keepsData, tableDefinition } from "@reading-list/store-dynamodb/table-definition.ts";
import { buildReader } from "@reading-list/web/build.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { secretOf } from "./account.ts";
import { type Evaluation, evaluateStacks } from "./evaluate.ts";

/** A stage for trials with the defaults, and a stage with every setting. */
const stages = {
  "dev-ann": {},
  production: {
    BASE_DOMAIN: "api.example.com",
    TEXT_DOMAIN: "text.example.com",
    WEB_DOMAIN: "read.example.com",
    WEB_CERTIFICATE: "arn:aws:acm:us-east-1:123456789012:certificate/web",
    WEB_API_KEY: "public-key-of-the-reader",
    USER_LIMIT: "100",
    SIGNUP: "closed",
    THROTTLE_RATE: "300",
    THROTTLE_BURST: "600",
    ALARM_EMAIL: "ops@example.com",
    EDGE: "on",
    EDGE_RATE: "1500",
    EDGE_BLOCKED: "203.0.113.7, 2001:db8::/32",
    MONTHLY_BUDGET: "100",
    RELEASE: "v1",
  },
};
type Stage = keyof typeof stages;
const evaluations = {} as Record<Stage, Evaluation>;

beforeAll(async () => {
  for (const [stage, variables] of Object.entries(stages)) {
    evaluations[stage as Stage] = await evaluateStacks(stage, variables);
  }
});

/** Inputs that differ from build to build, or that are code of SST. */
const isVolatile = (name: string, value: unknown) =>
  ["s3Key", "__provider", "files", "source", "dir", "triggers", "entries", "version"].includes(name) ||
  (typeof value === "string" && value.length > 2000 && name !== "dashboardBody");

const stable = (_: string, value: unknown) =>
  value !== null && typeof value === "object" && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([name, each]) => !isVolatile(name, each))
          .sort(([one], [other]) => (one < other ? -1 : 1)),
      )
    : value;

/** Every resource and every bundle of a stage in a line, without the random ends of names and the hashes of packages. */
const listOf = ({ app, resources, builds, outputs }: Evaluation) =>
  [
    ["app", app],
    ...resources.map(({ type, name, ...rest }) => [`${type} ${name}`, rest]),
    ...builds.map((build) => [`build ${build.functionID}`, build]),
    ["outputs", outputs],
  ]
    .map(([what, inputs]) => `${what} ${JSON.stringify(inputs, stable)}`)
    .map((line) => line.replaceAll(/(-[A-Z]\w+|bucket)-[a-z]{8}\b/g, "$1-random"))
    .map((line) => line.replaceAll(/-code-[0-9a-f]{64}/g, "-code-hash"))
    .sort()
    .join("\n");

describe.each(Object.keys(stages) as Stage[])("stage %s", (stage) => {
  const all = (type: string) => evaluations[stage].resources.filter((resource) => resource.type === type);
  const functions = () => all("aws:lambda/function:Function");
  const variablesOf = ({ inputs }: { inputs: Record<string, unknown> }) =>
    (inputs.environment as { variables: Record<string, string> }).variables;

  // Update it with `npx vitest run --project stacks -u`, and read the difference.
  test("deploys exactly the resources and settings of the list", async () => {
    await expect(listOf(evaluations[stage])).toMatchFileSnapshot(`resources-of-${stage}.txt`);
  });

  test.each(["main", "text"] as const)("routes the %s host to the aliases of its endpoints' functions", (host) => {
    const api = host === "main" ? "MainApiApi" : "TextApiApi";
    const integrations = new Map(
      all("aws:apigatewayv2/integration:Integration").map(({ name, inputs }) => [
        `integrations/${name}-id`,
        String(inputs.integrationUri).replace(/.*:function:/, ""),
      ]),
    );
    const routes = all("aws:apigatewayv2/route:Route")
      .filter(({ inputs }) => inputs.apiId === `${api}-id`)
      .map(({ inputs }) => [inputs.routeKey, integrations.get(String(inputs.target))]);
    const prefix = `reading-list-${stage}-`;
    const expected = endpoints
      .filter((endpoint) => endpoint.host === host)
      .flatMap((endpoint) =>
        methods.map((method) => [`${method} ${pathOf(endpoint)}`, `${prefix}${endpoint.name}:live`]),
      );
    const own = `${prefix}${host === "main" ? "Main" : "Text"}Api`;
    const others = [
      ["$default", `${own}Unrouted:live`],
      ["GET /health", `${own}Health:live`],
      ["HEAD /health", `${own}Health:live`],
    ];
    expect(routes.sort()).toEqual([...expected, ...others].sort());
  });

  test("has a handler file for each function", () => {
    const files = evaluations[stage].builds.map(({ handler }) => handler.replace(".handler", ".ts"));
    expect(files).toHaveLength(endpoints.length + 4);
    for (const file of files) expect(existsSync(file), file).toBe(true);
  });

  test("gives functions more time than a call's deadline, and less than API Gateway waits", () => {
    for (const { name, inputs } of functions()) {
      expect(inputs.timeout, name).toBeLessThan(30);
      if (!name.includes("Unrouted")) expect(inputs.timeout, name).toBe(29);
    }
  });

  test("lets only Lambda assume the functions' roles, which have no managed policy", () => {
    const roles = all("aws:iam/role:Role").filter(({ name }) =>
      functions().some((each) => each.name.startsWith(name.replace("Role", ""))),
    );
    expect(roles).toHaveLength(functions().length);
    for (const { inputs } of roles) {
      expect(inputs.managedPolicyArns).toEqual([]);
      expect(inputs.assumeRolePolicy).toMatchObject({
        Statement: [{ Principal: { Service: "lambda.amazonaws.com" } }],
      });
    }
  });

  test("gives the functions that check passwords one secret, and no other function", () => {
    const expected = endpoints
      .filter(({ caller }) => caller === "user")
      .map(({ name }) => `reading-list-${stage}-${name}`);
    const holders = functions().filter((each) => "PROOF_SECRET" in variablesOf(each));
    expect(holders.map(({ inputs }) => inputs.name).sort()).toEqual(expected.sort());
    expect(new Set(holders.map((each) => variablesOf(each).PROOF_SECRET))).toEqual(new Set([secretOf("ProofSecret")]));
  });

  test("has the keys and indexes that the store reads, in a table that keeps its name", () => {
    const { partitionKey, sortKey, indexes, ttl } = tableDefinition;
    const [table, ...others] = all("aws:dynamodb/table:Table");
    expect([table?.name, others]).toEqual(["ReadingListTable", []]);
    expect(table?.inputs).toMatchObject({
      hashKey: partitionKey,
      rangeKey: sortKey,
      ttl: { attributeName: ttl, enabled: true },
      localSecondaryIndexes: Object.values(indexes).map(({ name, sortKey }) => ({ name, rangeKey: sortKey })),
    });
  });
});

describe("CloudFront and WAF with EDGE=on", () => {
  const all = (type: string) => evaluations.production.resources.filter((resource) => resource.type === type);
  const distributions = () =>
    all("aws:cloudfront/distribution:Distribution").filter(({ name }) => name.includes("Edge"));

  test("are at the domains of the hosts, which the APIs do not have", () => {
    expect(
      distributions()
        .flatMap(({ inputs }) => inputs.aliases)
        .sort(),
    ).toEqual(["api.example.com", "text.example.com"]);
    expect(all("aws:apigatewayv2/domainName:DomainName")).toEqual([]);
    expect(evaluations.production.outputs).toMatchObject({
      baseUrl: "https://api.example.com",
      textUrl: "https://text.example.com",
    });
  });

  test("send the secret that every function requires", () => {
    const secret = secretOf("EdgeSecret");
    for (const { inputs } of distributions()) {
      expect(inputs.origins).toMatchObject([{ customHeaders: [{ name: edgeSecretHeader, value: secret }] }]);
    }
    for (const { inputs } of all("aws:lambda/function:Function")) {
      expect(inputs.environment).toMatchObject({ variables: { EDGE_SECRET: secret } });
    }
  });
});

describe("the web reader", () => {
  test("is the files of its build, with the addresses of the stage, and deployed only with WEB_API_KEY", async () => {
    const isOfReader = ({ name }: { name: string }) => name.startsWith("Web");
    expect(evaluations["dev-ann"].resources.filter(isOfReader)).toEqual([]);
    const uploads = evaluations.production.resources.find(({ name }) => name.startsWith("WebAssetFiles."));
    const files = (uploads?.inputs.files ?? []) as { key: string }[];
    const keys = files.map(({ key }) => key);
    const built = (await buildReader()).map(({ name }) => name || "index.html");
    expect(keys.sort()).toEqual([...built, "config.json"].sort());
  });
});

test.each([
  ["production", true],
  ["staging", true],
  ["ann-and-bob", true],
  ["dev-ann", false],
  ["ann", false],
])("the stage %s keeps its data: %s, if it is deployed by ann", (stage, keeps) => {
  expect(keepsData(stage, "ann")).toBe(keeps);
});
