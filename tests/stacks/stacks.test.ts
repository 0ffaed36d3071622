// SPDX-License-Identifier: MIT

import { apis, listApiPaths, passkeySignIn } from "@reading-list/core/contract/apis.ts";
import { listMethods, toPath } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { cors } from "@reading-list/core/contract/headers.ts";
import { picture, shared } from "@reading-list/core/contract/text-host.ts";
import { keepsData, tableDefinition } from "@reading-list/store-dynamodb/table-definition.ts";
import { buildReader } from "@reading-list/web/build.ts";
import { readerSecurityPolicy, workerFile, workerSecurityPolicy } from "@reading-list/web/web-application.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { readStageSettings } from "../../stacks/settings.ts";
import { type Evaluation, evaluateStacks, type Resource, resourcesOf } from "./evaluate.ts";

/** A stage for trials with the defaults, and a protected stage with domains and the web reader. */
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
  },
};
type Stage = keyof typeof stages;
const evaluations = {} as Record<Stage, Evaluation>;
const settingsOf = (stage: Stage) => readStageSettings(stage, stages[stage]);

beforeAll(async () => {
  for (const [stage, variables] of Object.entries(stages)) {
    evaluations[stage as Stage] = await evaluateStacks(stage, variables);
  }
});

describe.each(Object.keys(stages) as Stage[])("stage %s", (stage) => {
  const all = (type: string) => resourcesOf(evaluations[stage], type);

  test.each(["main", "text"] as const)("routes the %s host to the aliases of its endpoints' functions", (host) => {
    const api = host === "main" ? "MainApiApi" : "TextApiApi";
    const integrations = new Map(
      all("apigatewayv2/integration:Integration").map(({ name, inputs }) => [
        `integrations/${name}-id`,
        String(inputs.integrationUri).replace(/.*:function:/, ""),
      ]),
    );
    const routes = all("apigatewayv2/route:Route")
      .filter(({ inputs }) => inputs.apiId === `${api}-id`)
      .map(({ inputs }) => [inputs.routeKey, integrations.get(String(inputs.target))]);
    const prefix = `reading-list-${stage}-`;
    const expected = endpoints
      .filter((endpoint) => endpoint.host === host)
      .flatMap((endpoint) =>
        listMethods(endpoint).map((method) => [`${method} ${toPath(endpoint)}`, `${prefix}${endpoint.name}:live`]),
      );
    const keyless = [picture, shared]
      .filter((route) => route.host === host)
      .flatMap(({ name, path, methods }) => methods.map((method) => [`${method} ${path}`, `${prefix}${name}:live`]));
    // This production stage has a web reader.
    const ofServices = [...apis, ...(stage === "production" ? [passkeySignIn] : [])]
      .filter((each) => each.host === host)
      .flatMap((api) => Object.values(listApiPaths(api)).map((path) => [`ANY ${path}`, `${prefix}${api.name}:live`]));
    const own = `${prefix}${host === "main" ? "Main" : "Text"}Api`;
    const others = [
      ["$default", `${own}Unrouted:live`],
      ["GET /health", `${own}Health:live`],
      ["HEAD /health", `${own}Health:live`],
      // The page that the synthetic user saves.
      ...(host === "text" && stage === "production"
        ? ["page", "picture.png"].map((file) => [`GET /health/${file}`, `${own}Health:live`])
        : []),
    ];
    expect(routes.sort()).toEqual([...expected, ...keyless, ...ofServices, ...others].sort());
  });

  test("has the keys and indexes that the store reads, in a table that keeps its name", () => {
    const { partitionKey, sortKey, indexes, ttl } = tableDefinition;
    const [table, ...others] = all("dynamodb/table:Table");
    expect([table?.name, others]).toEqual(["ReadingListTable", []]);
    expect(table?.inputs).toMatchObject({
      hashKey: partitionKey,
      rangeKey: sortKey,
      ttl: { attributeName: ttl, enabled: true },
      localSecondaryIndexes: Object.values(indexes).map(({ name, sortKey }) => ({
        name,
        rangeKey: sortKey,
        projectionType: "ALL",
      })),
    });
  });

  test("is paid by use up to the units of the settings, and can be restored to any second", () => {
    const { read, write } = settingsOf(stage).tableUnits;
    expect(all("dynamodb/table:Table")).toMatchObject([
      {
        inputs: {
          billingMode: "PAY_PER_REQUEST",
          onDemandThroughput: { maxReadRequestUnits: read, maxWriteRequestUnits: write },
          pointInTimeRecovery: { enabled: true },
        },
      },
    ]);
  });

  test("cannot be removed, nor its table, if it keeps data of users", () => {
    const keeps = stage === "production";
    const { app } = evaluations[stage];
    expect(app).toMatchObject({
      name: "reading-list",
      home: "aws",
      protect: keeps,
      removal: keeps ? "retain" : "remove",
    });
    expect(all("dynamodb/table:Table")).toMatchObject([
      { protected: keeps, retained: keeps, inputs: { deletionProtectionEnabled: keeps } },
    ]);
  });

  test("tags every resource, so that the budget can find the stage", () => {
    const { providers } = evaluations[stage].app;
    expect(providers.aws).toEqual({ defaultTags: { tags: { service: "reading-list", stage } } });
  });

  // Pulumi replaces a resource with a new name: an API or a distribution would get another address, a bucket be emptied.
  test("keeps the names of what has data or an address", () => {
    const types = /(dynamodb\/table|apigatewayv2\/api|s3\/bucket|cloudfront\/distribution|randomPassword):[A-Z]/;
    const names = evaluations[stage].resources.filter(({ type }) => types.test(type)).map(({ name }) => name);
    const reader = stage === "production" ? ["ProbeSecret", "WebAssetsBucket", "WebCdnDistribution"] : [];
    const buckets = ["ArticlesBucket", "IndexesBucket", "PicturesBucket", "TextsBucket"];
    const always = [...buckets, "MainApiApi", "ProofSecret", "ReadingListTable", "TextApiApi"];
    expect(names.sort()).toEqual([...always, ...reader].sort());
  });

  test.each(["articles", "pictures"])(
    "keeps %s private, encrypted, and for 35 days after they are deleted, as the table's backups",
    (kind) => {
      const isOfArticles = ({ inputs }: Resource) => String(inputs.bucket).includes(`-${kind}bucket-`);
      const keeps = stage === "production";
      expect(all("s3/bucket:Bucket").filter(isOfArticles)).toMatchObject([
        { protected: keeps, retained: keeps, inputs: { forceDestroy: !keeps } },
      ]);
      expect(all("s3/bucketVersioning:BucketVersioning").filter(isOfArticles)).toMatchObject([
        { inputs: { versioningConfiguration: { status: "Enabled" } } },
      ]);
      const [lifecycle, ...others] = all("s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration").filter(
        isOfArticles,
      );
      expect(others).toEqual([]);
      // Nothing that is current expires.
      expect(lifecycle?.inputs.rules).toEqual([
        {
          id: "old-versions",
          status: "Enabled",
          filter: {},
          noncurrentVersionExpiration: { noncurrentDays: 35 },
          expiration: { expiredObjectDeleteMarker: true },
        },
        {
          id: "many-versions",
          status: "Enabled",
          filter: {},
          noncurrentVersionExpiration: { noncurrentDays: 1, newerNoncurrentVersions: 20 },
        },
      ]);
      const encryption = { applyServerSideEncryptionByDefault: { sseAlgorithm: "AES256" } };
      expect(
        all("s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration").filter(isOfArticles),
      ).toMatchObject([{ inputs: { rules: [encryption] } }]);
      expect(all("s3/bucketPublicAccessBlock:BucketPublicAccessBlock").filter(isOfArticles)).toMatchObject([
        { inputs: { blockPublicAcls: true, restrictPublicBuckets: true } },
      ]);
    },
  );

  test("keeps cached texts private, and for a week", () => {
    const [bucket] = all("s3/bucket:Bucket").filter(({ name }) => name === "TextsBucket");
    const isOfTexts = ({ inputs }: Resource) => inputs.bucket === bucket?.inputs.bucket;
    expect(all("s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration").filter(isOfTexts)).toMatchObject([
      { inputs: { rules: [{ expiration: { days: 7 }, status: "Enabled" }] } },
    ]);
    expect(all("s3/bucketPublicAccessBlock:BucketPublicAccessBlock").filter(isOfTexts)).toMatchObject([
      {
        inputs: { blockPublicAcls: true, blockPublicPolicy: true, ignorePublicAcls: true, restrictPublicBuckets: true },
      },
    ]);
    expect(all("s3/bucketCorsConfiguration:BucketCorsConfiguration")).toEqual([]);
  });

  test("keeps search indexes private, without versions, and for 35 days after they were stored", () => {
    const [bucket] = all("s3/bucket:Bucket").filter(({ name }) => name === "IndexesBucket");
    const isOfIndexes = ({ inputs }: Resource) => inputs.bucket === bucket?.inputs.bucket;
    expect(all("s3/bucketVersioning:BucketVersioning").filter(isOfIndexes)).toEqual([]);
    expect(all("s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration").filter(isOfIndexes)).toMatchObject([
      { inputs: { rules: [{ expiration: { days: 35 }, status: "Enabled" }] } },
    ]);
    expect(all("s3/bucketPublicAccessBlock:BucketPublicAccessBlock").filter(isOfIndexes)).toMatchObject([
      { inputs: { blockPublicAcls: true, restrictPublicBuckets: true } },
    ]);
  });

  test("lets pages of every origin call both APIs, as docs/api.md 1.4 says", () => {
    const { origins, methods, requestHeaders, exposedHeaders, maxAgeSeconds } = cors;
    for (const { inputs } of all("apigatewayv2/api:Api")) {
      expect(inputs.corsConfiguration).toEqual({
        allowOrigins: origins,
        allowMethods: methods,
        allowHeaders: requestHeaders,
        exposeHeaders: exposedHeaders,
        maxAge: maxAgeSeconds,
      });
    }
  });

  test("lets through the calls of the throttle, and logs each without its path and query string", () => {
    const { throttle } = settingsOf(stage);
    const logRetention = stage === "production" ? 90 : 7;
    const logs = all("cloudwatch/logGroup:LogGroup").map(({ inputs }) => inputs);
    for (const [index, api] of ["MainApi", "TextApi"].entries()) {
      const name = `/aws/apigateway/reading-list-${stage}-${api}`;
      expect(logs).toContainEqual({ name, retentionInDays: logRetention });
      const { accessLogSettings, defaultRouteSettings } = all("apigatewayv2/stage:Stage")[index]?.inputs ?? {};
      expect(defaultRouteSettings).toEqual({
        throttlingRateLimit: throttle.rate,
        throttlingBurstLimit: throttle.burst,
      });
      const { destinationArn, format } = accessLogSettings as { destinationArn: string; format: string };
      expect(destinationArn).toContain(`:log-group:${name}`);
      // The fields that docs/aws/alarms.md names, and no other variable of API Gateway.
      expect(JSON.parse(format)).toEqual({
        requestId: "$context.requestId",
        source: "$context.identity.sourceIp",
        route: "$context.routeKey",
        status: "$context.status",
        failure: "$context.integrationErrorMessage",
      });
    }
  });
});

