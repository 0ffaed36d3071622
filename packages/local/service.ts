// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import path from "node:path";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createPageReader, type PageReaderOptions } from "@reading-list/article/page-reader.ts";
import { createPictureReader } from "@reading-list/article/pictures/picture-reader.ts";
import { pathsOfApi } from "@reading-list/core/contract/apis.ts";
import { shortBody } from "@reading-list/core/contract/bounded.ts";
import { methodsOf, pathOf } from "@reading-list/core/contract/endpoint.ts";
import { type EndpointName, endpoints } from "@reading-list/core/contract/endpoints.ts";
import { picture } from "@reading-list/core/contract/picture.ts";
import { shared } from "@reading-list/core/contract/shared.ts";
import { checkIds } from "@reading-list/core/domain/item-id.ts";
import { addressOfCode, createLinkSecret } from "@reading-list/core/domain/operator-link.ts";
import { SetupError } from "@reading-list/core/errors.ts";
import type { QueueLoad } from "@reading-list/core/fair-queue.ts";
import type { Clock } from "@reading-list/core/ports/clock.ts";
import type { Dependencies } from "@reading-list/core/ports/dependencies.ts";
import type { KeeperStore } from "@reading-list/core/ports/kept-pages.ts";
import type { PasswordHasher } from "@reading-list/core/ports/sign-ins.ts";
import { PageKeeper } from "@reading-list/core/use-cases/articles/keep-pages.ts";
import { keepPictures } from "@reading-list/core/use-cases/articles/keep-pictures.ts";
import { pathOfDownload } from "@reading-list/core/use-cases/operator/download-backup.ts";
import { createApiHandler } from "@reading-list/http/api.ts";
import { createBackupHandler } from "@reading-list/http/backup-download.ts";
import type { Handler } from "@reading-list/http/call.ts";
import { createDependencies } from "@reading-list/http/compose/dependencies.ts";
import { createHandlers } from "@reading-list/http/compose/handlers.ts";
import { createOperatorHandlers } from "@reading-list/http/compose/operator-handlers.ts";
import { createPasswordHasher } from "@reading-list/http/compose/password-hasher.ts";
import { createSignatureKeys } from "@reading-list/http/compose/signature-keys.ts";
import { createHealthHandler } from "@reading-list/http/health.ts";
import { createPictureHandler } from "@reading-list/http/picture.ts";
import { createSharedHandler } from "@reading-list/http/shared.ts";
import { createRefusal, createUnroutedHandler } from "@reading-list/http/unrouted.ts";
import { createCallLog } from "@reading-list/http/watch/call-log.ts";
import type { Report } from "@reading-list/http/watch/watch-calls.ts";
import { type KoboPorts, type KoboShop, koboShop as kobosShop } from "@reading-list/protocols/kobo/shop.ts";
import { mail as mailApi } from "@reading-list/protocols/mail/api.ts";
import { passkeys as passkeyApi } from "@reading-list/protocols/passkeys/api.ts";
import { canHavePasskeys, RelyingParty } from "@reading-list/protocols/passkeys/relying-party.ts";
import { protocols } from "@reading-list/protocols/protocols.ts";
import { checkSignOn, readSettings } from "@reading-list/settings/settings.ts";
import type { DiskSpace } from "@reading-list/store-sqlite/disk-reserve.ts";
import type { DailyBackups } from "./daily-backups.ts";
import { DataChecks } from "./data-checks.ts";
import { createGateway, findHandler, type Routes } from "./gateway.ts";
import { findLastBackup } from "./last-backup.ts";
import { readLocalSettings } from "./local-settings.ts";
import { writeAsText } from "./log-text.ts";
import { openData } from "./open-data.ts";
import { openSearch, type SearchTimes } from "./open-search.ts";
import { createReaderApi } from "./reader-apis.ts";
import { createReaderRoutes, readerAddress } from "./reader-routes.ts";
import { createReferenceRoutes } from "./reference-routes.ts";
import { repeatWork } from "./repeat-work.ts";
import { createShownTextUrl } from "./shown-text-url.ts";
import { createSignOn } from "./sign-on.ts";
import { prepareStop } from "./stop-server.ts";
import { watchClock, watchDisk } from "./watch-condition.ts";

