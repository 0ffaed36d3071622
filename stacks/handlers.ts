// SPDX-License-Identifier: MIT

import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";

const folder = ".sst/handlers";
const packages = "../../packages";

/** Whether the function of an endpoint contains argon2. */
export const checksPasswords = ({ caller }: Pick<EndpointContract, "caller">) => caller !== "application";

/**
 * How a function reads pages of the web: by the extraction function, if it has rights on users' records or articles; or
 * itself; or not at all.
 */
export const grantPages = ({ host, articles, list }: Pick<EndpointContract, "host" | "articles" | "list">) =>
  articles === "keep" ? "remote" : host === "text" && list === undefined ? "own" : undefined;

/**
 * Writes the module of an endpoint's Lambda function, and returns SST's name of its handler. Each function imports its
 * own endpoint and only the large parts that this needs, so that its bundle contains nothing else.
 */
export function writeHandler(endpoint: EndpointContract): string {
  const { name } = endpoint;
  const pages = grantPages(endpoint);
  const [compose, file] = pages === "own" ? ["composeLiveWithReader", "live-reader"] : ["composeLive", "live"];
  const parts = [
    checksPasswords(endpoint) && [
      "passwords: createPasswordHasher()",
      "createPasswordHasher",
      "http/compose/password-hasher",
    ],
    endpoint.list === "search"
      ? ["...createLiveSearch()", "createLiveSearch", "lambda/compose/live-search"]
      : endpoint.articles && ["articles: createLiveArticles()", "createLiveArticles", "lambda/compose/live-kept"],
    endpoint.pictures === "keep" && ["...createLivePictures()", "createLivePictures", "lambda/compose/live-pictures"],
    endpoint.pictures === "count" && [
      "pictureStore: createLivePictureStore()",
      "createLivePictureStore",
      "lambda/compose/live-kept",
    ],
    endpoint.list === "kept" && ["keptPages: createLiveKeptPages()", "createLiveKeptPages", "lambda/compose/live-kept"],
    endpoint.list === "share" && ['textUrlFor: () => liveTextUrl ?? ""', "liveTextUrl", "lambda/compose/live"],
    pages === "remote" && [
      "reader: createLiveRemoteReader()",
      "createLiveRemoteReader",
      "lambda/compose/live-remote-reader",
    ],
  ].filter((part) => Array.isArray(part));
  const source = [
    `import { ${compose} } from "${packages}/lambda/compose/${file}.ts";`,
    ...parts.map(([, part, module]) => `import { ${part} } from "${packages}/${module}.ts";`),
    `import { endpoint } from "${packages}/core/use-cases/endpoints/${name}.ts";`,
    `export const handler = ${compose}(endpoint, { ${parts.map(([part]) => part).join(", ")} });`,
  ].join("\n");
  const target = path.join($cli.paths.root, folder, `${name}.ts`);
  mkdirSync(path.dirname(target), { recursive: true });
  // Other evaluations may be reading the file.
  writeFileSync(`${target}.${process.pid}`, source);
  renameSync(`${target}.${process.pid}`, target);
  return `${folder}/${name}.handler`;
}
