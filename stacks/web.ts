// SPDX-License-Identifier: MIT

import {
  type ReaderConfig,
  readerSecurityPolicy,
  workerFile,
  workerSecurityPolicy,
} from "@reading-list/web/web-application.ts";
import type { HttpApi } from "./http-api.ts";
import { createDomainArgs, type StageSettings } from "./settings.ts";

/** The web reader's address, and where a domain outside Route 53 must point. */
export interface WebReader {
  url: $util.Output<string>;
  dnsTarget: $util.Output<string> | undefined;
}

/**
 * The web reader at its own address: static files in a private bucket, which only CloudFront reads. It is built while
 * it is deployed (packages/web/build.ts), with the addresses of the stage.
 */
export function createWebReader(main: HttpApi, text: HttpApi, settings: StageSettings): WebReader | undefined {
  const { apiKey, domain } = settings.web;
  if (apiKey === undefined) return undefined;
  const config: { [name in keyof ReaderConfig]: $util.Input<ReaderConfig[name]> } = {
    baseUrl: main.url,
    textUrl: text.url,
    apiKey,
    isSignupOpen: settings.isSignupOpen,
    helpText: settings.helpText,
    hasPasskeys: settings.hasPasskeys,
    canShare: settings.isSharingOn,
    ...(settings.signOn && { signOn: { name: settings.signOn.name, isOnly: settings.signOn.isOnly } }),
  };
  const services = $util.all([main.url, text.url]);
  const headers = createHeaders(
    "Web",
    services.apply((urls) => readerSecurityPolicy(...urls)),
  );
  const workerHeaders = createHeaders(
    "WebWorker",
    services.apply((urls) => workerSecurityPolicy(...urls)),
  );
  const site = new sst.aws.StaticSite("Web", {
    path: "packages/web",
    build: { command: "node build.ts", output: "dist" },
    environment: { READER_CONFIG: $jsonStringify(config) },
    ...(domain && { domain: createDomainArgs(domain) }),
    assets: {
      fileOptions: [
        { files: "**", cacheControl: "no-cache" },
        // A name with a hash changes with the content.
        { files: "*-????????.{css,js,json,woff2}", cacheControl: "public, max-age=31536000, immutable" },
      ],
    },
    transform: {
      assets: { cors: false },
      cdn: (cdn) => {
        const behavior = $output(cdn.defaultCacheBehavior).apply((behavior) => ({
          ...behavior,
          allowedMethods: ["GET", "HEAD"],
          responseHeadersPolicyId: headers.id,
        }));
        cdn.defaultCacheBehavior = behavior;
        cdn.orderedCacheBehaviors = behavior.apply((behavior) => [
          { ...behavior, pathPattern: `/${workerFile}`, responseHeadersPolicyId: workerHeaders.id },
        ]);
      },
    },
  });
  const distribution = site.nodes.cdn?.nodes.distribution;
  return { url: site.url, dnsTarget: domain?.certificate ? distribution?.domainName : undefined };
}

function createHeaders(name: "Web" | "WebWorker", policy: $util.Input<string>): aws.cloudfront.ResponseHeadersPolicy {
  return new aws.cloudfront.ResponseHeadersPolicy(`${name}Headers`, {
    name: `${$app.name}-${$app.stage}-${name === "Web" ? "web" : "web-worker"}`,
    securityHeadersConfig: {
      contentSecurityPolicy: { contentSecurityPolicy: policy, override: true },
      contentTypeOptions: { override: true },
      referrerPolicy: { referrerPolicy: "same-origin", override: true },
      strictTransportSecurity: { accessControlMaxAgeSec: 31_536_000, override: true },
    },
  });
}
