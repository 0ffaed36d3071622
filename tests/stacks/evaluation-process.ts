// SPDX-License-Identifier: MIT

import { execSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { answerCall, stateOf } from "./account.ts";
import { buildBundle, copySharedBundle } from "./bundles/bundle.ts";
import type { Build, Evaluation, EvaluationOptions, PackagedFile, Resource } from "./evaluate.ts";

/**
 * Evaluates the SST program of one stage, named by the first argument, with the `EvaluationOptions` of the second, and
 * sends the `Evaluation` to the parent process. It does the same as the `sst` command, with Pulumi's mocks instead of
 * its engine.
 */
const [stage = "", optionsText = "{}"] = process.argv.slice(2);
const options: EvaluationOptions = JSON.parse(optionsText);
const { dev = false } = options;
const root = fileURLToPath(new URL("../..", import.meta.url));
const platform = join(root, ".sst/platform");
const config = JSON.stringify(join(root, "sst.config.ts"));
const pulumi = createRequire(join(platform, "package.json"))("@pulumi/pulumi");

const work = mkdtempSync(join(tmpdir(), "stacks-"));
const leftovers = [work];
process.on("exit", () => {
  for (const path of leftovers) rmSync(path, { recursive: true, force: true });
});

const app = { ...(await readApp()), stage };
const bundles = options.bundles ?? mkdtempSync(join(work, "bundles-"));
const builds: Build[] = [];
const server = await answerComponents(builds);
const { resources, outputs } = await runProgram(app);
if (dev) {
  // The program ends without awaiting its calls of `Runtime.AddTarget`.
  const functions = resources.filter(({ type }) => type === "aws:lambda/function:Function");
  while (builds.length < functions.length) await wait(10);
  await Promise.all(builds.map(bundle));
}
server.close();
const packages = await readPackages();
// A message larger than the pipe's buffer is lost if the channel closes before it is written.
process.send?.({ app, resources, builds, packages, outputs } satisfies Evaluation, () => process.disconnect?.());

/** Bundles code and imports it, from a place where the platform's packages are found. */
async function load(name: string, code: string, options: BuildOptions) {
  const outfile = join(platform, `${name}.${process.pid}.mjs`);
  leftovers.push(outfile);
  await build({
    stdin: { contents: code, resolveDir: root, loader: "ts" },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    mainFields: ["module", "main"],
    logLevel: "error",
    ...options,
  });
  return (await import(pathToFileURL(outfile).href)).default;
}

/** The result of the config's `app` for the stage. */
function readApp() {
  const code = `import config from ${config}; export default config.app(${JSON.stringify({ stage })});`;
  return load("app", code, { banner: { js: "const $config = (config) => config;" } });
}

async function runProgram(app: object) {
  const code = `
    import { run } from ${JSON.stringify(join(platform, "src/auto/run.ts"))};
    import config from ${config};
    export default (beforeProgram) => run(() => { beforeProgram(); return config.run(); });`;
  const paths = { home: work, root: options.root ?? root, work, platform };
  const program = await load("program", code, {
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    define: {
      $app: JSON.stringify(app),
      $cli: JSON.stringify({ command: dev ? "dev" : "deploy", dev, paths, state: { version: {} } }),
      $dev: String(dev),
    },
    inject: [join(platform, "src/shim/run.js")],
    nodePaths: [join(platform, "node_modules")],
    external: ["@pulumi/*", "@pulumiverse/*", "@aws-sdk/*", "undici", "esbuild", "glob", "vite"],
    alias: { archiver: fileURLToPath(new URL("listing-archiver.ts", import.meta.url)) },
    plugins: [
      {
        name: "globals",
        setup: ({ onLoad }) => {
          const globals = `import * as aws from "@pulumi/aws"; import * as random from "@pulumi/random"; import * as sst from ${JSON.stringify(join(platform, "src/components"))};`;
          onLoad({ filter: /\.ts$/ }, async ({ path }) =>
            path.includes(".sst")
              ? undefined
              : { contents: `${globals}\n${await readFile(path, "utf8")}`, loader: "ts" },
          );
        },
      },
    ],
  });

  const resources: Resource[] = [];
  interface Options {
    retainOnDelete?: boolean;
    protect?: boolean;
    ignoreChanges?: string[];
  }
  const optionsOf = new Map<string, Options>();
  await pulumi.runtime.setMocks({
    call: answerCall,
    newResource: ({ type, name, inputs: given, id }: Resource & { id?: string }) => {
      const inputs = withoutMarks(given) as Resource["inputs"];
      // A resource with an id already exists and is only read.
      if (id) return { id, state: stateOf(type, name, { name: id }) };
      // The program reads the files that the command writes.
      if (type === "command:local:Command") runCommand(inputs);
      const { retainOnDelete = false, protect = false, ignoreChanges = [] } = optionsOf.get(`${type} ${name}`) ?? {};
      resources.push({ type, name, inputs, retained: retainOnDelete, protected: protect, ignoreChanges });
      return { id: `${name}-id`, state: stateOf(type, name, inputs) };
    },
  });
  const noteOptions = () =>
    pulumi.runtime.registerStackTransformation(
      ({ type, name, opts }: { type: string; name: string; opts: Options }) => {
        optionsOf.set(`${type} ${name}`, opts);
      },
    );
  const outputs = await pulumi.runtime.runInPulumiStack(() => program(noteOptions));
  await pulumi.runtime.disconnect();
  return { resources, outputs };
}

/** The same inputs, in which secrets are marked no more: the mocks get a secret as an object of this signature. */
function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (typeof value !== "object" || value === null) return value;
  const isMarked = (value as Record<string, unknown>)["4dabf18193072939515e22adb298388d"] !== undefined;
  if (isMarked) return withoutMarks((value as Record<string, unknown>).value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutMarks(each)]));
}