export interface Service {
  baseUrl: string;
  textUrl: string;
  /** Where the web reader is; empty on a stage without one. */
  readerUrl: string;
  /** Where Prometheus finds metrics; empty without `METRICS_PORT`. */
  metricsUrl: string;
  /** The key of the application `local`; empty on a stage, which has its own keys. */
  apiKey: string;
  /** Where the first operator registers, with the code for it; undefined if there is one. */
  operatorLink: string | undefined;
  /** Whether to print the key: at each start on a loopback address, else if it is new. */
  isApiKeyShown: boolean;
  /** Resolves if the database cannot be written durably any more: the process must end. */
  failure: Promise<Error>;
  /** Finishes the calls under way, for 3 s at most, and stops everything. */
  stop(): Promise<void>;
}

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** Milliseconds between two looks for pages to keep in the background. */
const keeperRoundMs = 1000;

/** Load balancers keep idle connections for 60 s, and send requests through them: this end must not close them first. */
const idleMsBehindBalancer = 75_000;

/** A hasher of tests may have no queue. */
type MeasuredHasher = PasswordHasher & { load?(): QueueLoad };

/** Parts that tests replace. */
export interface Substitutes {
  clock?: Clock;
  wrapClient?: (client: DynamoDBDocumentClient) => DynamoDBDocumentClient;
  report?: Report;
  passwords?: MeasuredHasher;
  koboShop?: KoboShop;
  pageLimits?: Pick<PageReaderOptions, "deadlineMs"> & Partial<Pick<Dependencies, "articleWaitMs" | "pictureWaitMs">>;
  searchTimes?: SearchTimes;
  /** The disk of the data folder. */
  measureDisk?: () => DiskSpace;
  /** Takes the page keeper. Afterwards it works only when called, and not by itself. */
  takeKeeper?: (keeper: PageKeeper) => void;
}

/**
 * Starts the whole service in this process: database, table, API key and both hosts; with `STORE=dynamodb` both hosts on
 * the data of a stage. `env` has the variables of docs/self-hosting.md. Throws a SetupError with one clear line; nothing is
 * left running then.
 */
