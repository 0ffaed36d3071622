// SPDX-License-Identifier: MIT

import { edgeAddressHeader, edgeHostHeader, edgeSecretHeader } from "@reading-list/core/contract/headers.ts";
import { beforeAll, expect, test } from "vitest";
import { secretOf } from "./account.ts";
import { type Evaluation, evaluateStacks, resourcesOf } from "./evaluate.ts";

let evaluation: Evaluation;

beforeAll(async () => {
  evaluation = await evaluateStacks("production", {
    ALARM_EMAIL: "ops@example.com",
    BASE_DOMAIN: "api.example.com",
    TEXT_DOMAIN: "text.example.com",
    EDGE: "on",
    EDGE_RATE: "1500",
    EDGE_BLOCKED: "203.0.113.7, 2001:db8::/32",
  });
});

// Pulumi replaces a distribution with a new name by one with another address.
test("the distributions keep their names, and so their addresses", () => {
  const names = resourcesOf(evaluation, "cloudfront/distribution:Distribution").map(({ name }) => name);
  expect(names).toEqual(["MainApiEdgeDistribution", "TextApiEdgeDistribution"]);
});

const of = (type: string) => resourcesOf(evaluation, type).map(({ inputs }) => inputs);
const distributions = () => of("cloudfront/distribution:Distribution");
const arnOf = (name: string) => `arn:aws:other:eu-west-1:123456789012:${name}`;
const sorted = (values: unknown[]) => values.map(String).sort();

test("CloudFront is at the domains of the hosts, which the APIs do not have", () => {
  expect(sorted(distributions().flatMap(({ aliases }) => aliases))).toEqual(["api.example.com", "text.example.com"]);
  expect(of("apigatewayv2/domainName:DomainName")).toEqual([]);
  expect(evaluation.outputs).toMatchObject({
    baseUrl: "https://api.example.com",
    textUrl: "https://text.example.com",
  });
});

test("CloudFront takes HTTPS only, caches nothing, and forwards every method, header and query string to its API", () => {
  const hosts = distributions().flatMap(({ origins }) =>
    (origins as { domainName: string }[]).map((each) => each.domainName),
  );
  expect(sorted(hosts)).toEqual(["main", "text"].map((host) => `${host}apiapi.execute-api.eu-west-1.amazonaws.com`));
  for (const distribution of distributions()) {
    expect(distribution).toMatchObject({
      webAclId: arnOf("EdgeRules"),
      origins: [
        {
          originId: "api",
          customOriginConfig: {
            httpPort: 80,
            httpsPort: 443,
            originProtocolPolicy: "https-only",
            originReadTimeout: 30,
            originSslProtocols: ["TLSv1.2"],
          },
        },
      ],
      defaultCacheBehavior: {
        targetOriginId: "api",
        viewerProtocolPolicy: "https-only",
        // AWS's policies "CachingDisabled" and "AllViewerExceptHostHeader".
        cachePolicyId: "4135ea2d-6df8-44a3-9df3-4b5a84be39ad",
        originRequestPolicyId: "b689b0a8-53d0-40ab-baf2-68738e2966ac",
      },
    });
    const { allowedMethods, cachedMethods } = distribution.defaultCacheBehavior as Record<string, string[]>;
    // CloudFront knows three sets of methods; this is the only one with POST.
    expect(sorted(allowedMethods ?? [])).toEqual(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]);
    expect(cachedMethods).toEqual(["GET", "HEAD"]);
  }
});

test("CloudFront sends the secret that every function requires", () => {
  const secret = secretOf("EdgeSecret");
  for (const { origins } of distributions()) {
    expect(origins).toMatchObject([{ customHeaders: [{ name: edgeSecretHeader, value: secret }] }]);
  }
  for (const { name, environment } of of("lambda/function:Function")) {
    // No caller reaches them.
    if (/-(deletions|extraction|imaging|indexing|keeping|canary|probe)$/.test(String(name))) continue;
    expect(environment).toMatchObject({ variables: { EDGE_SECRET: secret } });
  }
});

test("a greater EDGE_SECRET_NUMBER replaces the secret: functions require the new one, CloudFront sends the previous one, too", async () => {
  const replaced = await evaluateStacks("production", {
    ALARM_EMAIL: "ops@example.com",
    EDGE: "on",
    EDGE_SECRET_NUMBER: "3",
  });
  const inputsOf = (type: string) => resourcesOf(replaced, type).map(({ inputs }) => inputs);
  for (const { origins } of inputsOf("cloudfront/distribution:Distribution")) {
    const value = `${secretOf("EdgeSecret3")},${secretOf("EdgeSecret2")}`;
    expect(origins).toMatchObject([{ customHeaders: [{ name: edgeSecretHeader, value }] }]);
  }
  const variables = inputsOf("lambda/function:Function").map(({ environment }) => environment);
  expect(variables).toContainEqual({ variables: expect.objectContaining({ EDGE_SECRET: secretOf("EdgeSecret3") }) });
  expect(JSON.stringify(variables)).not.toContain(secretOf("EdgeSecret2"));
});

