import { type ReaderConfig, readerSecurityPolicy } from "@reading-list/web/web-application.ts";
import type { HttpApi } from "./http-api.ts";
import { domainArgs, type StageSettings } from "./settings.ts";

/** The web reader's address, and where a domain outside Route 53 must point. */
export interface WebReader {
  url: $util.Output<string>;
  dnsTarget: $util.Output<string> | undefined;
}

/**
 * The web reader at an address of its own: static files in a private bucket, which CloudFront alone reads. It is built
 * while it is deployed (packages/web/build.ts), with the addresses of the stage.
 */
export function createWebReader(main: HttpApi, text: HttpApi, settings: StageSettings): WebReader | undefined {
  const { apiKey, domain } = settings.web;
  if (apiKey === undefined) return undefined;
  const config: { [name in keyof ReaderConfig]: $util.Input<ReaderConfig[name]> } = {
    baseUrl: main.api.url,
    textUrl: text.api.url,
    apiKey,
    isSignupOpen: settings.variables.SIGNUP === "open",
  };
  const headers = createHeaders(main, text);
  const site = new sst.aws.StaticSite("Web", {
    path: "packages/web",
    build: { command: "node build.ts", output: "dist" },
    environment: { READER_CONFIG: $jsonStringify(config) },
    ...(domain && { domain: domainArgs(domain) }),
    assets: {
      fileOptions: [
        { files: "**", cacheControl: "no-cache" },
        // A name with a hash changes with the content.
        { files: "*-????????.{css,js}", cacheControl: "public, max-age=31536000, immutable" },
      ],
    },
    transform: {
      assets: { cors: false },
      cdn: (cdn) => {
        cdn.defaultCacheBehavior = $output(cdn.defaultCacheBehavior).apply((behavior) => ({
          ...behavior,
          allowedMethods: ["GET", "HEAD"],
          responseHeadersPolicyId: headers.id,
        }));
      },
    },
  });
  const distribution = site.nodes.cdn?.nodes.distribution;
  return { url: site.url, dnsTarget: domain?.certificate ? distribution?.domainName : undefined };
}

function createHeaders(main: HttpApi, text: HttpApi): aws.cloudfront.ResponseHeadersPolicy {
  const policy = $util.all([main.api.url, text.api.url]).apply((services) => readerSecurityPolicy(...services));
  return new aws.cloudfront.ResponseHeadersPolicy("WebHeaders", {
    name: `${$app.name}-${$app.stage}-web`,
    securityHeadersConfig: {
      contentSecurityPolicy: { contentSecurityPolicy: policy, override: true },
      contentTypeOptions: { override: true },
      referrerPolicy: { referrerPolicy: "no-referrer", override: true },
      strictTransportSecurity: { accessControlMaxAgeSec: 31_536_000, override: true },
    },
  });
}
