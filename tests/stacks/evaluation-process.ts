// SPDX-License-Identifier: MIT

import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { buildBundle } from "./bundles/bundle.ts";
import type { Build, Evaluation, EvaluationOptions, Resource } from "./evaluate.ts";
import { mockPulumi } from "./mock-pulumi.ts";

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
// A message larger than the pipe's buffer is lost if the channel closes before it is written.
process.send?.({ app, resources, builds, outputs } satisfies Evaluation, () => process.disconnect?.());

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
    alias: { archiver: fileURLToPath(new URL("no-archiver.ts", import.meta.url)) },
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
  await mockPulumi(pulumi, (resource) => {
    const { type, name } = resource;
    const { retainOnDelete = false, protect = false, ignoreChanges = [] } = optionsOf.get(`${type} ${name}`) ?? {};
    resources.push({ ...resource, retained: retainOnDelete, protected: protect, ignoreChanges });
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

/** Builds a function; its bundle is empty if nobody wants it. */
async function bundle(wanted: Build) {
  const out = join(bundles, wanted.functionID);
  await mkdir(out);
  if (options.bundles) await buildBundle(wanted, out);
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
