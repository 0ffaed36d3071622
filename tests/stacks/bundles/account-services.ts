// SPDX-License-Identifier: MIT

import { Agent, type IncomingMessage, type RequestListener, request } from "node:http";
import type { VersionedBuckets } from "@reading-list/testing/versioned-buckets.ts";
import { type AwsRequest, isAllowed, kindOf, type Statement } from "./policies.ts";
import type { Releases } from "./releases.ts";

/** The requests of functions to DynamoDB, S3 and Lambda, each checked against the policies of the function. */
export class Access {
  /** One request of each kind that was allowed, by the name of the function. */
  readonly allowed = new Map<string, Map<string, AwsRequest>>();
  /** The kinds of requests that were refused, with the name of the function. */
  readonly denied = new Set<string>();
  readonly #policies: Map<string, readonly Statement[]>;

  constructor(policies: Map<string, readonly Statement[]>) {
    this.#policies = policies;
  }

  /** Sets the policies of one more caller. */
  grant(caller: string, statements: readonly Statement[]): void {
    this.#policies.set(caller, statements);
  }

  /** Whether a function may make these requests. */
  admit(caller: string, requests: readonly AwsRequest[]): boolean {
    const statements = this.#policies.get(caller) ?? [];
    const refused = requests.filter((each) => !isAllowed(statements, each));
    for (const each of refused) this.denied.add(`${caller}: ${kindOf(each)}`);
    const kinds = this.allowed.get(caller) ?? new Map<string, AwsRequest>();
    this.allowed.set(caller, kinds);
    for (const each of requests) if (!refused.includes(each)) kinds.set(kindOf(each), each);
    return refused.length === 0;
  }
}

/** The function that has signed a request: the id of its access key is its name. */
const callerOf = ({ headers }: IncomingMessage) => /Credential=([^/]+)\//.exec(headers.authorization ?? "")?.[1] ?? "";

const readBody = async (message: IncomingMessage) => Buffer.concat(await message.toArray());

// biome-ignore lint/suspicious/noExplicitAny: the input of any operation
type Input = any;

const partitionOf = ({ Key, Item }: Input): string => (Key ?? Item).pk.S;

/** The actions of an operation with their indexes and partitions. IAM checks each operation of a transaction. */
function actionsOf(operation: string, input: Input): [action: string, index: string | undefined, keys: string[]][] {
  if (operation === "TransactWriteItems") {
    return input.TransactItems.flatMap((item: Input) =>
      Object.entries(item).map(([kind, each]) => [`${kind}Item`, undefined, [partitionOf(each)]]),
    );
  }
  if (operation === "BatchGetItem" || operation === "BatchWriteItem") {
    const parts = Object.values<Input>(input.RequestItems).flatMap((each) => each.Keys ?? each);
    const keys = parts.map((each: Input) => each.pk?.S ?? partitionOf(each.DeleteRequest ?? each.PutRequest));
    return [[operation, undefined, keys]];
  }
  if (operation === "Query") {
    const placeholder = /^pk = (:\w+)/.exec(input.KeyConditionExpression)?.[1] ?? "";
    return [[operation, input.IndexName, [input.ExpressionAttributeValues[placeholder].S]]];
  }
  return [[operation, undefined, [partitionOf(input)]]];
}

/** DynamoDB's API in front of a database, for functions with policies. `tableArn` names the stage's table. */
export function checkedDatabase(endpoint: string, tableArn: string, access: Access): RequestListener {
  const agent = new Agent({ keepAlive: true });
  return async (message, response) => {
    const body = await readBody(message);
    const operation = String(message.headers["x-amz-target"]).split(".")[1] ?? "";
    const requests = actionsOf(operation, JSON.parse(String(body))).map(([action, index, leadingKeys]) => ({
      action: `dynamodb:${action}`,
      resource: index ? `${tableArn}/index/${index}` : tableArn,
      leadingKeys,
    }));
    if (!access.admit(callerOf(message), requests)) {
      response.writeHead(400, { "content-type": "application/x-amz-json-1.0" });
      response.end(JSON.stringify({ __type: "com.amazon.coral.service#AccessDeniedException", message: "denied" }));
      return;
    }
    const { method, headers } = message;
    const forwarded = request(endpoint, { method, headers: { ...headers, host: new URL(endpoint).host }, agent });
    forwarded.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    forwarded.on("error", () => response.destroy()).end(body);
  };
}

/**
 * Lambda's API, for functions with policies. `invoke` calls the function of an ARN with an event; if it rejects, the
 * function has failed. `releases` has the aliases and versions of functions.
 */
export function checkedFunctions(
  invoke: (arn: string, event: Buffer) => Promise<string>,
  releases: Pick<Releases, "answerAlias" | "listAliases" | "listVersions" | "deleteVersion">,
  access: Access,
): RequestListener {
  return async (message, response) => {
    const event = await readBody(message);
    const { pathname, searchParams } = new URL(message.url ?? "", "http://localhost");
    const [, , , name = "", what, alias] = pathname.split("/");
    const functionArn = `arn:aws:lambda:eu-west-1:123456789012:function:${name}`;
    const may = (action: string, resource: string) => {
      const isAdmitted = access.admit(callerOf(message), [{ action: `lambda:${action}`, resource, leadingKeys: [] }]);
      if (!isAdmitted) response.writeHead(403, { "x-amzn-errortype": "AccessDeniedException" }).end("{}");
      return isAdmitted;
    };
    if (message.method === "DELETE") {
      const version = searchParams.get("Qualifier");
      if (!may("DeleteFunction", version ? `${functionArn}:${version}` : functionArn)) return;
      response.writeHead(releases.deleteVersion(name, version)).end();
      return;
    }
    if (what === "versions" || (what === "aliases" && !alias)) {
      if (!may(what === "versions" ? "ListVersionsByFunction" : "ListAliases", functionArn)) return;
      response.end(what === "versions" ? releases.listVersions(name) : releases.listAliases(name));
      return;
    }
    if (what === "aliases") {
      const action = message.method === "GET" ? "GetAlias" : "UpdateAlias";
      if (!may(action, functionArn)) return;
      const [status, text] = releases.answerAlias(name, String(event));
      const errorType = status === 412 && { "x-amzn-errortype": "PreconditionFailedException" };
      response.writeHead(status, { ...errorType }).end(text);
      return;
    }
    const arn = decodeURIComponent(name);
    if (!may("InvokeFunction", arn)) return;
    if (message.headers["x-amz-invocation-type"] === "Event") {
      response.writeHead(202).end();
      await invoke(arn, event).catch((error) => console.error(error));
      return;
    }
    try {
      response.end(await invoke(arn, event));
    } catch (error) {
      response
        .writeHead(200, { "x-amz-function-error": "Unhandled" })
        .end(JSON.stringify({ errorMessage: String(error) }));
    }
  };
}

/** S3's API for functions with policies. */
export const checkedBuckets = (buckets: VersionedBuckets, access: Access): RequestListener =>
  buckets.listener((message, action, name) =>
    access.admit(callerOf(message), [{ action: `s3:${action}`, resource: `arn:aws:s3:::${name}`, leadingKeys: [] }]),
  );
