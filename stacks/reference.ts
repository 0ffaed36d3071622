import { readFileSync } from "node:fs";
import path from "node:path";
import {
  documentFile,
  openApiFile,
  type ReferenceFile,
  referenceCacheControl,
  referenceDocument,
  referenceFiles,
  referenceSecurityPolicy,
} from "@reading-list/reference/reference-page.ts";
import type { HttpApi } from "./http-api.ts";

/** AWS's own policy `CachingOptimized`, which keeps to the `Cache-Control` of a file. */
const cachingOptimized = "658327ea-f89d-4fab-a63d-7e88639e58f6";

/** An object of S3 cannot have an empty key. */
const keyOf = ({ urlPath }: ReferenceFile) => urlPath.slice(1) || "index.html";

/**
 * The API reference page at `/` of the main host, as static files in a private bucket, which CloudFront alone reads. An
 * HTTP API can read public buckets only, so its routes, one for each file, forward to CloudFront.
 */
export function createReferencePage(main: HttpApi, text: HttpApi): void {
  const bucket = new sst.aws.Bucket("Reference", { access: "cloudfront", cors: false });
  const distribution = createDistribution(bucket, text.api.url);
  const serve = (file: ReferenceFile, content: Pick<aws.s3.BucketObjectv2Args, "content" | "source">) => {
    const key = keyOf(file);
    new aws.s3.BucketObjectv2(`Reference-${key.replaceAll(/\W/g, "-")}`, {
      bucket: bucket.name,
      key,
      contentType: file.contentType,
      cacheControl: referenceCacheControl,
      ...content,
    });
    main.api.routeUrl(`GET ${file.urlPath}`, $interpolate`https://${distribution.domainName}/${key}`);
  };
  const inProject = (file: string) => path.join($cli.paths.root, file);
  for (const file of referenceFiles) {
    const { text, source = "" } = file;
    serve(file, text === undefined ? { source: new $util.asset.FileAsset(inProject(source)) } : { content: text });
  }
  const openApi = readFileSync(inProject(openApiFile), "utf8");
  serve(documentFile, { content: text.api.url.apply((textUrl) => referenceDocument(openApi, textUrl)) });
}

function createDistribution(bucket: sst.aws.Bucket, textUrl: $util.Output<string>): aws.cloudfront.Distribution {
  const name = `${$app.name}-${$app.stage}-reference`;
  const access = new aws.cloudfront.OriginAccessControl("ReferenceAccess", {
    name,
    originAccessControlOriginType: "s3",
    signingBehavior: "always",
    signingProtocol: "sigv4",
  });
  const headers = new aws.cloudfront.ResponseHeadersPolicy("ReferenceHeaders", {
    name,
    securityHeadersConfig: {
      contentSecurityPolicy: {
        contentSecurityPolicy: textUrl.apply(referenceSecurityPolicy),
        override: true,
      },
      contentTypeOptions: { override: true },
      referrerPolicy: { referrerPolicy: "no-referrer", override: true },
    },
  });
  return new aws.cloudfront.Distribution("ReferenceDistribution", {
    enabled: true,
    comment: name,
    origins: [
      {
        originId: "files",
        domainName: bucket.nodes.bucket.bucketRegionalDomainName,
        originAccessControlId: access.id,
      },
    ],
    defaultCacheBehavior: {
      targetOriginId: "files",
      viewerProtocolPolicy: "https-only",
      allowedMethods: ["GET", "HEAD"],
      cachedMethods: ["GET", "HEAD"],
      cachePolicyId: cachingOptimized,
      responseHeadersPolicyId: headers.id,
      compress: true,
    },
    restrictions: { geoRestriction: { restrictionType: "none" } },
    viewerCertificate: { cloudfrontDefaultCertificate: true },
  });
}
