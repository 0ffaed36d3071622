import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { answerCall, stateOf } from "./account.ts";
import type { Build, Evaluation, Resource } from "./evaluate.ts";

/**
 * Evaluates the SST program of one stage, named by the first argument, and sends the `Evaluation` to the parent
 * process. It does what the `sst` command does, with Pulumi's own mocks in place of its engine.
 */
const [stage = ""] = process.argv.slice(2);
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
const builds: Build[] = [];
const server = await answerComponents(builds);
const { resources, outputs } = await runProgram(app);
server.close();
process.send?.({ app, resources, builds, outputs } satisfies Evaluation);
process.disconnect?.();

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

/** What the config's `app` says of the stage. */
function readApp() {
  const code = `import config from ${config}; export default config.app(${JSON.stringify({ stage })});`;
  return load("app", code, { banner: { js: "const $config = (config) => config;" } });
}

async function runProgram(app: object) {
  const code = `
    import { run } from ${JSON.stringify(join(platform, "src/auto/run.ts"))};
    import config from ${config};
    export default (beforeProgram) => run(() => { beforeProgram(); return config.run(); });`;
  const paths = { home: work, root, work, platform };
  const program = await load("program", code, {
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    define: {
      $app: JSON.stringify(app),
      $cli: JSON.stringify({ command: "deploy", dev: false, paths, state: { version: {} } }),
      $dev: "false",
    },
    inject: [join(platform, "src/shim/run.js")],
    nodePaths: [join(platform, "node_modules")],
    external: ["@pulumi/*", "@pulumiverse/*", "@aws-sdk/*", "undici", "esbuild", "archiver", "glob", "vite"],
    plugins: [
      {
        name: "globals",
        setup: ({ onLoad }) => {
          const globals = `import * as aws from "@pulumi/aws"; import * as sst from ${JSON.stringify(join(platform, "src/components"))};`;
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
  const retained = new Set<string>();
  await pulumi.runtime.setMocks({
    call: answerCall,
    newResource: ({ type, name, inputs, id }: Resource & { id?: string }) => {
      // What has an id is there already and only read.
      if (id) return { id, state: stateOf(type, name, { name: id }) };
      resources.push({ type, name, inputs, retained: retained.has(name) });
      return { id: `${name}-id`, state: stateOf(type, name, inputs) };
    },
  });
  const noteRetained = () =>
    pulumi.runtime.registerStackTransformation(
      ({ name, opts }: { name: string; opts: { retainOnDelete?: boolean } }) => {
        if (opts.retainOnDelete) retained.add(name);
      },
    );
  const outputs = await pulumi.runtime.runInPulumiStack(() => program(noteRetained));
  await pulumi.runtime.disconnect();
  return { resources, outputs };
}

/** Answers what SST's components ask the `sst` command. */
async function answerComponents(builds: Build[]): Promise<Server> {
  const emptyBundle = mkdtempSync(join(work, "bundle-"));
  const answers: Record<string, (input: Build) => unknown> = {
    "Provider.Aws.Bootstrap": () => ({ asset: "assets" }),
    "Runtime.Build": (input) => {
      builds.push({ functionID: input.functionID, handler: input.handler, properties: input.properties });
      return { handler: input.handler.split("/").at(-1), out: emptyBundle, errors: [], sourcemaps: [] };
    },
  };
  const server = createServer(async (request, response) => {
    const { method, params } = JSON.parse((await request.toArray()).join(""));
    const answer = answers[method];
    response.end(
      JSON.stringify(answer ? { result: answer(params[0]) } : { error: `rpc: can't find method ${method}` }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  process.env.SST_SERVER = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return server;
}