describe("the web reader", () => {
  const resources = () => evaluations.production.resources;
  const uploads = () => {
    const files = resources().find(({ name }) => name.startsWith("WebAssetFiles."))?.inputs.files;
    return (files ?? []) as { key: string; cacheControl: string }[];
  };

  test("is the files of its build, and deployed only with WEB_API_KEY", async () => {
    const isOfReader = ({ name }: { name: string }) => name.startsWith("Web");
    expect(evaluations["dev-ann"].resources.filter(isOfReader)).toEqual([]);
    const built = (await buildReader()).map(({ name }) => name || "index.html");
    expect(
      uploads()
        .map(({ key }) => key)
        .sort(),
    ).toEqual([...built, "config.json"].sort());
    expect(evaluations.production.outputs).toMatchObject({
      webUrl: "https://read.example.com",
      webDnsTarget: "WebCdnDistribution.cloudfront.net",
    });
  });

  test("has the addresses of the stage", () => {
    const builder = resources().find(({ name }) => name === "WebBuilder")?.inputs.environment as {
      READER_CONFIG: string;
    };
    expect(JSON.parse(builder.READER_CONFIG)).toEqual({
      baseUrl: "https://api.example.com",
      hasPasskeys: true,
      textUrl: "https://text.example.com",
      apiKey: "public-key-of-the-reader",
      isSignupOpen: false,
      helpText: "",
      canShare: false,
    });
  });

  test("and no other site may send passwords, even without its own domain", async () => {
    const ownOrigins = (evaluation: Evaluation) =>
      resourcesOf(evaluation, "lambda/function:Function")
        .map(({ inputs }) => (inputs.environment as { variables?: Record<string, string> }).variables ?? {})
        // A function with only the secret signs addresses, and does not accept passwords.
        .flatMap(({ PROOF_SECRET, OWN_ORIGINS, PICTURE_BUCKET, ARTICLE_BUCKET }) =>
          PROOF_SECRET === undefined || (PICTURE_BUCKET && !ARTICLE_BUCKET) ? [] : [OWN_ORIGINS],
        );
    const withoutDomain = await evaluateStacks("dev-ann", { WEB_API_KEY: "public-key-of-the-reader" });
    expect(new Set(ownOrigins(withoutDomain))).toEqual(new Set(["https://webcdndistribution.cloudfront.net"]));
    expect(new Set(ownOrigins(evaluations.production))).toEqual(new Set(["https://read.example.com"]));
  });

  test("is requested again at each visit, except for files whose name changes with their content", () => {
    expect(uploads().some(({ key }) => key.endsWith(".js") && key !== workerFile)).toBe(true);
    for (const { key, cacheControl } of uploads()) {
      const hasHash = /-[\w-]{8}\.(css|js|json|woff2)$/.test(key);
      expect([key, cacheControl]).toEqual([key, hasHash ? "public, max-age=31536000, immutable" : "no-cache"]);
    }
  });

  test("may load only itself and call only the two hosts, and is never shown in a frame", () => {
    const [distribution] = resourcesOf(evaluations.production, "cloudfront/distribution:Distribution");
    const policyOf = (policy: string) => ({
      contentSecurityPolicy: { contentSecurityPolicy: policy, override: true },
      contentTypeOptions: { override: true },
      referrerPolicy: { referrerPolicy: "same-origin", override: true },
      strictTransportSecurity: { accessControlMaxAgeSec: 31_536_000, override: true },
    });
    const policies = resourcesOf(evaluations.production, "cloudfront/responseHeadersPolicy:ResponseHeadersPolicy");
    expect(policies.map(({ name, inputs }) => [name, inputs])).toEqual([
      [
        "WebHeaders",
        {
          name: "reading-list-production-web",
          securityHeadersConfig: policyOf(readerSecurityPolicy("https://api.example.com", "https://text.example.com")),
        },
      ],
      [
        "WebWorkerHeaders",
        {
          name: "reading-list-production-web-worker",
          securityHeadersConfig: policyOf(workerSecurityPolicy("https://api.example.com", "https://text.example.com")),
        },
      ],
    ]);
    expect(distribution?.inputs).toMatchObject({
      defaultCacheBehavior: { allowedMethods: ["GET", "HEAD"], responseHeadersPolicyId: "WebHeaders-id" },
      orderedCacheBehaviors: [
        {
          pathPattern: `/${workerFile}`,
          allowedMethods: ["GET", "HEAD"],
          responseHeadersPolicyId: "WebWorkerHeaders-id",
        },
      ],
    });
    const buckets = resourcesOf(evaluations.production, "s3/bucketCorsConfiguration:BucketCorsConfiguration");
    expect(buckets).toEqual([]);
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
