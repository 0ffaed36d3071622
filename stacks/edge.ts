// SPDX-License-Identifier: MIT

import { edgeAddressHeader, edgeHostHeader, edgeSecretHeader } from "@reading-list/core/contract/headers.ts";
import { createDomainArgs, createTags, type Domain, type EdgeSettings } from "./settings.ts";

/** AWS's own policies: cache nothing, and forward everything but `Host`, which API Gateway needs for itself. */
const cachingDisabled = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad";
const allViewerExceptHostHeader = "b689b0a8-53d0-40ab-baf2-68738e2966ac";

/** The front of both APIs if `EDGE=on`. */
export interface Edge {
  /** WAF's rules. */
  acl: aws.wafv2.WebAcl;
  /** Tells the functions the address of the caller, and the host that it has called. */
  tellAddress: aws.cloudfront.Function;
  /** The functions answer only calls with it. */
  secret: $util.Output<string>;
  /** CloudFront sends both the secret and the previous one, for functions of the previous version. */
  sentSecrets: $util.Output<string>;
}

/** WAF's rules: a list of blocked addresses, and a rate for each address. */
export function createEdge({ rate, blocked, secretNumber }: EdgeSettings): Edge {
  // CloudFront takes rules of this region only.
  const provider = new aws.Provider("Edge", { region: "us-east-1", defaultTags: { tags: createTags($app.stage) } });
  const name = `${$app.name}-${$app.stage}`;
  const countedAs = (metricName: string) => ({
    metricName,
    cloudwatchMetricsEnabled: true,
    // Samples contain query strings.
    sampledRequestsEnabled: false,
  });
  const rule = (priority: number, ruleName: string, statement: aws.types.input.wafv2.WebAclRuleStatement) => ({
    name: ruleName,
    priority,
    action: { block: {} },
    statement,
    visibilityConfig: countedAs(ruleName),
  });
  const setOf = (version: 4 | 6) =>
    new aws.wafv2.IpSet(
      `BlockedIpv${version}`,
      {
        name: `${name}-blocked-ipv${version}`,
        scope: "CLOUDFRONT",
        ipAddressVersion: `IPV${version}`,
        addresses: blocked.filter((range) => range.includes(":") === (version === 6)),
      },
      // An operator blocks an address at once with the AWS command line; a deployment must not undo that.
      { provider, ignoreChanges: blocked.length === 0 ? ["addresses"] : [] },
    );
  const acl = new aws.wafv2.WebAcl(
    "EdgeRules",
    {
      name,
      scope: "CLOUDFRONT",
      defaultAction: { allow: {} },
      visibilityConfig: countedAs("edge"),
      rules: [
        rule(0, "blocked-ipv4", { ipSetReferenceStatement: { arn: setOf(4).arn } }),
        rule(1, "blocked-ipv6", { ipSetReferenceStatement: { arn: setOf(6).arn } }),
        rule(2, "rate", { rateBasedStatement: { limit: rate, aggregateKeyType: "IP", evaluationWindowSec: 300 } }),
      ],
    },
    { provider },
  );
  const tellAddress = new aws.cloudfront.Function("EdgeAddress", {
    name: `${name}-address`,
    runtime: "cloudfront-js-2.0",
    // Replaces headers of these names which the caller has sent. CloudFront refuses hosts that are not its own.
    code: `function handler(event) {
  event.request.headers["${edgeAddressHeader}"] = { value: event.viewer.ip };
  event.request.headers["${edgeHostHeader}"] = event.request.headers.host;
  return event.request;
}`,
  });
  const secretOf = (number: number) =>
    new random.RandomPassword(`EdgeSecret${number === 1 ? "" : number}`, { length: 43, special: false }).result;
  const secret = secretOf(secretNumber);
  const sentSecrets = secretNumber === 1 ? secret : $interpolate`${secret},${secretOf(secretNumber - 1)}`;
  return { acl, tellAddress, secret, sentSecrets };
}

/** CloudFront in front of an API: it forwards every call, caches nothing, and sends the secret and the caller's address. */
export function createDistribution(
  name: string,
  apiUrl: $util.Output<string>,
  { acl, tellAddress, sentSecrets }: Edge,
  domain: Domain | undefined,
): sst.aws.Cdn {
  return new sst.aws.Cdn(name, {
    ...(domain && { domain: createDomainArgs(domain) }),
    webAclArn: acl.arn,
    // By default SST waits for the first deployment only. The canary begins when CloudFront sends a new secret everywhere.
    wait: true,
    origins: [
      {
        originId: "api",
        domainName: apiUrl.apply((url) => new URL(url).hostname),
        customHeaders: [{ name: edgeSecretHeader, value: sentSecrets }],
        customOriginConfig: {
          httpPort: 80,
          httpsPort: 443,
          originProtocolPolicy: "https-only",
          originSslProtocols: ["TLSv1.2"],
          // As long as API Gateway waits.
          originReadTimeout: 30,
        },
      },
    ],
    defaultCacheBehavior: {
      targetOriginId: "api",
      viewerProtocolPolicy: "https-only",
      allowedMethods: ["GET", "HEAD", "OPTIONS", "PUT", "POST", "PATCH", "DELETE"],
      cachedMethods: ["GET", "HEAD"],
      cachePolicyId: cachingDisabled,
      originRequestPolicyId: allViewerExceptHostHeader,
      functionAssociations: [{ eventType: "viewer-request", functionArn: tellAddress.arn }],
    },
  });
}
