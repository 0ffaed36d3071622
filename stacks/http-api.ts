import { methods, pathOf } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { cors } from "@reading-list/core/contract/headers.ts";
import { createEndpointFunction, createUnroutedFunction, type Storage } from "./functions.ts";
import { domainArgs, type Host, type StageSettings } from "./settings.ts";

/**
 * A line of the access log. It names the route and neither path nor query string: a password travels in the query
 * string, and in the path if a client encodes the question mark.
 */
const accessLogLine = JSON.stringify({
  time: "$context.requestTime",
  requestId: "$context.requestId",
  source: "$context.identity.sourceIp",
  route: "$context.routeKey",
  protocol: "$context.protocol",
  status: "$context.status",
  responseBytes: "$context.responseLength",
  responseMilliseconds: "$context.responseLatency",
  functionMilliseconds: "$context.integrationLatency",
  functionStatus: "$context.integrationStatus",
  failure: "$context.integrationErrorMessage",
});

/** An API and the functions behind it, by the name of their handler. */
export interface HttpApi {
  api: sst.aws.ApiGatewayV2;
  functions: Record<string, sst.aws.Function>;
  /** The target of the DNS record that the operator creates for a domain outside Route 53. */
  dnsTarget: $util.Output<string> | undefined;
}

/** The HTTP API of one host: a route for each method of each of its endpoints, and one for everything else. */
export function createHttpApi(host: Host, storage: Storage, settings: StageSettings): HttpApi {
  const name = host === "main" ? "MainApi" : "TextApi";
  const domain = settings.domains[host];
  const api = new sst.aws.ApiGatewayV2(name, {
    ...(domain && { domain: domainArgs(domain) }),
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
      logGroup: { retentionInDays: settings.logRetention },
    },
  });
  const unroutedName = `${name}Unrouted`;
  const unrouted = createUnroutedFunction(unroutedName, host, settings);
  api.route("$default", unrouted.arn, { name: "unrouted" });
  const functions: HttpApi["functions"] = { [unroutedName]: unrouted };
  for (const endpoint of endpoints.filter((each) => each.host === host)) {
    const endpointFunction = createEndpointFunction(endpoint, storage, settings);
    functions[endpoint.name] = endpointFunction;
    for (const method of methods)
      api.route(`${method} ${pathOf(endpoint)}`, endpointFunction.arn, { name: `${method}-${endpoint.name}` });
  }
  const dnsTarget = domain?.certificate ? api.nodes.domainName.domainNameConfiguration.targetDomainName : undefined;
  return { api, functions, dnsTarget };
}