test("each deployment waits until CloudFront has its changes everywhere", () => {
  const waiters = evaluation.resources.filter(({ name }) => name.includes("EdgeWaiter"));
  expect(waiters).toMatchObject([
    { ignoreChanges: [], inputs: { wait: true } },
    { ignoreChanges: [], inputs: { wait: true } },
  ]);
});

test("secrets have 256 bits of randomness, in characters that a header may have", () => {
  const passwords = evaluation.resources.filter(({ type }) => type === "random:index/randomPassword:RandomPassword");
  expect(sorted(passwords.map(({ name }) => name))).toEqual(["EdgeSecret", "ProbeSecret", "ProofSecret"]);
  for (const { inputs } of passwords) expect(inputs).toEqual({ length: 43, special: false });
});

test("CloudFront passes the address and host of a call to the functions, instead of the values that the caller claims", () => {
  const [{ code, runtime } = {}] = of("cloudfront/function:Function");
  expect(runtime).toBe("cloudfront-js-2.0");
  const run = new Function(`${code}; return handler;`)();
  const host = { value: "list.example.com" };
  const claimed = { [edgeAddressHeader]: { value: "198.51.100.7" }, [edgeHostHeader]: { value: "evil.example" } };
  expect(run({ request: { headers: { host, ...claimed } }, viewer: { ip: "203.0.113.1" } })).toEqual({
    headers: { host, [edgeAddressHeader]: { value: "203.0.113.1" }, [edgeHostHeader]: host },
  });
  for (const { defaultCacheBehavior } of distributions()) {
    expect(defaultCacheBehavior).toMatchObject({
      functionAssociations: [{ eventType: "viewer-request", functionArn: arnOf("EdgeAddress") }],
    });
  }
});

test("WAF blocks the addresses of EDGE_BLOCKED, and those with more than EDGE_RATE calls in five minutes", () => {
  const named = "reading-list-production-blocked";
  expect(of("wafv2/ipSet:IpSet")).toEqual([
    { name: `${named}-ipv4`, scope: "CLOUDFRONT", ipAddressVersion: "IPV4", addresses: ["203.0.113.7/32"] },
    { name: `${named}-ipv6`, scope: "CLOUDFRONT", ipAddressVersion: "IPV6", addresses: ["2001:db8::/32"] },
  ]);
  const rule = (name: string, statement: object, priority: number) => ({
    name,
    priority,
    action: { block: {} },
    statement,
    visibilityConfig: { cloudwatchMetricsEnabled: true, metricName: name },
  });
  expect(of("wafv2/webAcl:WebAcl")).toMatchObject([
    {
      name: "reading-list-production",
      scope: "CLOUDFRONT",
      defaultAction: { allow: {} },
      visibilityConfig: { cloudwatchMetricsEnabled: true, metricName: "edge" },
      rules: [
        rule("blocked-ipv4", { ipSetReferenceStatement: { arn: arnOf("BlockedIpv4") } }, 0),
        rule("blocked-ipv6", { ipSetReferenceStatement: { arn: arnOf("BlockedIpv6") } }, 1),
        rule("rate", { rateBasedStatement: { limit: 1500, aggregateKeyType: "IP", evaluationWindowSec: 300 } }, 2),
      ],
    },
  ]);
});

test("WAF's rules are in us-east-1, from which CloudFront takes them, with the tags of the stage", () => {
  const providers = evaluation.resources.filter(({ type, name }) => type === "pulumi:providers:aws" && name === "Edge");
  expect(providers).toMatchObject([
    { inputs: { region: "us-east-1", defaultTags: '{"tags":{"service":"reading-list","stage":"production"}}' } },
  ]);
});

test("WAF keeps no samples of requests, which contain passwords", () => {
  expect(JSON.stringify(of("wafv2/webAcl:WebAcl"))).not.toContain('"sampledRequestsEnabled":true');
});

test("a deployment keeps the addresses that an operator has blocked, unless EDGE_BLOCKED lists them", async () => {
  const without = await evaluateStacks("production", { ALARM_EMAIL: "ops@example.com", EDGE: "on" });
  const ignored = (each: Evaluation) =>
    resourcesOf(each, "wafv2/ipSet:IpSet").map(({ ignoreChanges }) => ignoreChanges);
  expect(ignored(without)).toEqual([["addresses"], ["addresses"]]);
  expect(ignored(evaluation)).toEqual([[], []]);
});
