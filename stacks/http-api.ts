// SPDX-License-Identifier: MIT

import { type ApiContract, apis, listApiPaths, passkeySignIn, signOn } from "@reading-list/core/contract/apis.ts";
import { listMethods, toPath } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { cors } from "@reading-list/core/contract/headers.ts";
import { picture, shared } from "@reading-list/core/contract/text-host.ts";
import { probePaths } from "@reading-list/http/probe-page.ts";
import { createDistribution, type Edge } from "./edge.ts";
import {
  createApiFunction,
  createEndpointFunction,
  createHealthFunction,
  createPasskeyFunction,
  createPictureFunction,
  createSharedFunction,
  createSignOnFunction,
  createUnroutedFunction,
  type DeployedFunction,
  type Storage,
} from "./functions.ts";
import { createDomainArgs, type Host, type StageSettings } from "./settings.ts";

/**
 * A line of the access log. It contains only what no metric and no line of a function contains: who gets 429, and why a
 * function did not answer. Each byte costs money for each call. It names the route and neither path nor query string: a
 * password travels in the query string, and in the path if a client encodes the question mark.
 */
const accessLogLine = JSON.stringify({
  requestId: "$context.requestId",
  source: "$context.identity.sourceIp",
  route: "$context.routeKey",
  status: "$context.status",
  failure: "$context.integrationErrorMessage",
});

/** An API and the functions behind it, by the name of their handler. */
export interface HttpApi {
  api: sst.aws.ApiGatewayV2;
  functions: Record<string, DeployedFunction>;
  /** Where clients reach it. */
  url: $util.Output<string>;
  /** The CloudFront in front of it, with `EDGE=on`. */
  distribution: sst.aws.Cdn | undefined;
  /** The log of its calls. */
  accessLog: string;
  /** The target of the DNS record that the operator creates for a domain outside Route 53. */
  dnsTarget: $util.Output<string> | undefined;
}

/**
 * The HTTP API of one host: a route for each method of each of its endpoints, the routes of each API of another
 * service, and one route for everything else.
 */
export function createHttpApi(host: Host, storage: Storage, edge: Edge | undefined, settings: StageSettings): HttpApi {
  const name = host === "main" ? "MainApi" : "TextApi";
  const domain = settings.domains[host];
  const accessLog = `/aws/apigateway/${$app.name}-${$app.stage}-${name}`;
  const api = new sst.aws.ApiGatewayV2(name, {
    ...(domain && !edge && { domain: createDomainArgs(domain) }),
    cors: {
      allowOrigins: [...cors.origins],
      allowMethods: [...cors.methods],
      allowHeaders: [...cors.requestHeaders],
      exposeHeaders: [...cors.exposedHeaders],
      maxAge: `${cors.maxAgeSeconds} seconds`,
    },
    transform: {
      stage: (stage) => {
        stage.accessLogSettings = $output(stage.accessLogSettings).apply((log) =>
          Object.assign({}, log, { format: accessLogLine }),
        );
        stage.defaultRouteSettings = {
          throttlingRateLimit: settings.throttle.rate,
          throttlingBurstLimit: settings.throttle.burst,
        };
      },
      logGroup: { name: accessLog, retentionInDays: settings.logRetention },
    },
  });
  const addRoutes = ({ arn }: DeployedFunction, name: string, methods: readonly string[], path: string) => {
    for (const method of methods) api.route(`${method} ${path}`, arn, { name: `${method}-${name}` });
  };
  const unroutedName = `${name}Unrouted`;
  const unrouted = createUnroutedFunction(unroutedName, host, storage, settings);
  api.route("$default", unrouted.arn, { name: "unrouted" });
  const healthName = `${name}Health`;
  const health = createHealthFunction(healthName, storage, settings);
  addRoutes(health, "health", ["GET", "HEAD"], "/health");
  if (host === "text" && settings.hasProbe) {
    for (const [part, path] of Object.entries(probePaths)) addRoutes(health, `probe-${part}`, ["GET"], path);
  }
  const functions: HttpApi["functions"] = { [unroutedName]: unrouted, [healthName]: health };
  for (const endpoint of endpoints.filter((each) => each.host === host)) {
    const endpointFunction = createEndpointFunction(endpoint, storage, settings);
    functions[endpoint.name] = endpointFunction;
    addRoutes(endpointFunction, endpoint.name, listMethods(endpoint), toPath(endpoint));
  }
  for (const [route, create] of [
    [picture, createPictureFunction],
    [shared, createSharedFunction],
  ] as const) {
    if (route.host !== host) continue;
    const keyless = create(storage, settings);
    functions[route.name] = keyless;
    addRoutes(keyless, route.name, route.methods, route.path);
  }
  const addApi = (service: ApiContract, apiFunction: DeployedFunction) => {
    functions[service.name] = apiFunction;
    for (const [name, path] of Object.entries(listApiPaths(service)))
      api.route(`ANY ${path}`, apiFunction.arn, { name });
  };
  for (const service of apis.filter((each) => each.host === host)) {
    addApi(service, createApiFunction(service, storage, settings));
  }
  if (settings.signOn && signOn.host === host) {
    addApi(signOn, createSignOnFunction(settings.signOn, storage, settings));
  }
  if (settings.hasPasskeys && passkeySignIn.host === host) {
    addApi(passkeySignIn, createPasskeyFunction(storage, settings));
  }
  const distribution = edge && createDistribution(`${name}Edge`, api.nodes.api.apiEndpoint, edge, domain);
  const dnsTarget = distribution
    ? distribution.domainUrl.apply(() => distribution.nodes.distribution.domainName)
    : domain && api.nodes.domainName.domainNameConfiguration.targetDomainName;
  return {
    api,
    functions,
    distribution,
    url: distribution ? (domain ? distribution.domainUrl.apply((url) => url ?? "") : distribution.url) : api.url,
    accessLog,
    dnsTarget: domain?.certificate ? dnsTarget : undefined,
  };
}
