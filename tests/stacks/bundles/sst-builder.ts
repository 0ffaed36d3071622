// SPDX-License-Identifier: MIT

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { unzipSync } from "fflate";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A stage with every function. Nothing calls the provider. */
const variables = {
  SHARING: "on",
  PROBE: "on",
  BASE_DOMAIN: "api.example.com",
  WEB_API_KEY: "the-key-of-the-reader",
  OIDC_ISSUER: "https://id.example.com",
  OIDC_CLIENT_ID: "reading-list",
  OIDC_CLIENT_SECRET: "secret",
  RELEASE: "built-by-sst",
};

/** The package that SST uploads for a function. */
export interface Zip {
  /** By their path in the package. */
  files: Record<string, Uint8Array>;
  /** The folder in which SST made the bundle. */
  source: string;
}

/**
 * The package of each function by its `functionID`, as `sst deploy` makes it: its own builder decides what is bundled, what
 * stays outside and what is installed. Stand-ins replace the account and Pulumi's engine. The processes of a run share the
 * packages in the folder `shared`; the first that wants them makes them, which takes 35 s of processor time.
 */
export async function readZips(shared: string): Promise<(functionID: string) => Zip> {
  const folder = path.join(shared, "sst");
  const ended = path.join(shared, "sst.ended");
  if (makeFolder(folder)) {
    const outcome = await deployWithStandIns(folder).then(
      () => "",
      (error: Error) => error.message,
    );
    writeFileSync(`${ended}.partial`, outcome);
    renameSync(`${ended}.partial`, ended);
  }
  while (!existsSync(ended)) await wait(100);
  const failure = readFileSync(ended, "utf8");
  if (failure) throw new Error(failure);
  const artifacts = path.join(folder, ".sst/artifacts");
  return (functionID) => {
    const entries = Object.entries(unzipSync(readFileSync(path.join(artifacts, functionID, "code.zip"))));
    return {
      files: Object.fromEntries(entries.filter(([name]) => !name.endsWith("/"))),
      source: path.join(artifacts, `${functionID}-src`),
    };
  };
}

/** Whether this call has made the folder. */
function makeFolder(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/** Runs `sst deploy` in a folder that links to the project, so that the project's own `.sst` stays as it is. */
async function deployWithStandIns(folder: string): Promise<void> {
  const link = (name: string) => symlinkSync(path.join(root, name), path.join(folder, name));
  for (const name of readdirSync(root)) if (!name.startsWith(".") && name !== "sst.config.ts") link(name);
  writeFileSync(path.join(folder, "sst.config.ts"), readFileSync(path.join(root, "sst.config.ts")));
  const home = path.join(folder, "config");
  const pulumi = path.join(home, "sst/bin/pulumi");
  for (const made of [path.join(folder, ".sst"), path.dirname(pulumi)]) mkdirSync(made, { recursive: true });
  link(".sst/platform");
  // SST would put links into the packages.
  for (const name of readdirSync(path.join(root, ".sst"))) {
    if (/^(pdfjs|sharp)-/.test(name)) {
      cpSync(path.join(root, ".sst", name), path.join(folder, ".sst", name), { recursive: true });
    }
  }
  const engine = fileURLToPath(new URL("pulumi-engine.ts", import.meta.url));
  writeFileSync(pulumi, `#!/bin/sh\nexec "${process.execPath}" "${engine}" "$@"\n`);
  chmodSync(pulumi, 0o755);
  const account = createServer(answerAccount()).listen(0, "127.0.0.1");
  await once(account, "listening");
  const args = ["deploy", "--stage", "dev-ann", "--print-logs"];
  const child = spawn(process.execPath, [path.join(root, "node_modules/sst/bin/sst.mjs"), ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...variables,
      PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
      HOME: home,
      XDG_CONFIG_HOME: home,
      SST_PULUMI_PATH: pulumi,
      SST_SKIP_DEPENDENCY_CHECK: "true",
      SST_NO_BUN: "1",
      SST_NO_CLEANUP: "1",
      SST_TELEMETRY_DISABLED: "1",
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(account.address() as AddressInfo).port}`,
      AWS_ACCESS_KEY_ID: "x",
      AWS_SECRET_ACCESS_KEY: "y",
      AWS_REGION: "eu-west-1",
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text) => {
      output += text;
    });
  await once(child, "close");
  account.close();
  // The exit code is useless, because without Pulumi's events SST reports each deployment as interrupted.
  if (!existsSync(path.join(folder, "deployed"))) throw new Error(`sst deploy failed:\n${output}`);
}

/** The account of the `sst` command: its own parameters, its bucket of states, and who calls. */
function answerAccount(): RequestListener {
  const parameters = new Map([["/sst/bootstrap", JSON.stringify({ version: 99, asset: "assets", state: "states" })]]);
  const objects = new Map<string, Buffer>();
  return async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const [url = ""] = (request.url ?? "").split("?");
    const [, action] = String(request.headers["x-amz-target"]).split(".");
    if (action === "GetParameter" || action === "PutParameter") {
      const { Name, Value } = JSON.parse(String(body));
      if (Value !== undefined) parameters.set(Name, Value);
      const found = parameters.get(Name);
      response.writeHead(found === undefined ? 400 : 200, { "content-type": "application/x-amz-json-1.1" });
      response.end(
        JSON.stringify(
          found === undefined ? { __type: "ParameterNotFound" } : { Parameter: { Name, Value: found }, Version: 1 },
        ),
      );
    } else if (body.includes("Action=GetCallerIdentity")) {
      response.end(
        "<GetCallerIdentityResponse><GetCallerIdentityResult><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>",
      );
    } else if (request.method === "PUT") {
      objects.set(url, body);
      response.end();
    } else if (request.method === "DELETE") {
      objects.delete(url);
      response.writeHead(204).end();
    } else {
      const found = objects.get(url);
      if (found) response.end(found);
      else response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>");
    }
  };
}
