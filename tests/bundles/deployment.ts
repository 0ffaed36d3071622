import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ensureTable, startEmbeddedDatabase } from "@reading-list/local/embedded-database.ts";
import { seedApiKey } from "@reading-list/store/api-keys.ts";
import { createDocumentClient } from "@reading-list/store/client.ts";
import { build, type Metafile } from "esbuild";
import { articlePage } from "../reader/page-server.ts";
import { evaluateStacks } from "../stacks/evaluate.ts";
import { packageFunction } from "./bundle.ts";
import { type FunctionPackage, type RunningFunction, startFunction } from "./runtime-api.ts";

/** A function as it is deployed, and what went into its bundle. */
export interface DeployedFunction extends FunctionPackage {
  metafile: Metafile;
}

/** What the stacks say of a function. */
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
  /** A page that `text` may read. */
  pageUrl: string;
  /** What is in the bucket, by its path. */
  objects: Map<string, Buffer>;
  /** Lets the bucket answer nothing but errors. */
  breakBucket(): void;
  stop(): Promise<void>;
}

const apiKey = "a key";

/** Evaluates the stacks, bundles each function that they have, and starts what the functions talk to. */
export async function deploy(): Promise<Deployment> {
  const stops: (() => unknown)[] = [];
  const stop = async () => {
    for (const stopPart of stops.splice(0).reverse()) await stopPart();
  };
  const serve = async (listener: RequestListener) => {
    const server = createServer(listener).listen(0, "127.0.0.1");
    await once(server, "listening");
    stops.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  try {
    const folder = mkdtempSync(path.join(tmpdir(), "deployment-"));
    stops.push(() => rmSync(folder, { recursive: true }));
    const [evaluation, database, runtimeClient] = await Promise.all([
      evaluateStacks("staging"),
      startEmbeddedDatabase(":memory:"),
      buildRuntimeClient(folder),
    ]);
    stops.push(database.stop);
    const table = { client: createDocumentClient(database.endpoint), tableName: evaluation.outputs.tableName ?? "" };
    stops.push(() => table.client.destroy());
    await ensureTable(table);
    await seedApiKey(table, apiKey, { applicationId: "app", name: "n", status: "enabled", created: 0 });

    const objects = new Map<string, Buffer>();
    let isBucketBroken = false;
    const bucketUrl = await serve(async (request, response) => {
      const key = request.url?.split("?")[0] ?? "";
      const body = Buffer.concat(await request.toArray());
      if (request.method === "PUT") objects.set(key, body);
      if (isBucketBroken) response.writeHead(500).end();
      else if (request.method === "PUT") response.end();
      else if (objects.has(key)) response.end(objects.get(key));
      else response.writeHead(404, { "content-type": "application/xml" }).end("<Error><Code>NoSuchKey</Code></Error>");
    });
    const pages = await serve((_request, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end(articlePage),
    );
    /** In place of the account, and of pages in the net. */
    const surroundings = {
      AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
      AWS_ENDPOINT_URL_S3: bucketUrl,
      TEXT_ALLOWED_ORIGINS: pages,
    };

    const packaged = evaluation.builds.map(async (wanted): Promise<[string, DeployedFunction]> => {
      const name = path.basename(wanted.handler, ".handler");
      const { inputs } = evaluation.resources.find((each) => each.name === `${wanted.functionID}Function`) ?? {};
      const { environment, memorySize, timeout } = inputs as unknown as FunctionInputs;
      const codeFolder = path.join(folder, wanted.functionID);
      const code = {
        name,
        folder: codeFolder,
        memoryMegabytes: memorySize,
        timeoutSeconds: timeout,
        environment: { ...environment.variables, ...surroundings },
        metafile: await packageFunction(wanted, codeFolder),
      };
      return [name, code];
    });
    const functions = new Map(await Promise.all(packaged));
    return {
      functions,
      start: (code) => startFunction(code, runtimeClient),
      apiKey,
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

/** As JavaScript, so that its start costs a process next to nothing. */
async function buildRuntimeClient(folder: string): Promise<string> {
  const outfile = path.join(folder, "bootstrap.mjs");
  const source = fileURLToPath(new URL("runtime-client.ts", import.meta.url));
  await build({ entryPoints: [source], outfile, platform: "node", format: "esm", target: "es2024" });
  return outfile;
}
