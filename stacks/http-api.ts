import { methods, pathOf } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { cors } from "@reading-list/core/contract/headers.ts";
import { createEndpointFunction, createUnroutedFunction, type Storage } from "./functions.ts";
import type { Host, StageSettings } from "./settings.ts";

/**
 * A line of the access log. It names the route and neither path nor query string: a password travels in the query
 * string, and in the path where a client encodes the question mark.
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

/** The HTTP API of one host: a route for each method of each of its endpoints, and one for everything else. */
export function createHttpApi(host: Host, storage: Storage, settings: StageSettings): sst.aws.ApiGatewayV2 {
  const name = host === "main" ? "MainApi" : "TextApi";
  const domain = settings.domains[host];
  const api = new sst.aws.ApiGatewayV2(name, {
    ...(domain !== undefined && { domain }),
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
  for (const endpoint of endpoints.filter((each) => each.host === host)) {
    const { arn } = createEndpointFunction(endpoint, storage, settings);
    for (const method of methods)
      api.route(`${method} ${pathOf(endpoint)}`, arn, { name: `${method}-${endpoint.name}` });
  }
  api.route("$default", createUnroutedFunction(`${name}Unrouted`, settings).arn, { name: "unrouted" });
  return api;
}