function runCommand({ create, dir, environment }: Resource["inputs"]): void {
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ""}`, ...(environment as object) };
  execSync(String(create), { cwd: String(dir), env, stdio: "ignore" });
}

/** Builds a function; its bundle is empty if nobody wants it. */
async function bundle(wanted: Build) {
  const out = join(bundles, wanted.functionID);
  await mkdir(out);
  if (options.bundles)
    await (options.shared ? copySharedBundle(wanted, out, options.shared) : buildBundle(wanted, out));
  // SST leaves the source map out of the package.
  const sourcemaps = wanted.properties.sourcemap === undefined ? [join(out, "bundle.mjs.map")] : [];
  return { handler: `bundle${extname(wanted.handler)}`, out, errors: [], sourcemaps };
}

/** Answers the requests of SST's components to the `sst` command. */
async function answerComponents(builds: Build[]): Promise<Server> {
  const answers: Record<string, (input: Build) => unknown> = {
    "Provider.Aws.Bootstrap": () => ({ asset: "assets" }),
    "Provider.Aws.Appsync": () => ({ http: "http", realtime: "realtime" }),
    "Runtime.Build": (input) => {
      builds.push(input);
      return bundle(input);
    },
    // `sst dev` builds a function when it is called, and never minifies.
    "Runtime.AddTarget": ({ properties, ...target }) => {
      builds.push({ ...target, properties: { ...properties, minify: false } });
    },
  };
  const server = createServer(async (request, response) => {
    const { method, params } = JSON.parse((await request.toArray()).join(""));
    const answer = answers[method];
    response.end(
      JSON.stringify(answer ? { result: await answer(params[0]) } : { error: `rpc: can't find method ${method}` }),
    );
  });
  // A component that a busy machine delays must find its connection open.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  process.env.SST_SERVER = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return server;
}

/** The files that SST has packed for each function: `listing-archiver.ts` writes their list instead of a zip file. */
async function readPackages(): Promise<Evaluation["packages"]> {
  const artifacts = join(work, "artifacts");
  const packages: Record<string, PackagedFile[]> = {};
  for (const name of await readdir(artifacts)) {
    packages[name] = JSON.parse(await readFile(join(artifacts, name, "code.zip"), "utf8"));
  }
  return packages;
}
