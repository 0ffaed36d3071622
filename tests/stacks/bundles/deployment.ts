// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Release } from "@reading-list/canary/release.ts";
import type { ApiKeyRecord, OperatorStore } from "@reading-list/core/ports/operator.ts";
import type { Handler, HttpRequest } from "@reading-list/http/call.ts";
import type { GatewayResult } from "@reading-list/lambda/to-lambda.ts";
import { createGateway, type Routes } from "@reading-list/local/gateway.ts";
import { ServiceClient } from "@reading-list/testing/client.ts";
import { startPageServer } from "@reading-list/testing/page-server.ts";
import { plainAnswer } from "@reading-list/testing/request.ts";
import { startRestorableDatabase } from "@reading-list/testing/restorable-database.ts";
import { VersionedBuckets } from "@reading-list/testing/versioned-buckets.ts";
import { build } from "esbuild";
import { packageSharp } from "../../../stacks/sharp.ts";
import { type Build, type Evaluation, evaluateStacks, type Resource, resourcesOf } from "../evaluate.ts";
import { type AccountData, startAccountData } from "./account-data.ts";
import { type Access, checkedFunctions } from "./account-services.ts";
import { toAnswer, toEvent } from "./gateway-event.ts";
import { policiesOf } from "./policies.ts";
import { Releases } from "./releases.ts";
import { type FunctionPackage, type RunningFunction, type Runtime, startFunction } from "./runtime-api.ts";
import { readZips, type Zip } from "./sst-builder.ts";

/** A function as it is deployed. */
export interface DeployedFunction extends FunctionPackage {
  /** Paths of the uploaded files in the package. */
  files: string[];
  /** Paths of the files in its bundle, from the folder of the project. */
  sources: string[];
}

/** The settings of a function in the stacks. */
interface FunctionInputs {
  name: string;
  environment: { variables: Record<string, string> };
  memorySize: number;
  timeout: number;
}

/**
 * A stage on this machine: the functions of the stacks from their packages, with their policies, behind the routes of
 * their APIs; the embedded database, and a stand-in for S3.
 */
export interface Deployment {
  evaluation: Evaluation;
  /** By name, without the names of the project and the stage: `get`, `MainApiHealth`. */
  functions: ReadonlyMap<string, DeployedFunction>;
  /** Calls the stage at its public addresses. */
  client: ServiceClient;
  /** The main API without the CloudFront in front of it. */
  apiOrigin: string;
  /** The origin of the web pages that functions may read. */
  pages: string;
  access: Access;
  objects: VersionedBuckets;
  table: AccountData["table"];
  operator: OperatorStore;
  /** The account's services for the operator, whom no policy restricts. */
  account: { database: Awaited<ReturnType<typeof startRestorableDatabase>>; variables: Record<string, string> };
  /** The versions of the functions that are called. */
  releases: Releases;
  /** Runs the canary as the deployment did, with changes of its event. */
  runCanary(changes: Partial<Release>): Promise<void>;
  /** Publishes a version of a function, with changes of the deployed one. */
  publish(name: string, version: string, changes: Partial<FunctionPackage>): void;
  /** A function of its own process, which the caller stops. */
  start(code: FunctionPackage): Promise<RunningFunction>;
  /** Replaces the process of a function by one with other variables. */
  restart(name: string, variables: Record<string, string>): Promise<void>;
  /** Runs the functions that have a schedule. */
  runSchedules(): Promise<void>;
  stop(): Promise<void>;
}

/** Lambda's limit for an event, and for an answer: 6 MB. */
const payloadLimit = 6 * 1024 * 1024;

/**
 * Evaluates the stacks with these variables, unpacks the package that SST made for each function, and starts database, bucket and APIs. With `dev` the
 * functions are those that `sst dev` runs on the developer's machine.
 */