export async function startService(
  env: Record<string, string | undefined>,
  {
    clock = Date,
    wrapClient = (client) => client,
    report,
    passwords = createPasswordHasher(),
    koboShop = kobosShop,
    pageLimits: { articleWaitMs, pictureWaitMs, ...pageLimits } = {},
    searchTimes,
    measureDisk,
    takeKeeper,
  }: Substitutes = {},
): Promise<Service> {
  const local = readLocalSettings(env);
  const { port, textPort, host, publicTextUrl, trustedProxies, logLevel, metricsPort } = local;
  const settings = readSettings(env);
  checkSignOn(env, ["BASE_URL"]);
  checkIds();
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const stopPart of stops.splice(0).reverse()) await stopPart();
  };
  try {
    const data = await openData(settings, { ...local, measureDisk }, clock, wrapClient);
    const { stores, clockGuard, textCache: cache, apiKey, readerApiKey, proofSecret, failure } = data;
    stops.push(data.close);
    const reader = createPageReader({ allowedOrigins: settings.textAllowedOrigins, cache, clock, ...pageLimits });
    stops.push(() => reader.close());
    const pictures = createPictureReader({ allowedOrigins: settings.textAllowedOrigins, ...pageLimits });
    stops.push(() => pictures.close());
    const { publicUrl } = settings;
    const publicUrls = [publicUrl, publicTextUrl].filter((url) => url !== undefined);
    const ownOrigins = [...settings.ownOrigins, ...publicUrls.map((url) => new URL(url).origin)];
    const settingsWithKeys = { ...settings, publicApiKey: readerApiKey, proofSecret, ownOrigins };
    const { search, stop: stopSearch } = openSearch(local.dataDir, stores, data.indexObjects, searchTimes);
    stops.push(stopSearch);
    const { administration } = data.operator ?? {};
    const operatorCode = administration && !(await administration.hasOperator()) ? createLinkSecret() : undefined;
    // bounded: a setting of the operator
    const textUrlOfService = (publicTextUrl ?? (publicUrl && `${publicUrl}${textFolder}`))?.replace(/\/+$/, "");
    const { articles, pictureStore } = stores;
    const { passkeys } = data;
    const relyingParty =
      passkeys && publicUrl !== undefined && canHavePasskeys(publicUrl)
        ? new RelyingParty({ passkeys, publicUrl, clock, signatureKey: createSignatureKeys(proofSecret) })
        : undefined;
    const parts = {
      passwords,
      reader,
      pictures,
      articles,
      pictureStore,
      ...search,
      textUrl: textUrlOfService,
      keptPages: stores.keptPages,
      administration,
      operatorCode,
      secondFactor: relyingParty,
      // The text host begins to listen before the main host, whose calls ask for its address.
      textUrlFor: (called: string) => shownTextUrl(URL.parse(called)?.host),
      ...(pictureWaitMs !== undefined && { pictureWaitMs }),
    };
    const isRegistrationOpen = settings.service.signup === "open";
    const deps = createDependencies(settingsWithKeys, stores, clock, parts, articleWaitMs);
    const { keeper } = stores;
    if (keeper && local.keepsPagesInBackground) stops.push(startKeeper(deps, keeper, takeKeeper));
    // Standard output has the API key, and systemd discards it.
    const logOutput = local.logFormat === "text" ? writeAsText(process.stderr) : process.stderr;
    const ownReport = report ?? createCallLog({ level: logLevel, output: logOutput });
    const metrics = metricsPort === undefined ? undefined : new (await import("./metrics.ts")).Metrics();
    const callLog = metrics ? metrics.watch(ownReport) : ownReport;
    const hashing = { load: () => passwords.load?.() ?? { running: 0, waiting: 0 } };
    metrics?.observe({
      queues: { passwords: hashing, pages: reader, pictures },
      storage: data.storage,
      lastBackup: () => findLastBackup(local.dataDir),
      clockGuard,
    });
    const log = (line: Record<string, unknown>) => {
      if (logLevel === "SILENT") return;
      logOutput.write(`${JSON.stringify({ ...line, timestamp: new Date().toISOString() })}\n`);
    };
    const backups = await openBackups(local, proofSecret, clock, stores.erasePermit, log);
    const stopWatching = [
      stores.isDiskFull && watchDisk(stores.isDiskFull, log),
      clockGuard && watchClock(clockGuard, log),
      backups?.start(),
    ];
    stops.push(async () => {
      for (const stopOne of stopWatching) stopOne?.();
    });
    const { identities } = data;
    const ownReader = publicUrl && readerAddress(publicUrl);
    // The address of the stage's text host, which has its own host name.
    const readerPage = settings.readerUrl ?? ownReader;
    const signOnRoutes =
      settings.signOn && publicUrl && readerPage
        ? await createSignOn(
            { ...deps, publicUrl, identities, isRegistrationOpen, readerUrl: readerPage },
            callLog,
            settings.signOn,
          )
        : [];
    const hasPasskeys = relyingParty !== undefined && !settings.service.isSignOnOnly;
    const passkeyRoutes =
      hasPasskeys && passkeys ? createReaderApi(passkeyApi, { ...deps, passkeys, relyingParty }, callLog) : [];
    // Its library is loaded only by services that send mails.
    const mail = local.mail && {
      mailer: (await import("./mailer.ts")).createMailer(local.mail, log),
      mailLimit: local.mail.dailyLimit,
    };
    const mailRoutes =
      mail && publicUrl !== undefined ? createReaderApi(mailApi, { ...deps, publicUrl, ...mail }, callLog) : [];
    const handlers = await createHandlers(deps, callLog);
    let operatorRoutes: Routes = new Map();
    if (data.operator && administration && data.storage) {
      const checks = local.dataDir === ":memory:" ? undefined : new DataChecks(local.dataDir, clock);
      stops.push(async () => checks?.stop());
      const ports = { administration, records: data.operator, storage: data.storage, backups, checks, mail, version };
      const work = { ...deps, ...ports, lastBackup: () => findLastBackup(local.dataDir) };
      operatorRoutes = createOperatorRoutes(work, callLog);
    }
    const refuse = createRefusal(deps);
    const serverStops: (() => Promise<void>)[] = [];
    stops.push(() => Promise.all(serverStops.map((stopServer) => stopServer())));
    const health = createHealthHandler(stores.settings, stores.isDiskFull);
    const warnOfProxy = createProxyWarning(log);
    const listenFor = async (ownRoutes: Routes, folder: string, wantedPort: number, variable: string) => {
      const routes = new Map([...ownRoutes, ["GET /health", health], ["HEAD /health", health]]);
      const server = createGateway(routes, refuse, trustedProxies, shortBody, warnOfProxy, folder);
      if (settings.store === "dynamodb") server.keepAliveTimeout = idleMsBehindBalancer;
      const stopServer = prepareStop(server);
      const url = await listen(server, host, wantedPort, variable);
      serverStops.push(stopServer);
      return url;
    };
    const textRoutes = createTextRoutes(deps, handlers, callLog);
    const textUrl = await listenFor(textRoutes, pathPrefix(textUrlOfService), textPort, "TEXT_PORT");
    const shownTextUrl = createShownTextUrl(textUrlOfService, textUrl);
    const shown = {
      isSignupOpen: deps.isSignupOpen,
      helpText: settings.helpText,
      ...(settings.signOn &&
        readerPage === ownReader && { signOn: { name: settings.signOn.name, isOnly: settings.service.isSignOnOnly } }),
      hasOperators: administration !== undefined,
      hasPasskeys,
      sendsMail: local.mail !== undefined,
      canShare: settings.service.isSharingOn,
    };
    const isFirstRun = async () => operatorCode !== undefined && !(await administration?.hasUsers());
    const unrouted = createUnroutedHandler(deps, "main");
    const publicFolder = pathPrefix(publicUrl);
    const mainRoutes = new Map([
      ...createRoutes("main", handlers, unrouted),
      ...operatorRoutes,
      ...signOnRoutes,
      ...passkeyRoutes,
      ...mailRoutes,
      ...createApiRoutes({ ...deps, koboShop }, callLog),
      ...belowText(textRoutes, unrouted),
      ...createReferenceRoutes(publicFolder, shownTextUrl),
      ...(readerApiKey
        ? createReaderRoutes({ apiKey: readerApiKey, ...shown }, publicFolder, shownTextUrl, isFirstRun)
        : []),
    ]);
    const baseUrl = await listenFor(mainRoutes, publicFolder, port, "PORT");
    let metricsUrl = "";
    if (metrics) {
      const server = metrics.createServer();
      serverStops.push(prepareStop(server));
      metricsUrl = `${await listen(server, local.metricsHost, metricsPort ?? 0, "METRICS_PORT")}/metrics`;
    }
    const readerUrl = readerApiKey ? readerAddress(reachable(baseUrl)) : "";
    const isApiKeyShown = apiKey !== "" && (local.printsApiKey || data.isApiKeyNew);
    const operatorLink = operatorCode && addressOfCode(publicUrl ?? reachable(baseUrl), operatorCode);
    return { baseUrl, textUrl, readerUrl, metricsUrl, apiKey, operatorLink, isApiKeyShown, failure, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The endpoints of administrators. */
function createOperatorRoutes(work: Parameters<typeof createOperatorHandlers>[0], callLog: Report): Routes {
  const handlers = [...createOperatorHandlers(work, callLog)];
  return new Map([
    ...handlers.map(([path, handler]): [string, Handler] => [`POST ${path}`, handler]),
    [`GET ${pathOfDownload}`, createBackupHandler(work, callLog)],
  ]);
}

/** The endpoints of the text host: articles, their pictures, and shared pages. */
function createTextRoutes(deps: Dependencies, handlers: Map<EndpointName, Handler>, callLog: Report): Routes {
  const readPicture = createPictureHandler(deps, callLog);
  const readShared = createSharedHandler(deps, callLog);
  return new Map([
    ...createRoutes("text", handlers, createUnroutedHandler(deps, "text")),
    ...picture.methods.map((method): [string, Handler] => [`${method} ${picture.path}`, readPicture]),
    ...shared.methods.map((method): [string, Handler] => [`${method} ${shared.path}`, readShared]),
  ]);
}

type Log = (line: Record<string, unknown>) => void;

/** Returns a function that warns, once, of a proxy that `TRUST_PROXY` does not include. */
function createProxyWarning(log: Log): (proxy: string) => void {
  let isWarned = false;
  return (proxy) => {
    if (isWarned) return;
    isWarned = true;
    const message = `calls from ${proxy} have X-Forwarded-For, but TRUST_PROXY does not include it. If it is your proxy, add it: otherwise all callers behind it count as one address and share its limits`;
    log({ level: "WARN", message });
  };
}

/** Saves pages in the background, unless `takeKeeper` takes the keeper. Returns a function that stops it. */
function startKeeper(deps: Dependencies, keeper: KeeperStore, takeKeeper: Substitutes["takeKeeper"]) {
  const pageKeeper = new PageKeeper({
    ...deps,
    keeper,
    pagesAtOnce: 2,
    keepPictures: (owner, item, article) => keepPictures(deps, owner, item, article),
  });
  if (takeKeeper) takeKeeper(pageKeeper);
  const stopRounds = takeKeeper ? undefined : repeatWork(() => pageKeeper.round(), keeperRoundMs);
  return async () => {
    stopRounds?.();
    await pageKeeper.stop();
  };
}

/** The daily backups to `BACKUP_TO`; undefined without it. */
async function openBackups(
  { backup, diskReserve, dataDir }: ReturnType<typeof readLocalSettings>,
  proofSecret: string | undefined,
  ...others: [Clock, Dependencies["erasePermit"], (line: Record<string, unknown>) => void]
): Promise<DailyBackups | undefined> {
  if (!backup || proofSecret === undefined) return undefined;
  // Loaded only if it is used: age and the S3 client.
  const { DailyBackups, nameKeyOf } = await import("./daily-backups.ts");
  const options = { ...backup, diskReserve, folder: path.resolve(dataDir), nameKey: nameKeyOf(proofSecret) };
  return new DailyBackups(options, ...others);
}

/** The path of a public address without a slash at the end; empty if the address is a whole host. */
const pathPrefix = (url = "http://localhost") => new URL(url).pathname.replace(/\/$/, "");

function createRoutes(host: "main" | "text", handlers: Map<EndpointName, Handler>, unrouted: Handler): Routes {
  const routes = new Map<string, Handler>([["$default", unrouted]]);
  for (const endpoint of endpoints) {
    const handler = handlers.get(endpoint.name);
    if (endpoint.host !== host || !handler) continue;
    for (const method of methodsOf(endpoint)) routes.set(`${method} ${pathOf(endpoint)}`, handler);
  }
  return routes;
}

const textFolder = "/text";

/**
 * The text host below `/text/v2` of the main host, for a server with one name and one port. Content from other sites must
 * not run as a page of the main host.
 */
function belowText(textRoutes: Routes, unrouted: Handler): Routes {
  const find = (method: string, path: string) => findHandler(textRoutes, method, path) as Handler;
  const serve: Handler = async (request) => {
    const path = request.path.slice(textFolder.length);
    if (!/^\/(v2|s)\//.test(path)) return unrouted(request);
    const answer = await find(request.method, path)({ ...request, path, folder: textFolder });
    const headers = { "Content-Security-Policy": "sandbox", "X-Content-Type-Options": "nosniff", ...answer.headers };
    return { ...answer, headers };
  };
  serve.maxBodyOf = ({ method, path: called }) => {
    const path = called.slice(textFolder.length);
    return find(method, path).maxBodyOf?.({ method, path }) ?? shortBody;
  };
  return new Map([[`ANY ${textFolder}/{proxy+}`, serve]]);
}

/** The protocols of other services, each below its name. */
function createApiRoutes(deps: Dependencies & KoboPorts, report: Report): Routes {
  const routes = new Map<string, Handler>();
  for (const api of protocols) {
    const handler = createApiHandler(deps, report, api);
    for (const path of Object.values(pathsOfApi(api.contract))) routes.set(`ANY ${path}`, handler);
  }
  return routes;
}

/** The address at which browsers reach a server: one of this machine, if it listens on all of them. */
function reachable(listening: string): string {
  const url = new URL(listening);
  if (url.hostname !== "0.0.0.0" && url.hostname !== "[::]") return listening;
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  url.hostname = addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";
  return url.origin;
}

async function listen(server: Server, host: string, port: number, variable: string): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "EADDRINUSE" ? "is in use; choose another port" : `cannot be opened: ${code}`;
    throw new SetupError(`${variable} ${port} of ${host} ${reason}`, error);
  }
  const { port: bound } = server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
}
