// SPDX-License-Identifier: MIT

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { request } from "node:https";
import { connect } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findFreePort } from "@reading-list/testing/free-port.ts";

/** Where the example configurations are. */
export const examples = "deploy/self-hosting";

interface Ports {
  https: number;
  http: number;
  /** For browsers, which do not know the certificate: on `localhost` without TLS, of a service below `/reading`. */
  isPlain: boolean;
}

/** Writes a proxy's configuration to a folder that has `fullchain.pem` and `privkey.pem`; returns its command. `upstream`: `host:port`. */
type Prepare = (folder: string, ports: Ports, upstream: string) => { command: string[]; env?: NodeJS.ProcessEnv };

/** Replaces each text by another one. Throws if it is not in the example. */
function adapt(example: string, { isPlain }: Ports, replacements: Record<string, string>): string {
  const whole = readFileSync(path.join(examples, example), "utf8");
  let text = isPlain ? belowPath(whole) : whole;
  for (const [part, replacement] of Object.entries(replacements)) {
    if (!text.includes(part)) throw new Error(`${example} has no ${part}`);
    text = text.replaceAll(part, replacement);
  }
  return text;
}

/** The lines of an example for a service below `/reading`, which are comments, instead of the line after them. */
const belowPath = (example: string) =>
  example.replace(/^\s*# Below a path.*\n((?:\s*# .*\n)+).*\n/m, (_, lines: string) => lines.replaceAll("# ", ""));

const prepareNginx: Prepare = (folder, ports, upstream) => {
  const site = path.join(folder, "site.conf");
  // Of two servers with one name nginx takes the first.
  const listens = ports.isPlain
    ? { "listen 443 ssl http2": "listen 80", "server_name list.example.com": "server_name localhost" }
    : { "listen 443": `listen 127.0.0.1:${ports.https}` };
  const adapted = adapt("nginx.conf", ports, {
    "    listen [::]:443 ssl http2;\n": "",
    "    listen [::]:80;\n": "",
    ...listens,
    "listen 80": `listen 127.0.0.1:${ports.http}`,
    "127.0.0.1:3000": upstream,
    "/etc/letsencrypt/live/list.example.com": folder,
    "/var/log/nginx": folder,
  });
  writeFileSync(site, adapted);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const main = path.join(folder, "nginx.conf");
  writeFileSync(
    main,
    [
      ...(process.getuid?.() === 0 ? ["user root;"] : []),
      `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/start.log; events {}`,
      `http { access_log ${folder}/other.log; ${temporary.join(" ")} include ${site}; }`,
    ].join("\n"),
  );
  return { command: ["nginx", "-e", `${folder}/start.log`, "-c", main] };
};

const prepareCaddy: Prepare = (folder, ports, upstream) => {
  const file = path.join(folder, "Caddyfile");
  const certificate = `tls ${folder}/fullchain.pem ${folder}/privkey.pem`;
  const adapted = adapt("Caddyfile", ports, {
    "\tlog default {": `\tadmin off\n\tdefault_bind 127.0.0.1\n\thttps_port ${ports.https}\n\thttp_port ${ports.http}\n\tlog default {`,
    "\nlist.example.com {": ports.isPlain
      ? `\nhttp://localhost:${ports.http} {`
      : `\nlist.example.com {\n\t${certificate}`,
    "127.0.0.1:3000": upstream,
  });
  writeFileSync(file, adapted);
  const home = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  return { command: ["caddy", "run", "--config", file, "--adapter", "caddyfile"], env: home };
};

const prepares = { nginx: prepareNginx, caddy: prepareCaddy };
export type ProxyName = keyof typeof prepares;

/** The proxies of this machine, such as the ones that `.ci/install-proxies` installs. */
export const installedProxies = (Object.keys(prepares) as ProxyName[]).filter(
  (name) => spawnSync(name, [name === "nginx" ? "-v" : "version"]).error === undefined,
);

export interface ProxyCall {
  /** The body of a POST; without it the call is a GET. */
  form?: string;
  /** The address of this machine to call from. */
  from?: string;
  headers?: Record<string, string>;
}

interface ProxyAnswer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A running reverse proxy, called as clients do that reach it by name over TLS. */
export class ReverseProxy {
  readonly #folder: string;
  readonly #ports: Ports;
  readonly #process: ChildProcess;
  #output = "";

  private constructor(folder: string, ports: Ports, child: ChildProcess) {
    this.#folder = folder;
    this.#ports = ports;
    this.#process = child;
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => (this.#output += text));
  }

  /**
   * Starts a proxy with the example configuration, on loopback and with a certificate of its own; or for browsers on the port
   * `plain` of `localhost` without TLS, of a service below `/reading`.
   */
  static async start(name: ProxyName, folder: string, upstream: string, plain?: number): Promise<ReverseProxy> {
    createCertificate(folder);
    const ports = { https: await findFreePort(), http: plain ?? (await findFreePort()), isPlain: plain !== undefined };
    const { command, env } = prepares[name](folder, ports, upstream);
    const [program = "", ...args] = command;
    const proxy = new ReverseProxy(folder, ports, spawn(program, args, { env: { PATH: process.env.PATH, ...env } }));
    const listening = [ports.http, ...(ports.isPlain ? [] : [ports.https])];
    while ((await Promise.all(listening.map(isListening))).includes(false)) {
      if (proxy.#process.exitCode !== null) throw new Error(`${name} does not start: ${proxy.logs()}`);
      await pause(20);
    }
    return proxy;
  }

  /** Calls the proxy over TLS, from an address of this machine. */
  async call(url: string, options?: ProxyCall): Promise<ProxyAnswer> {
    const response = await this.#begin(url, options);
    let body = "";
    for await (const chunk of response) body += chunk;
    return { status: response.statusCode, headers: response.headers, body };
  }

  /** Disconnects after the headers of the answer. */
  async abort(url: string): Promise<void> {
    const response = await this.#begin(url);
    response.destroy();
  }

  async #begin(url: string, { form, from = "127.0.0.2", headers = {} }: ProxyCall = {}): Promise<IncomingMessage> {
    const { hostname, pathname, search } = new URL(url);
    const sent = request({
      host: "127.0.0.1",
      port: this.#ports.https,
      localAddress: from,
      agent: false,
      servername: hostname,
      ca: readFileSync(path.join(this.#folder, "fullchain.pem")),
      method: form === undefined ? "GET" : "POST",
      path: pathname + search,
      headers: {
        host: hostname,
        ...(form !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
        ...headers,
      },
    }).end(form);
    const [response] = await once(sent, "response");
    return response;
  }

  /** Calls the proxy without TLS; returns the status and where it redirects to. */
  async callPlain(hostname: string, target: string): Promise<string> {
    const socket = connect(this.#ports.http, "127.0.0.1");
    socket.end(`POST ${target} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
    let answer = "";
    for await (const chunk of socket) answer += chunk;
    return `${answer.slice(9, 12)} ${/^location: (.*)$/im.exec(answer)?.[1]?.replace(`:${this.#ports.https}/`, "/")}`;
  }

  /** Everything that the proxy has logged or printed. */
  logs(): string {
    const files = globSync(path.join(this.#folder, "*.log"));
    return [this.#output, ...files.map((file) => readFileSync(file, "utf8"))].join("\n");
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGTERM");
    await ended;
  }
}

function createCertificate(folder: string): void {
  const names = "subjectAltName=DNS:list.example.com";
  const files = ["-keyout", path.join(folder, "privkey.pem"), "-out", path.join(folder, "fullchain.pem")];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const about = ["-days", "2", "-subj", "/CN=list.example.com", "-addext", names];
  const { status, stderr } = spawnSync("openssl", ["req", "-x509", ...key, ...about, ...files]);
  if (status !== 0) throw new Error(`openssl: ${stderr}`);
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