export async function deploy(
  variables: Record<string, string>,
  pages: RequestListener,
  { dev = false } = {},
): Promise<Deployment> {
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
    const [evaluation, runtimeClient, readZip] = await Promise.all([
      evaluateStacks("dev-ann", variables, dev ? { bundles, dev } : {}),
      buildRuntimeClient(folder),
      dev ? undefined : readZips(process.env.SHARED_PACKAGES ?? folder),
    ]);
    const objects = new VersionedBuckets(bucketsOf(evaluation));
    const data = await startAccountData(evaluation.outputs.tableName ?? "", policiesOf(evaluation), objects);
    stops.push(data.stop);
    const { access, operator, table } = data;
    /** Replaces the account and web pages. */
    const pagesOrigin = await serve(pages);
    const running = new Map<string, Promise<RunningFunction>>();
    stops.push(() => Promise.allSettled([...running.values()].map(async (each) => (await each).stop())));
    const outputOf = async (...keys: string[]) => {
      const wanted = [...running].filter(([key]) => keys.length === 0 || key === keys.join(" "));
      const processes = await Promise.all(wanted.map(([, each]) => each.catch(() => undefined)));
      return processes.map((each) => each?.output() ?? "").join("");
    };
    const releases = new Releases(evaluation, outputOf);
    const surroundings = {
      ...data.variables,
      AWS_ENDPOINT_URL_LAMBDA: await serve(checkedFunctions((arn, event) => invokeByArn(arn, event), releases, access)),
      AWS_ENDPOINT_URL_CLOUDWATCH: await serve(releases.metrics),
      TEXT_ALLOWED_ORIGINS: pagesOrigin,
    };
    const functions = new Map(
      evaluation.builds.map((built) => {
        const { functionID } = built;
        const code = readZip
          ? unpack(evaluation, functionID, path.join(folder, functionID), readZip(functionID))
          : link(evaluation, built, path.join(bundles, functionID));
        // IAM's stand-in identifies a function by its access key.
        Object.assign(code.environment, surroundings, { AWS_ACCESS_KEY_ID: functionID });
        return [code.name, code];
      }),
    );

    const published = new Map<string, FunctionPackage>();
    const start = (code: FunctionPackage) =>
      startFunction(code, dev ? devRuntimeOf(code) : { args: [runtimeClient], withheld: [] });
    const functionAt = (arn: unknown) => {
      const name = /:function:([\w-]+):live$/.exec(String(arn))?.[1];
      const code = functions.get(shortName(name ?? ""));
      if (!code) throw new Error(`${arn} is no alias of a function`);
      return code;
    };
    const startVersion = (code: FunctionPackage, version: string) => {
      const functionName = longName(code.name);
      const environment = { AWS_LAMBDA_FUNCTION_NAME: functionName, AWS_LAMBDA_FUNCTION_VERSION: version };
      const started = start({ ...code, environment: { ...code.environment, ...environment } });
      running.set(`${functionName} ${version}`, started);
      return started;
    };
    const invoke = async (code: DeployedFunction, event: unknown) => {
      const functionName = longName(code.name);
      const version = releases.nextVersion(functionName);
      const key = `${functionName} ${version}`;
      try {
        const started = running.get(key) ?? startVersion(published.get(key) ?? code, version);
        return (await (await started).invoke(event)).answer;
      } catch (error) {
        releases.noteCrash(functionName, version);
        throw error;
      }
    };
    const invokeByArn = async (arn: string, event: Buffer) => {
      if (event.length > payloadLimit) throw new Error("the event exceeds 6 MB");
      const answer = JSON.stringify(await invoke(functionAt(arn), JSON.parse(String(event))));
      if (Buffer.byteLength(answer) > payloadLimit) throw new Error("the answer exceeds 6 MB");
      return answer;
    };
    const handlerOf =
      (code: DeployedFunction): Handler =>
      async (request) => {
        const event = toEvent(request);
        if (lengthOf(event) > payloadLimit) return plainAnswer(413, '{"message":"Request Too Long"}');
        const answer = await invoke(code, event);
        if (lengthOf(answer) > payloadLimit) throw new Error("the answer exceeds 6 MB");
        return toAnswer(answer as GatewayResult);
      };
    const listen = async (routes: Routes) => {
      const server = createGateway(routes, plainAnswer).listen(0, "127.0.0.1");
      await once(server, "listening");
      stops.push(() => server.close());
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    };
    const routesOf = (api: string) => routesOfApi(evaluation, api, (arn) => handlerOf(functionAt(arn)));
    const throughEdge = (api: string) => {
      const tell = edgeOf(evaluation, api);
      const routes = [...routesOf(api)];
      return new Map(routes.map(([key, handler]): [string, Handler] => [key, (request) => handler(tell(request))]));
    };
    const apiKey = "a-key";
    const restorable = await startRestorableDatabase(data.endpoint);
    stops.push(restorable.stop);
    const account = {
      database: restorable,
      variables: { AWS_ENDPOINT_URL_DYNAMODB: restorable.url, AWS_ENDPOINT_URL_S3: await serve(objects.listener()) },
    };
    const application: ApiKeyRecord = { applicationId: "app", name: "n", status: "enabled", created: 0 };
    await operator.createApiKey(apiKey, application);
    /** Does what Pulumi does at the end of a deployment. */
    const runCanary = async (changes: Partial<Release> = {}) => {
      for (const { name, inputs } of resourcesOf(evaluation, "lambda/invocation:Invocation")) {
        const canary = functions.get(shortName(String(inputs.functionName)));
        if (!canary) throw new Error("the stacks have no canary");
        await invoke(canary, { ...JSON.parse(String(inputs.input)), ...(name === "CanaryRun" && changes) });
      }
    };
    // `sst dev` does not run it.
    if (!dev) await runCanary();
    const [baseUrl, textUrl] = [await listen(throughEdge("MainApi")), await listen(throughEdge("TextApi"))];
    return {
      evaluation,
      functions,
      pages: pagesOrigin,
      access,
      objects,
      table,
      operator,
      account,
      releases,
      runCanary,
      start,
      stop,
      client: new ServiceClient({ baseUrl, textUrl, apiKey }),
      apiOrigin: await listen(routesOf("MainApi")),
      restart: async (name, variables) => {
        const code = functions.get(name);
        if (!code) throw new Error(`no function ${name}`);
        const version = releases.nextVersion(longName(name));
        const former = await running.get(`${longName(name)} ${version}`)?.catch(() => undefined);
        await former?.stop();
        await startVersion({ ...code, environment: { ...code.environment, ...variables } }, version);
      },
      publish: (name, version, changes) => {
        const code = functions.get(name);
        if (!code) throw new Error(`no function ${name}`);
        const environment = { ...code.environment, ...changes.environment };
        published.set(`${longName(name)} ${version}`, { ...code, ...changes, environment });
        releases.versions.get(longName(name))?.add(version);
      },
      runSchedules: async () => {
        for (const { inputs } of resourcesOf(evaluation, "scheduler/schedule:Schedule")) {
          const { arn, input = "{}" } = inputs.target as { arn: string; input?: string };
          await invoke(functionAt(arn), JSON.parse(input));
        }
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The buckets of the stage. */
function bucketsOf(evaluation: Evaluation): Record<string, { isVersioned: boolean }> {
  const namesOf = (type: string) => resourcesOf(evaluation, type).map(({ inputs }) => String(inputs.bucket));
  const versioned = namesOf("s3/bucketVersioning:BucketVersioning");
  return Object.fromEntries(
    namesOf("s3/bucket:Bucket").map((name) => [name, { isVersioned: versioned.includes(name) }]),
  );
}

const lengthOf = (payload: unknown) => Buffer.byteLength(JSON.stringify(payload ?? null));

const prefix = "reading-list-dev-ann-";
const shortName = (name: string) => name.replace(prefix, "");
const longName = (name: string) => prefix + name;

/** Puts a function's package into a folder as Lambda does, with nothing else beside it. */
function unpack(evaluation: Evaluation, functionID: string, folder: string, { files, source }: Zip): DeployedFunction {
  for (const [name, content] of Object.entries(files)) {
    const target = path.join(folder, name);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  // The binaries in the package are those for Lambda's processor: those for this one are put beside them.
  if (Object.keys(files).some((name) => name.startsWith("prebuilds/"))) {
    cpSync("node_modules/argon2/prebuilds", path.join(folder, "prebuilds"), { recursive: true });
  }
  if (Object.keys(files).some((name) => name.startsWith("node_modules/@img/"))) {
    const { from } = packageSharp(process.cwd(), process.arch);
    cpSync(path.join(from, "@img"), path.join(folder, "node_modules/@img"), { recursive: true });
  }
  return functionOf(evaluation, functionID, { folder, files: Object.keys(files), builtIn: source });
}

/** Links what a function copies beside its bundle, as `sst dev` does. */
function link(evaluation: Evaluation, { functionID, copyFiles = [] }: Build, folder: string): DeployedFunction {
  const links = [{ from: "node_modules", to: "node_modules" }, ...copyFiles];
  for (const { from, to } of links) {
    mkdirSync(path.dirname(path.join(folder, to)), { recursive: true });
    symlinkSync(path.resolve(from), path.join(folder, to));
  }
  return functionOf(evaluation, functionID, { folder, files: links.map(({ to }) => to), builtIn: folder });
}

/** The variables of Lambda that the bridge of `sst dev` keeps from a function (`functions/bridge/bridge.go` of SST). */
const withheldByBridge = [
  "LAMBDA_TASK_ROOT",
  "_HANDLER",
  "LANG",
  "AWS_EXECUTION_ENV",
  "AWS_LAMBDA_INITIALIZATION_TYPE",
  "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
  "AWS_LAMBDA_LOG_GROUP_NAME",
  "AWS_LAMBDA_LOG_STREAM_NAME",
];

/** SST's own runtime, with the arguments that `sst dev` gives it. */
const devRuntimeOf = ({ name, folder }: FunctionPackage): Runtime => ({
  args: [
    "--enable-source-maps",
    "--no-warnings",
    path.resolve(".sst/platform/dist/nodejs-runtime/index.js"),
    path.join(folder, "bundle.handler"),
    name,
  ],
  withheld: withheldByBridge,
});

/** `builtIn`: the folder in which the bundle was made, from which its source map names the sources. */
function functionOf(
  evaluation: Evaluation,
  functionID: string,
  { folder, files, builtIn }: { folder: string; files: string[]; builtIn: string },
): DeployedFunction {
  const resource = evaluation.resources.find(({ name }) => name === `${functionID}Function`);
  if (!resource) throw new Error(`no function ${functionID}`);
  const { name, environment, memorySize, timeout } = resource.inputs as unknown as FunctionInputs;
  const { sources } = JSON.parse(readFileSync(path.join(folder, "bundle.mjs.map"), "utf8")) as { sources: string[] };
  return {
    name: shortName(name),
    memoryMegabytes: memorySize,
    timeoutSeconds: timeout,
    environment: { ...environment.variables },
    folder,
    files,
    sources: sources.map((source) => path.relative("", path.resolve(builtIn, source))),
  };
}

/** The routes of an API with the handlers of the aliases that they call. */
function routesOfApi(evaluation: Evaluation, api: string, handlerOf: (arn: unknown) => Handler): Routes {
  const integrations = new Map(
    resourcesOf(evaluation, "apigatewayv2/integration:Integration").map(({ name, inputs }) => [
      `integrations/${name}-id`,
      inputs.integrationUri,
    ]),
  );
  return new Map(
    resourcesOf(evaluation, "apigatewayv2/route:Route")
      .filter(({ inputs }) => inputs.apiId === `${api}Api-id`)
      .map(({ inputs }) => [String(inputs.routeKey), handlerOf(integrations.get(String(inputs.target)))]),
  );
}

/** Changes a request as the CloudFront in front of an API does, if there is one. */
function edgeOf(evaluation: Evaluation, api: string): (request: HttpRequest) => HttpRequest {
  const named = (type: string, name: string): Resource | undefined =>
    resourcesOf(evaluation, type).find((each) => each.name === name);
  const distribution = named("cloudfront/distribution:Distribution", `${api}EdgeDistribution`)?.inputs;
  if (!distribution) return (request) => request;
  const code = named("cloudfront/function:Function", "EdgeAddress")?.inputs.code;
  const tellAddress = new Function(`${code}; return handler;`)();
  const [origin] = distribution.origins as { customHeaders: { name: string; value: string }[] }[];
  const added = Object.fromEntries(origin?.customHeaders.map(({ name, value }) => [name, value]) ?? []);
  return (request) => {
    const { host = "", ...headers } = request.headers;
    const viewer = { ip: request.address };
    const viewed = tellAddress({ request: { headers: { host: { value: host } } }, viewer }).headers;
    const told = Object.entries<{ value: string }>(viewed).map(([name, { value }]) => [name, value]);
    // CloudFront calls the API at its own host.
    return { ...request, headers: { ...headers, ...Object.fromEntries(told), ...added, host: "main.execute-api" } };
  };
}

/** Compiled to JavaScript, so that processes start faster. */
async function buildRuntimeClient(folder: string): Promise<string> {
  const outfile = path.join(folder, "bootstrap.mjs");
  const source = fileURLToPath(new URL("runtime-client.ts", import.meta.url));
  await build({ entryPoints: [source], outfile, platform: "node", format: "esm", target: "es2024" });
  return outfile;
}
