import { existsSync, readFileSync } from "node:fs";
import { methods, pathOf } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { cors } from "@reading-list/core/contract/headers.ts";
import { tableDefinition } from "@reading-list/store/table-definition.ts";
import { buildReader } from "@reading-list/web/build.ts";
import { readerSecurityPolicy } from "@reading-list/web/web-application.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { type Evaluation, evaluateStacks, type PackagedFile, type Resource } from "./evaluate.ts";

const apis = { main: "MainApiApi", text: "TextApiApi" };
const variables = {
  staging: {},
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
type Stage = keyof typeof variables;
const evaluations = {} as Record<Stage, Evaluation>;

beforeAll(async () => {
  for (const stage of ["staging", "production"] as const)
    evaluations[stage] = await evaluateStacks(stage, variables[stage]);
});

/** The handler files of functions: one for each endpoint, and one for each API's unknown paths. */
const functionNames = [...endpoints.map(({ name }) => name), "unrouted", "unrouted"].sort();

/** The files of the API reference page, which no function serves. */
const referenceRoutes = Object.entries({
  "/": "index.html",
  "/openapi.json": "openapi.json",
  "/reference/initialize.js": "reference/initialize.js",
  "/reference/swagger-ui-bundle.js": "reference/swagger-ui-bundle.js",
  "/reference/swagger-ui.css": "reference/swagger-ui.css",
}).map(([path, key]) => [`GET ${path}`, `https://ReferenceDistribution.cloudfront.net/${key}`]);

describe.each(["staging", "production"] as const)("stage %s", (stage) => {
  const all = (type: string) => evaluations[stage].resources.filter((resource) => resource.type === type);
  const named = (type: string, name: string): Resource => {
    const resource = all(type).find((each) => each.name === name);
    if (!resource) throw new Error(`${stage} has no ${type} named ${name}`);
    return resource;
  };
  const functions = () => all("aws:lambda/function:Function");
  const table = () => named("aws:dynamodb/table:Table", "ReadingListTable").inputs;

  const bucketName = () => String(named("aws:s3/bucket:Bucket", "TextsBucket").inputs.bucket);

  /** The handler file of a function, by the name that its resources begin with. */
  const handlerOf = (component: string) => {
    const build = evaluations[stage].builds.find(({ functionID }) => functionID === component);
    return /^packages\/functions\/handlers\/(\w+)\.handler$/.exec(build?.handler ?? "")?.[1];
  };

  /** The permissions of a function's role. */
  const statementsOf = (component: string) => {
    const { inlinePolicies } = named("aws:iam/role:Role", `${component}Role`).inputs;
    return (inlinePolicies as { policy: string }[]).flatMap(
      ({ policy }): { effect: string; actions: string[]; resources: string[] }[] => JSON.parse(policy),
    );
  };

  describe("routes", () => {
    /** The handler file that each route of an API calls. */
    const routesOf = (api: string) => {
      const integrations = new Map(
        all("aws:apigatewayv2/integration:Integration").map(({ name, inputs }) => [`integrations/${name}-id`, inputs]),
      );
      const routes = all("aws:apigatewayv2/route:Route").filter(({ inputs }) => inputs.apiId === `${api}-id`);
      return routes.map(({ inputs: { routeKey, target } }) => {
        const { integrationUri, integrationType } = integrations.get(String(target)) ?? {};
        if (integrationType === "HTTP_PROXY") return [String(routeKey), String(integrationUri)];
        const component = /:function:(\w+)Function$/.exec(String(integrationUri))?.[1];
        return [String(routeKey), handlerOf(component ?? "")];
      });
    };

    test.each(["main", "text"] as const)(
      "of the %s host are the methods of its endpoints, and a default route",
      (host) => {
        const expected = endpoints
          .filter((endpoint) => endpoint.host === host)
          .flatMap((endpoint) => methods.map((method) => [`${method} ${pathOf(endpoint)}`, endpoint.name]));
        const files = host === "main" ? referenceRoutes : [];
        expect(routesOf(apis[host]).sort()).toEqual([...expected, ...files, ["$default", "unrouted"]].sort());
      },
    );

    test("send events of format 2.0 to functions, and require no authorization by the platform", () => {
      const ofFunctions = all("aws:apigatewayv2/integration:Integration").filter(
        ({ inputs }) => inputs.integrationType !== "HTTP_PROXY",
      );
      for (const { inputs } of ofFunctions) {
        expect(inputs).toMatchObject({ integrationType: "AWS_PROXY", payloadFormatVersion: "2.0" });
      }
      for (const { inputs } of all("aws:apigatewayv2/route:Route")) expect(inputs.authorizationType).toBe("NONE");
    });

    test("are the only ones that may call a function", () => {
      const permissions = all("aws:lambda/permission:Permission");
      expect(permissions).toHaveLength(all("aws:apigatewayv2/route:Route").length - referenceRoutes.length);
      for (const { name, inputs } of permissions) {
        expect(inputs.principal).toBe("apigateway.amazonaws.com");
        expect(inputs.sourceArn).toMatch(new RegExp(`:${name.startsWith("MainApi") ? apis.main : apis.text}/\\*$`));
      }
    });
  });

  describe("functions", () => {
    test("are one for each endpoint, from a handler file that exists", () => {
      const files = evaluations[stage].builds.map(({ functionID }) => handlerOf(functionID));
      expect(files.sort()).toEqual(functionNames);
      expect(functions()).toHaveLength(functionNames.length);
      for (const file of files) expect(existsSync(`packages/functions/handlers/${file}.ts`)).toBe(true);
    });

    test("run on nodejs24.x and arm64, and answer before API Gateway gives up", () => {
      for (const { inputs } of functions()) {
        expect(inputs).toMatchObject({ runtime: "nodejs24.x", architectures: ["arm64"] });
        expect(inputs.timeout).toBeLessThan(30);
      }
    });

    test("contain argon2 from the workspace, not from npm, if a password is verified or set", () => {
      const { builds, packages } = evaluations[stage];
      const holdsArgon2 = (files: PackagedFile[] = []) => files.some(({ to }) => to.startsWith("node_modules/argon2/"));
      const expected = endpoints.filter(({ caller }) => caller !== "application").map(({ name }) => name);
      const found = builds.filter(({ functionID }) => holdsArgon2(packages[functionID]));
      expect(found.map(({ functionID }) => handlerOf(functionID)).sort()).toEqual([...expected].sort());
      for (const { properties } of builds) expect(properties.install).toBeUndefined();
      for (const { properties } of found) expect(properties.esbuild).toEqual({ external: ["argon2"] });
    });

    test("are minified", () => {
      for (const { functionID, properties } of evaluations[stage].builds) {
        expect(properties, functionID).toMatchObject({ minify: true });
      }
    });

    test("have resource names or their host, the default limits and SIGNUP in their environment, and no secret", () => {
      for (const { name, inputs } of functions()) {
        expect(inputs.environment, name).toEqual({
          variables: {
            ...(name.includes("Unrouted")
              ? { API_HOST: name.startsWith("Main") ? "main" : "text" }
              : { TABLE_NAME: table().name, METRIC_NAMESPACE: `reading-list/${stage}` }),
            ...(name === "TextFunction" && { TEXT_BUCKET: bucketName() }),
            USER_LIMIT: stage === "production" ? "100" : "320",
            KEY_LIMIT: "10000",
            LIMIT_WINDOW_SECONDS: "3600",
            SIGNUP: stage === "production" ? "closed" : "open",
          },
        });
      }
    });

    test("each write to their own log, which is kept for a bounded time", () => {
      const groups = functions().map(({ inputs }) => (inputs.loggingConfig as { logGroup: string }).logGroup);
      expect(new Set(groups).size).toBe(functions().length);
      for (const { name, inputs } of all("aws:cloudwatch/logGroup:LogGroup")) {
        expect(inputs.retentionInDays, name).toBe(stage === "production" ? 90 : 7);
      }
    });
  });

  describe("permissions", () => {
    test("name the full ARNs of the table, its indexes, the bucket of texts and the function's own log", () => {
      const tableArn = `arn:aws:dynamodb:eu-west-1:123456789012:table/${table().name}`;
      for (const { functionID } of evaluations[stage].builds) {
        const { loggingConfig } = named("aws:lambda/function:Function", `${functionID}Function`).inputs;
        const { logGroup } = loggingConfig as { logGroup: string };
        for (const { effect, actions, resources } of statementsOf(functionID)) {
          expect(effect).toBe("Allow");
          for (const action of actions) expect(action).toMatch(/^(dynamodb|logs|s3):[A-Za-z]+$/);
          expect(resources).toHaveLength(1);
          expect([
            tableArn,
            ...Object.values(tableDefinition.indexes).map(({ name }) => `${tableArn}/index/${name}`),
            ...(functionID === "Text" ? [`arn:aws:s3:::${bucketName()}`, `arn:aws:s3:::${bucketName()}/*`] : []),
            `arn:aws:logs:eu-west-1:123456789012:log-group:${logGroup}:*`,
          ]).toContain(resources[0]);
        }
      }
    });

    test("let the function for unknown paths only write its log", () => {
      for (const { functionID } of evaluations[stage].builds.filter(({ handler }) => handler.includes("unrouted"))) {
        const actions = statementsOf(functionID).flatMap((statement) => statement.actions);
        expect(actions).toEqual(["logs:CreateLogStream", "logs:PutLogEvents"]);
      }
    });

    test("come from no managed policy, and only Lambda may assume a role", () => {
      expect(all("aws:iam/role:Role")).toHaveLength(functions().length);
      for (const { inputs } of all("aws:iam/role:Role")) {
        expect(inputs.managedPolicyArns).toEqual([]);
        expect(inputs.assumeRolePolicy).toMatchObject({
          Statement: [{ Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: "lambda.amazonaws.com" } }],
        });
      }
    });
  });

  describe("table", () => {
    test("has the keys and indexes that the store reads, and on-demand billing", () => {
      const { partitionKey, sortKey, indexes } = tableDefinition;
      const local = Object.values(indexes);
      expect(table()).toMatchObject({
        billingMode: "PAY_PER_REQUEST",
        hashKey: partitionKey,
        rangeKey: sortKey,
        attributes: [partitionKey, sortKey, ...local.map((index) => index.sortKey)].map((name) => ({
          name,
          type: "S",
        })),
        localSecondaryIndexes: local.map(({ name, sortKey }) => ({ name, rangeKey: sortKey, projectionType: "ALL" })),
        globalSecondaryIndexes: [],
      });
    });

    test("deletes expired records, and has point-in-time recovery", () => {
      expect(table()).toMatchObject({
        ttl: { attributeName: tableDefinition.ttl, enabled: true },
        pointInTimeRecovery: { enabled: true },
      });
    });

    // A new name of the component would be a new, empty table.
    test("keeps its name, and in production Pulumi refuses to delete it", () => {
      expect(all("aws:dynamodb/table:Table").map(({ name }) => name)).toEqual(["ReadingListTable"]);
      expect(named("aws:dynamodb/table:Table", "ReadingListTable").protected).toBe(stage === "production");
    });

    test("is retained only in production", () => {
      const isProduction = stage === "production";
      expect(evaluations[stage].app).toMatchObject({
        protect: isProduction,
        removal: isProduction ? "retain" : "remove",
      });
      expect(table().deletionProtectionEnabled).toBe(isProduction);
      expect(named("aws:dynamodb/table:Table", "ReadingListTable").retained).toBe(isProduction);
    });
  });

  describe("bucket of texts", () => {
    test("is not public, and deletes objects after a week", () => {
      expect(all("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock")[0]?.inputs).toMatchObject({
        blockPublicAcls: true,
        blockPublicPolicy: true,
        restrictPublicBuckets: true,
      });
      const [rules] = all("aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration");
      expect(rules?.inputs.rules).toMatchObject([{ status: "Enabled", expiration: { days: 7 } }]);
    });
  });

  describe("API reference page", () => {
    test("is static files, in a bucket that CloudFront alone reads", () => {
      const objects = all("aws:s3/bucketObjectv2:BucketObjectv2").filter(({ name }) => name.startsWith("Reference-"));
      expect(objects.map(({ inputs }) => `https://ReferenceDistribution.cloudfront.net/${inputs.key}`).sort()).toEqual(
        referenceRoutes.map(([, url]) => url).sort(),
      );
      expect(
        named("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock", "ReferencePublicAccessBlock").inputs,
      ).toMatchObject({
        blockPublicAcls: true,
        restrictPublicBuckets: true,
      });
      const { origins, viewerCertificate } = named(
        "aws:cloudfront/distribution:Distribution",
        "ReferenceDistribution",
      ).inputs;
      expect(origins).toMatchObject([{ originAccessControlId: "ReferenceAccess-id" }]);
      expect(viewerCertificate).toEqual({ cloudfrontDefaultCertificate: true });
    });

    test("describes this stage, and may call its two hosts alone", () => {
      const { textUrl } = evaluations[stage].outputs;
      const { content } = named("aws:s3/bucketObjectv2:BucketObjectv2", "Reference-openapi-json").inputs;
      expect(JSON.parse(String(content)).paths["/v2/text"].servers).toMatchObject([{ url: textUrl }]);
      const { securityHeadersConfig } = named(
        "aws:cloudfront/responseHeadersPolicy:ResponseHeadersPolicy",
        "ReferenceHeaders",
      ).inputs;
      expect(securityHeadersConfig).toMatchObject({
        contentSecurityPolicy: {
          contentSecurityPolicy: expect.stringContaining(`connect-src 'self' ${new URL(String(textUrl)).origin};`),
        },
        contentTypeOptions: { override: true },
      });
    });
  });

  describe.runIf(stage === "production")("web reader", () => {
    interface AssetFile {
      key: string;
      source: string;
      cacheControl: string;
      contentType: string;
    }
    const filesOf = () => {
      const uploads = all("pulumi-nodejs:dynamic:Resource").find(({ name }) => name.startsWith("WebAssetFiles."));
      return (uploads?.inputs.files ?? []) as AssetFile[];
    };
    const distribution = () => named("aws:cloudfront/distribution:Distribution", "WebCdnDistribution").inputs;

    test("is all files of its build, in a bucket that CloudFront alone reads", async () => {
      const built = (await buildReader()).map(({ name }) => name || "index.html");
      expect(filesOf().map(({ key }) => key)).toEqual(expect.arrayContaining([...built, "config.json"]));
      expect(filesOf()).toHaveLength(built.length + 1);
      expect(
        named("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock", "WebAssetsPublicAccessBlock").inputs,
      ).toMatchObject({ blockPublicAcls: true, restrictPublicBuckets: true });
    });

    test("knows this stage: its hosts, its key, and that nobody can register", () => {
      const source = filesOf().find(({ key }) => key === "config.json")?.source ?? "";
      expect(JSON.parse(readFileSync(source, "utf8"))).toEqual({
        baseUrl: "https://api.example.com",
        textUrl: "https://text.example.com",
        apiKey: "public-key-of-the-reader",
        isSignupOpen: false,
      });
    });

    test("lets browsers keep only the files whose names change with their content", async () => {
      const hashed = (await buildReader()).filter(({ isHashed }) => isHashed).map(({ name }) => name);
      const kept = filesOf().filter(({ cacheControl }) => cacheControl === "public, max-age=31536000, immutable");
      expect(kept.map(({ key }) => key).sort()).toEqual(hashed.sort());
      const others = filesOf().filter((file) => !kept.includes(file));
      expect(new Set(others.map(({ cacheControl }) => cacheControl))).toEqual(new Set(["no-cache"]));
    });

    test("has the policy that `npm start` sends, for the two hosts of the stage", () => {
      const { defaultCacheBehavior } = distribution();
      expect(defaultCacheBehavior).toMatchObject({
        responseHeadersPolicyId: "WebHeaders-id",
        viewerProtocolPolicy: "redirect-to-https",
        allowedMethods: ["GET", "HEAD"],
      });
      const { securityHeadersConfig } = named(
        "aws:cloudfront/responseHeadersPolicy:ResponseHeadersPolicy",
        "WebHeaders",
      ).inputs;
      expect(securityHeadersConfig).toMatchObject({
        contentSecurityPolicy: {
          contentSecurityPolicy: readerSecurityPolicy("https://api.example.com", "https://text.example.com"),
          override: true,
        },
        contentTypeOptions: { override: true },
        strictTransportSecurity: { accessControlMaxAgeSec: 31_536_000 },
      });
    });

    test("has its own domain, with the certificate and without Route 53", () => {
      const { aliases, viewerCertificate } = distribution();
      expect(aliases).toEqual(["read.example.com"]);
      expect(viewerCertificate).toMatchObject({ acmCertificateArn: variables.production.WEB_CERTIFICATE });
      expect(all("aws:route53/record:Record").filter(({ name }) => name.startsWith("Web"))).toEqual([]);
      expect(evaluations[stage].outputs).toMatchObject({
        webUrl: "https://read.example.com",
        webDnsTarget: "WebCdnDistribution.cloudfront.net",
      });
    });
  });

  test.runIf(stage === "staging")("has no web reader without WEB_API_KEY", () => {
    expect(evaluations[stage].resources.filter(({ name }) => name.startsWith("Web"))).toEqual([]);
    expect(evaluations[stage].outputs.webUrl).toBeUndefined();
  });

  describe.each(["main", "text"] as const)("API of the %s host", (host) => {
    const stageOf = () => named("aws:apigatewayv2/stage:Stage", apis[host].replace(/Api$/, "Stage")).inputs;

    test("lets scripts of any origin call and read every header that the service sets", () => {
      expect(named("aws:apigatewayv2/api:Api", apis[host]).inputs.corsConfiguration).toEqual({
        allowOrigins: ["*"],
        allowMethods: ["GET", "POST"],
        allowHeaders: cors.requestHeaders,
        exposeHeaders: cors.exposedHeaders,
        maxAge: cors.maxAgeSeconds,
      });
    });

    test("logs each call as JSON without query string and path", () => {
      const { format } = stageOf().accessLogSettings as { format: string };
      const values = Object.values(JSON.parse(format));
      expect(values).toContain("$context.status");
      for (const value of values) {
        expect(value).toMatch(/^\$context\.[a-zA-Z.]+$/);
        expect(value).not.toMatch(/path|query|authorizer|header/i);
      }
    });

    test("has the throttle of the settings", () => {
      expect(stageOf().defaultRouteSettings).toEqual(
        stage === "production"
          ? { throttlingRateLimit: 300, throttlingBurstLimit: 600 }
          : { throttlingRateLimit: 50, throttlingBurstLimit: 100 },
      );
    });

    test("has its own domain if one is configured", () => {
      const { outputs } = evaluations[stage];
      const url = host === "main" ? outputs.baseUrl : outputs.textUrl;
      const domain = host === "main" ? "api.example.com" : "text.example.com";
      const domains = all("aws:apigatewayv2/domainName:DomainName").map(({ inputs }) => inputs.domainName);
      if (stage === "production") {
        expect(url).toBe(`https://${domain}`);
        expect(domains).toContain(domain);
      } else {
        expect(url).toBe(`https://${apis[host]}.execute-api.eu-west-1.amazonaws.com`);
        expect(domains).toEqual([]);
      }
    });
  });

  test("outputs both addresses and the table's name", () => {
    expect(evaluations[stage].outputs).toMatchObject({
      baseUrl: expect.stringMatching(/^https:/),
      textUrl: expect.stringMatching(/^https:/),
      tableName: table().name,
    });
  });
});
