import { randomUUID } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createPasswordHasher } from "@reading-list/functions/compose/password-hasher.ts";
import { createApiKey } from "@reading-list/store-dynamodb/api-key-records.ts";
import { createDocumentClient } from "@reading-list/store-dynamodb/client.ts";
import { ensureTable } from "@reading-list/store-dynamodb/create-table.ts";
import { createStores } from "@reading-list/store-dynamodb/stores.ts";
import type { Account } from "@reading-list/testing/client.ts";
import { startDynamodb } from "@reading-list/testing/dynamodb.ts";
import { articlePage, page, startPageServer } from "@reading-list/testing/page-server.ts";
import { build, type Metafile } from "esbuild";
import { evaluateStacks } from "../evaluate.ts";
import { metafileOf } from "./bundle.ts";
import { type FunctionPackage, type RunningFunction, startFunction } from "./runtime-api.ts";

/** A function as it is deployed, and the inputs of its bundle. */
export interface DeployedFunction extends FunctionPackage {
  /** Paths of the uploaded files in the package. */
  files: string[];
  metafile: Metafile;
}

/** The settings of a function in the stacks. */
interface FunctionInputs {
  environment: { variables: Record<string, string> };
  memorySize: number;
  timeout: number;
}

/** The functions of a stage on this machine: their bundles, the embedded database and a stand-in for the bucket. */
export interface Deployment {
  /** By the name of the handler's file. */
  functions: Map<string, DeployedFunction>;
  start(code: FunctionPackage): Promise<RunningFunction>;
  apiKey: string;
  newUser(): Promise<Account>;
  /** Closes the account of a user, as a process does that is killed then. */
  closeAccount(username: string): Promise<void>;
  /** A page that `text` may read. */
  pageUrl: string;
  /** The objects in the bucket, by path. */
  objects: Map<string, Buffer>;
  /** Lets the bucket answer every request with an error. */
  breakBucket(): void;
  stop(): Promise<void>;
}

const apiKey = "a-key";

/** Evaluates the stacks, bundles each function, and starts the database and the bucket. */
export async function deploy(): Promise<Deployment> {
  const stops: (() => unknown)[] = [];
  const stop = async () => {
    for (const stopPart of stops.splice(0).reverse()) await stopPart();
  };
  const serve = async (listener: RequestListener) => {
    const server = await startPageServer(listener);
    stops.push(server.stop);
    return server.origin;
  };
  try {
    const folder = mkdtempSync(path.join(tmpdir(), "deployment-"));
    stops.push(() => rmSync(folder, { recursive: true }));
    const bundles = path.join(folder, "bundles");
    mkdirSync(bundles);
    const [evaluation, database, runtimeClient] = await Promise.all([
      evaluateStacks("dev-ann", {}, { bundles }),
      startDynamodb(),
      buildRuntimeClient(folder),
    ]);
    stops.push(database.stop);
    const table = { client: createDocumentClient(database.endpoint), tableName: evaluation.outputs.tableName ?? "" };
    stops.push(() => table.client.destroy());
    await ensureTable(table);
    await createApiKey(table, apiKey, { applicationId: "app", name: "n", status: "enabled", created: 0 });

    const objects = new Map<string, Buffer>();
    let isBucketBroken = false;
    const bucketUrl = await serve(async (request, response) => {
      const [key = "", query] = request.url?.split("?") ?? [];
      const prefix = new URLSearchParams(query).get("prefix");
      const body = Buffer.concat(await request.toArray());
      if (request.method === "PUT") objects.set(key, body);
      for (const [, deleted] of String(body).matchAll(/<Key>(.*?)<\/Key>/g)) {
        if (request.method === "POST") objects.delete(`${key.replace(/\/$/, "")}/${deleted}`);
      }
      if (isBucketBroken) response.writeHead(500).end();
      else if (request.method === "PUT") response.end();
      else if (request.method === "POST") response.end("<DeleteResult></DeleteResult>");
      else if (prefix !== null) {
        const names = [...objects.keys()].map((name) => name.slice(`${key.replace(/\/$/, "")}/`.length));
        const found = names
          .filter((name) => name.startsWith(prefix))
          .map((name) => `<Contents><Key>${name}</Key></Contents>`);
        response.end(`<ListBucketResult>${found.join("")}</ListBucketResult>`);
      } else if (objects.has(key)) response.end(objects.get(key));
      else response.writeHead(404, { "content-type": "application/xml" }).end("<Error><Code>NoSuchKey</Code></Error>");
    });
    const pages = await serve(page(articlePage));
    /** Replaces the account and web pages. */
    const surroundings = {
      AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
      AWS_ENDPOINT_URL_S3: bucketUrl,
      TEXT_ALLOWED_ORIGINS: pages,
    };

    const packaged = evaluation.builds.map(({ functionID, handler }): [string, DeployedFunction] => {
      const name = path.basename(handler, ".handler");
      const { inputs } = evaluation.resources.find((each) => each.name === `${functionID}Function`) ?? {};
      const { environment, memorySize, timeout } = inputs as unknown as FunctionInputs;
      const codeFolder = path.join(folder, functionID);
      const files = evaluation.packages[functionID] ?? [];
      for (const { from, to } of files) cpSync(from, path.join(codeFolder, to));
      // The package has argon2's binary for Lambda's processor; this machine needs its own beside it.
      if (files.some(({ to }) => to.startsWith("prebuilds/"))) {
        cpSync("node_modules/argon2/prebuilds", path.join(codeFolder, "prebuilds"), { recursive: true });
      }
      const code = {
        name,
        folder: codeFolder,
        files: files.map(({ to }) => to),
        memoryMegabytes: memorySize,
        timeoutSeconds: timeout,
        environment: { ...environment.variables, ...surroundings },
        metafile: JSON.parse(readFileSync(metafileOf(path.join(bundles, functionID)), "utf8")),
      };
      return [name, code];
    });
    const functions = new Map(packaged);
    return {
      functions,
      start: (code) => startFunction(code, runtimeClient),
      apiKey,
      newUser: async () => {
        const account = { username: randomUUID().slice(0, 18), password: "correct horse" };
        const { users } = createStores(table, Date, { user: 1, key: 1 });
        await users.create(account.username, await createPasswordHasher().hash(account.password), 0);
        return account;
      },
      closeAccount: async (username) => {
        const { users, deletion } = createStores(table, Date, { user: 1, key: 1 });
        const user = await users.find(username);
        if (user) await deletion.beginDeletion(user, 0);
      },
      pageUrl: `${pages}/story`,
      objects,
      breakBucket: () => {
        isBucketBroken = true;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Compiled to JavaScript, so that processes start faster. */
async function buildRuntimeClient(folder: string): Promise<string> {
  const outfile = path.join(folder, "bootstrap.mjs");
  const source = fileURLToPath(new URL("runtime-client.ts", import.meta.url));
  await build({ entryPoints: [source], outfile, platform: "node", format: "esm", target: "es2024" });
  return outfile;
}
