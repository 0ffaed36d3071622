// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";

/** A version of an object; a marker of its deletion has no content. */
interface Version {
  id: string;
  content: Buffer | undefined;
  /** Unix ms, in whole seconds, as S3 reports them. */
  time: number;
}

/** Whether the sender of a request may do something, such as `GetObject`, with a bucket or an object (`bucket/name`). */
type May = (message: IncomingMessage, action: string, resource: string) => boolean;

/**
 * A stand-in for S3 with versions and conditional writes: the operations that the service and `readinglist restore`
 * use, and nothing else. No lifecycle: what it would erase stays.
 */
export class VersionedBuckets {
  /** The time of the next version in ms. */
  clock: () => number = Date.now;
  /** Every request is answered with an error. */
  isBroken = false;
  /** Versions and markers in a page of a listing. */
  pageSize = 1000;
  /** By path, `/bucket/name`; newest first. */
  readonly #versions = new Map<string, Version[]>();
  readonly #buckets: Readonly<Record<string, { isVersioned: boolean }>>;
  #count = 0;

  constructor(buckets: Readonly<Record<string, { isVersioned: boolean }>>) {
    this.#buckets = buckets;
  }

  /** The objects that there are, by path. */
  get byPath(): Map<string, Buffer> {
    const found = [...this.#versions].map(([path, [latest]]) => [path, latest?.content] as const);
    return new Map(found.filter((each): each is [string, Buffer] => each[1] !== undefined));
  }

  /** Writes an object; without content, deletes it. */
  put(path: string, content: Buffer | undefined): void {
    const isVersioned = this.#buckets[path.split("/")[1] ?? ""]?.isVersioned ?? false;
    const time = Math.floor(this.clock() / 1000) * 1000;
    const version = { id: isVersioned ? `v${++this.#count}` : "null", content, time };
    if (isVersioned) this.#versions.set(path, [version, ...(this.#versions.get(path) ?? [])]);
    else if (content) this.#versions.set(path, [version]);
    else this.#versions.delete(path);
  }

  /** S3's API. */
  readonly listener =
    (mayDo: May = () => true): RequestListener =>
    async (message, response) => {
      const { pathname, searchParams } = new URL(message.url ?? "/", "http://s3");
      const path = decodeURIComponent(pathname).replace(/\/$/, "");
      const bucket = path.split("/")[1] ?? "";
      const body = await buffer(message);
      const may = (action: string, name = path.slice(1)) => mayDo(message, action, name);
      const refuse = () => answerXml(response, "<Error><Code>AccessDenied</Code></Error>", 403);
      const has = (parameter: string) => searchParams.has(parameter);
      if (this.isBroken) return response.writeHead(500).end();
      if (path === "") return answerXml(response, this.#listBuckets(searchParams.get("prefix") ?? ""));
      if (message.method === "PUT") {
        const copied = /^\/?(.*)\?versionId=(.*)$/.exec(String(message.headers["x-amz-copy-source"] ?? ""));
        if (!may("PutObject") || (copied && !may("GetObjectVersion", copied[1]))) return refuse();
        const content = copied ? this.#find(`/${decodeURIComponent(copied[1] ?? "")}`, copied[2]) : body;
        if (!content) return answerXml(response, "<Error><Code>NoSuchVersion</Code></Error>", 404);
        const refusal = refuseWrite(this.#find(path), message.headers);
        if (refusal) return answerXml(response, `<Error><Code>${refusal[1]}</Code></Error>`, refusal[0]);
        this.put(path, content);
        response.setHeader("etag", hashOf(content));
        return copied ? answerXml(response, `<CopyObjectResult>${etagOf(content)}</CopyObjectResult>`) : response.end();
      }
      if (message.method === "POST" && has("delete")) {
        const entries = [...String(body).matchAll(/<Object><Key>(.*?)<\/Key>(<VersionId>.*?<\/VersionId>)?/g)];
        const refused: string[] = [];
        for (const [, name = "", version] of entries) {
          const action = version ? "DeleteObjectVersion" : "DeleteObject";
          // Nothing deletes versions: the policies must refuse who tries.
          if (!may(action, `${bucket}/${name}`) || version) refused.push(name);
          else this.put(`/${bucket}/${name}`, undefined);
        }
        const errors = refused.map((name) => `<Error><Key>${name}</Key><Code>AccessDenied</Code></Error>`);
        return answerXml(response, `<DeleteResult>${errors.join("")}</DeleteResult>`);
      }
      if (has("versioning")) {
        const status = this.#buckets[bucket]?.isVersioned ? "<Status>Enabled</Status>" : "";
        return answerXml(response, `<VersioningConfiguration>${status}</VersioningConfiguration>`);
      }
      if (has("versions")) {
        if (!may("ListBucketVersions", bucket)) return refuse();
        return answerXml(response, this.#listVersions(bucket, searchParams));
      }
      if (message.method === "HEAD") return response.writeHead(may("ListBucket", bucket) ? 200 : 403).end();
      const prefix = searchParams.get("prefix");
      if (prefix !== null) {
        if (!may("ListBucket", bucket)) return refuse();
        return answerXml(response, this.#listObjects(bucket, searchParams));
      }
      if (!may("GetObject")) return refuse();
      const content = this.#find(path);
      if (content && message.headers["if-none-match"] === hashOf(content)) return response.writeHead(304).end();
      if (content) return response.setHeader("etag", hashOf(content)).end(content);
      // S3 reports a missing object only to callers who can list the bucket.
      return may("ListBucket", bucket) ? answerXml(response, "<Error><Code>NoSuchKey</Code></Error>", 404) : refuse();
    };

  #find(path: string, id?: string): Buffer | undefined {
    const versions = this.#versions.get(path) ?? [];
    return (id === undefined ? versions[0] : versions.find((each) => each.id === id))?.content;
  }

  #listBuckets(prefix: string): string {
    const names = Object.keys(this.#buckets).filter((name) => name.startsWith(prefix));
    const buckets = names.map((name) => `<Bucket><Name>${name}</Name></Bucket>`);
    return `<ListAllMyBucketsResult><Buckets>${buckets.join("")}</Buckets></ListAllMyBucketsResult>`;
  }

  #listObjects(bucket: string, parameters: URLSearchParams): string {
    const start = `/${bucket}/${parameters.get("prefix")}`;
    const delimiter = parameters.get("delimiter");
    const all = [...this.byPath.keys()].sort().filter((path) => {
      return path.startsWith(start) && !(delimiter && path.slice(start.length).includes(delimiter));
    });
    const from = Number(parameters.get("continuation-token") ?? 0);
    const to = from + this.pageSize;
    const contents = all.slice(from, to).map((path) => {
      const [{ content, time } = { content: undefined, time: 0 }] = this.#versions.get(path) ?? [];
      const facts = `<Size>${content?.length}</Size><LastModified>${new Date(time).toISOString()}</LastModified>`;
      return `<Contents><Key>${path.slice(bucket.length + 2)}</Key>${facts}</Contents>`;
    });
    const next = to < all.length ? `<NextContinuationToken>${to}</NextContinuationToken>` : "";
    return `<ListBucketResult><IsTruncated>${next !== ""}</IsTruncated>${next}${contents.join("")}</ListBucketResult>`;
  }

  #listVersions(bucket: string, parameters: URLSearchParams): string {
    const start = `/${bucket}/`;
    const all = [...this.#versions]
      .filter(([path]) => path.startsWith(start + (parameters.get("prefix") ?? "")))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([path, versions]) =>
        versions.map((version) => ({ name: path.slice(start.length), version, versions })),
      );
    const [key, id] = [parameters.get("key-marker"), parameters.get("version-id-marker")];
    const from = all.findIndex(({ name, version }) => name === key && version.id === id) + 1;
    const page = all.slice(from, from + this.pageSize);
    const last = from + this.pageSize < all.length ? page.at(-1) : undefined;
    const entries = page.map(({ name, version, versions }) => {
      const kind = version.content ? "Version" : "DeleteMarker";
      const etag = version.content ? etagOf(version.content) : "";
      const time = new Date(version.time).toISOString();
      return `<${kind}><Key>${name}</Key><VersionId>${version.id}</VersionId><IsLatest>${version === versions[0]}</IsLatest><LastModified>${time}</LastModified>${etag}</${kind}>`;
    });
    const next = last
      ? `<IsTruncated>true</IsTruncated><NextKeyMarker>${last.name}</NextKeyMarker><NextVersionIdMarker>${last.version.id}</NextVersionIdMarker>`
      : "<IsTruncated>false</IsTruncated>";
    return `<ListVersionsResult>${next}${entries.join("")}</ListVersionsResult>`;
  }
}

const hashOf = (content: Buffer) => `"${createHash("md5").update(content).digest("hex")}"`;
const etagOf = (content: Buffer) => `<ETag>${hashOf(content).replaceAll('"', "&quot;")}</ETag>`;

/** Why a conditional write fails; undefined if it does not. */
function refuseWrite(
  found: Buffer | undefined,
  headers: IncomingHttpHeaders,
): [status: number, code: string] | undefined {
  const { "if-match": match, "if-none-match": noneMatch } = headers;
  if (match !== undefined && !found) return [404, "NoSuchKey"];
  const isOther = (match !== undefined && found && match !== hashOf(found)) || (noneMatch === "*" && found);
  return isOther ? [412, "PreconditionFailed"] : undefined;
}

const answerXml = (response: ServerResponse, xml: string, status = 200) =>
  response.writeHead(status, { "content-type": "application/xml" }).end(xml);
