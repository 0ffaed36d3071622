// SPDX-License-Identifier: MIT

import { readFileSync } from "node:fs";
import path from "node:path";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createPageReader, type PageReaderOptions } from "@reading-list/article/page-reader.ts";
import { createPictureReader } from "@reading-list/article/pictures/picture-reader.ts";
import { shortBody } from "@reading-list/core/contract/bounded.ts";
import { checkIds } from "@reading-list/core/domain/item-id.ts";
import { createLinkSecret, writeCodeAddress } from "@reading-list/core/domain/operator-link.ts";
import type { QueueLoad } from "@reading-list/core/fair-queue.ts";
import type { Clock } from "@reading-list/core/ports/clock.ts";
import type { Dependencies, OperatorPorts } from "@reading-list/core/ports/dependencies.ts";
import type { KeeperStore } from "@reading-list/core/ports/kept-pages.ts";
import type { PasswordHasher } from "@reading-list/core/ports/sign-ins.ts";
import { PageKeeper } from "@reading-list/core/use-cases/articles/keep-pages.ts";
import { keepPictures } from "@reading-list/core/use-cases/articles/keep-pictures.ts";
import { createDependencies } from "@reading-list/http/compose/dependencies.ts";
import { createHandlers } from "@reading-list/http/compose/handlers.ts";
import { createPasswordHasher } from "@reading-list/http/compose/password-hasher.ts";
import { createSignatureKeys } from "@reading-list/http/compose/signature-keys.ts";
import { createHealthHandler } from "@reading-list/http/health.ts";
import { createRefusal } from "@reading-list/http/unrouted.ts";
import { createCallLog } from "@reading-list/http/watch/call-log.ts";
import type { Report } from "@reading-list/http/watch/watch-calls.ts";
import { type KoboShop, koboShop as kobosShop } from "@reading-list/protocols/kobo/shop.ts";
import { mail as mailApi } from "@reading-list/protocols/mail/api.ts";
import { passkeys as passkeyApi } from "@reading-list/protocols/passkeys/api.ts";
import { canHavePasskeys, RelyingParty } from "@reading-list/protocols/passkeys/relying-party.ts";
import { checkSignOn, readSettings, type Settings } from "@reading-list/settings/settings.ts";
import type { DiskSpace } from "@reading-list/store-sqlite/disk-reserve.ts";
import type { DailyBackups } from "./daily-backups.ts";
import { DataChecks } from "./data-checks.ts";
import { createGateway, getAndHead, type Routes } from "./gateway.ts";
import { findLastBackup } from "./last-backup.ts";
import { type LocalSettings, readLocalSettings } from "./local-settings.ts";
import { type Log, writeAsText } from "./log.ts";
import { type OpenData, openData } from "./open-data.ts";
import { openSearch, type SearchTimes } from "./open-search.ts";
import { createReaderApi, createSignOn } from "./reader-apis.ts";
import { createReaderRoutes, readerAddress } from "./reader-routes.ts";
import { createReferenceRoutes } from "./reference-routes.ts";
import { repeatWork } from "./repeat-work.ts";
import { findReachable, Servers } from "./servers.ts";
import {
  createApiRoutes,
  createMainRoutes,
  createOperatorRoutes,
  createTextRoutes,
  textFolder,
} from "./service-routes.ts";
import { createShownTextUrl, type ShownTextUrl } from "./shown-text-url.ts";
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
  substitutes: Substitutes = {},
): Promise<Service> {
  const local = readLocalSettings(env);
  const settings = readSettings(env);
  checkSignOn(env, ["BASE_URL"]);
  checkIds();
  const stops: Stop[] = [];
  const stop = async () => {
    for (const stopPart of stops.splice(0).reverse()) await stopPart();
  };
  try {
    return { ...(await startParts(settings, local, substitutes, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Stop = () => Promise<unknown>;

/** The parts and settings on which the later parts of a service depend. */
interface Start {
  /** With the keys of the data. */
  settings: Settings;
  local: LocalSettings;
  data: OpenData;
  clock: Clock;
  /** How the parts stop; the last one stops first. */
  stops: Stop[];
}

/** Starts one part after another, and the servers last. */
async function startParts(
  given: Settings,
  local: LocalSettings,
  substitutes: Substitutes,
  stops: Stop[],
): Promise<Omit<Service, "stop">> {
  const { clock = Date, wrapClient = (client) => client, measureDisk, koboShop = kobosShop } = substitutes;
  const data = await openData(given, { ...local, measureDisk }, clock, wrapClient);
  stops.push(data.close);
  const { stores, apiKey, readerApiKey, failure } = data;
  const settings = withKeys(given, local, data);
  const start: Start = { settings, local, data, clock, stops };
  const publicTextUrl = findPublicTextUrl(settings, local);
  // The text host begins to listen before the main host, whose calls ask for its address.
  const addresses = { textUrl: publicTextUrl, textUrlFor: (called: string) => shownTextUrl(URL.parse(called)?.host) };

  const relyingParty = createRelyingParty(start);
  const { deps, queues } = await openDependencies(start, substitutes, { ...addresses, secondFactor: relyingParty });
  if (stores.keeper && local.keepsPagesInBackground)
    stops.push(startKeeper(deps, stores.keeper, substitutes.takeKeeper));
  const { log, callLog, metrics } = await openLogs(local, substitutes.report);
  const lastBackup = () => findLastBackup(local.dataDir);
  metrics?.observe({ queues, storage: data.storage, lastBackup, clockGuard: data.clockGuard });
  const backups = await openBackups(start, log);
  watchMachine(start, backups, log);
  const mail = await openMail(local, log);

  const handlers = await createHandlers(deps, callLog);
  const servers = new Servers();
  const readerApis = await createReaderApis(start, deps, { relyingParty, mail }, callLog);
  const operatorRoutes = openOperatorRoutes(start, deps, { backups, mail, lastBackup }, callLog);
  stops.push(() => servers.stop());
  const serve = createServe(start, deps, servers, log);
  const textRoutes = createTextRoutes(deps, handlers, callLog);
  const textUrl = await serve(textRoutes, publicTextUrl, local.textPort, "TEXT_PORT");
  const shownTextUrl = createShownTextUrl(publicTextUrl, textUrl);
  const mainRoutes = new Map([
    ...createMainRoutes(deps, handlers, textRoutes),
    ...operatorRoutes,
    ...readerApis,
    ...createApiRoutes({ ...deps, koboShop }, callLog),
    ...createPageRoutes(start, deps, shownTextUrl),
  ]);
  const baseUrl = await serve(mainRoutes, settings.publicUrl, local.port, "PORT");
  const metricsUrl = metrics
    ? `${await servers.listen(metrics.createServer(), local.metricsHost, local.metricsPort ?? 0, "METRICS_PORT")}/metrics`
    : "";

  const reachableUrl = findReachable(baseUrl);
  const { operatorCode } = deps;
  return {
    baseUrl,
    textUrl,
    readerUrl: readerApiKey ? readerAddress(reachableUrl) : "",
    metricsUrl,
    apiKey,
    operatorLink: operatorCode && writeCodeAddress(settings.publicUrl ?? reachableUrl, operatorCode),
    isApiKeyShown: apiKey !== "" && (local.printsApiKey || data.isApiKeyNew),
    failure,
  };
}

/** The settings with the keys that the data have, and with the origins of the public addresses. */
function withKeys(
  settings: Settings,
  { publicTextUrl }: LocalSettings,
  { readerApiKey, proofSecret }: OpenData,
): Settings {
  const publicUrls = [settings.publicUrl, publicTextUrl].filter((url) => url !== undefined);
  const ownOrigins = [...settings.ownOrigins, ...publicUrls.map((url) => new URL(url).origin)];
  return { ...settings, publicApiKey: readerApiKey, proofSecret, ownOrigins };
}

/** Where clients reach the text host: `TEXT_URL`, or a folder of `BASE_URL`; undefined without both. */
const findPublicTextUrl = ({ publicUrl }: Settings, { publicTextUrl }: LocalSettings) =>
  // bounded: a setting of the operator
  (publicTextUrl ?? (publicUrl && `${publicUrl}${textFolder}`))?.replace(/\/+$/, "");

/** The relying party of passkeys; undefined if the address of the reader does not allow them. */
function createRelyingParty({ settings, data: { passkeys }, clock }: Start): RelyingParty | undefined {
  const { proofSecret } = settings;
  const publicUrl = findReaderUrl(settings);
  if (publicUrl === undefined || !canHavePasskeys(publicUrl)) return undefined;
  return new RelyingParty({ passkeys, publicUrl, clock, signatureKey: createSignatureKeys(proofSecret) });
}

/** The ports of all use cases, and the queues of those that have one. */
async function openDependencies(
  { settings, local, data, clock, stops }: Start,
  { passwords = createPasswordHasher(), pageLimits = {}, searchTimes }: Substitutes,
  others: Pick<Dependencies, "textUrl" | "textUrlFor" | "secondFactor">,
) {
  const { articleWaitMs, pictureWaitMs, ...readerLimits } = pageLimits;
  const { stores, textCache: cache } = data;
  const allowedOrigins = settings.textAllowedOrigins;
  const reader = createPageReader({ allowedOrigins, cache, clock, ...readerLimits });
  stops.push(() => reader.close());
  const pictures = createPictureReader({ allowedOrigins, ...readerLimits });
  stops.push(() => pictures.close());
  const { search, stop: stopSearch } = openSearch(local.dataDir, stores, data.indexObjects, searchTimes);
  stops.push(stopSearch);
  const administration = data.operator?.administration;
  const parts = {
    passwords,
    reader,
    pictures,
    articles: stores.articles,
    pictureStore: stores.pictureStore,
    keptPages: stores.keptPages,
    ...search,
    administration,
    operatorCode: administration && !(await administration.hasOperator()) ? createLinkSecret() : undefined,
    ...(pictureWaitMs !== undefined && { pictureWaitMs }),
    ...others,
  };
  const hashing = { load: () => passwords.load?.() ?? { running: 0, waiting: 0 } };
  return {
    deps: createDependencies(settings, stores, clock, parts, articleWaitMs),
    queues: { passwords: hashing, pages: reader, pictures },
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

/** The log of the service, the log of its calls, and with `METRICS_PORT` the metrics, which count them. */
async function openLogs({ logFormat, logLevel, metricsPort }: LocalSettings, report: Report | undefined) {
  // Standard output has the API key, and systemd discards it.
  const output = logFormat === "text" ? writeAsText(process.stderr) : process.stderr;
  const log: Log = (line) => {
    if (logLevel === "SILENT") return;
    output.write(`${JSON.stringify({ ...line, timestamp: new Date().toISOString() })}\n`);
  };
  const ownReport = report ?? createCallLog({ level: logLevel, output });
  const metrics = metricsPort === undefined ? undefined : new (await import("./metrics.ts")).Metrics();
  return { log, metrics, callLog: metrics ? metrics.watch(ownReport) : ownReport };
}

/** The daily backups to `BACKUP_TO`; undefined without it. */
async function openBackups({ settings, local, data, clock }: Start, log: Log): Promise<DailyBackups | undefined> {
  const { backup, diskReserve, dataDir } = local;
  if (!backup || settings.proofSecret === undefined) return undefined;
  // Loaded only if it is used: age and the S3 client.
  const { DailyBackups, createNameKey } = await import("./daily-backups.ts");
  const nameKey = createNameKey(settings.proofSecret);
  const options = { ...backup, diskReserve, folder: path.resolve(dataDir), nameKey };
  return new DailyBackups(options, clock, data.stores.erasePermit, log);
}

/** Starts what is done at intervals: the looks at disk and clock, and the daily backups. */
function watchMachine(
  { data: { stores, clockGuard }, stops }: Start,
  backups: DailyBackups | undefined,
  log: Log,
): void {
  const stopWatching = [
    stores.isDiskFull && watchDisk(stores.isDiskFull, log),
    clockGuard && watchClock(clockGuard, log),
    backups?.start(),
  ];
  stops.push(async () => {
    for (const stopOne of stopWatching) stopOne?.();
  });
}

/** Sends mails with `SMTP_URL`; undefined without it. Its library is loaded only by services that send mails. */
async function openMail({ mail }: LocalSettings, log: Log): Promise<OperatorPorts["mail"]> {
  if (!mail) return undefined;
  const { createMailer } = await import("./mailer.ts");
  return { mailer: createMailer(mail, log), mailLimit: mail.dailyLimit };
}

/** The web reader's own APIs that the settings turn on: single sign-on, passkeys, and mails to e-readers. */
async function createReaderApis(
  { settings, data }: Start,
  deps: Dependencies,
  { relyingParty, mail }: { relyingParty: RelyingParty | undefined; mail: OperatorPorts["mail"] },
  callLog: Report,
): Promise<Routes> {
  const { publicUrl, signOn, service } = settings;
  const { passkeys, identities } = data;
  const readerUrl = findReaderUrl(settings);
  if (publicUrl === undefined || readerUrl === undefined) return new Map();
  const ports = { ...deps, publicUrl, readerUrl, identities, isRegistrationOpen: service.signup === "open" };
  return new Map([
    ...(signOn ? await createSignOn(ports, callLog, signOn) : []),
    ...(relyingParty && !service.isSignOnOnly
      ? createReaderApi(passkeyApi, { ...deps, passkeys, relyingParty }, callLog)
      : []),
    ...(mail ? createReaderApi(mailApi, { ...ports, ...mail }, callLog) : []),
  ]);
}

/** The page to which a sign-on leads back: of this service, or of the stage, whose reader has its own host name. */
const findReaderUrl = ({ readerUrl, publicUrl }: Settings) => readerUrl ?? (publicUrl && readerAddress(publicUrl));

/** The endpoints of administrators; none if the database is not on this machine. */
function openOperatorRoutes(
  { local, data: { operator, storage }, clock, stops }: Start,
  deps: Dependencies,
  parts: Pick<OperatorPorts, "backups" | "mail" | "lastBackup">,
  callLog: Report,
): Routes {
  const administration = operator?.administration;
  if (!administration || !storage) return new Map();
  const checks = local.dataDir === ":memory:" ? undefined : new DataChecks(local.dataDir, clock);
  stops.push(async () => checks?.stop());
  return createOperatorRoutes(
    { ...deps, ...parts, administration, records: operator, storage, checks, version },
    callLog,
  );
}

/**
 * Returns the function that serves a host: it opens a port, and answers there, also below the path of the host's public
 * address. It returns the address at which the server listens.
 */
function createServe({ settings, local, data: { stores } }: Start, deps: Dependencies, servers: Servers, log: Log) {
  const refuse = createRefusal(deps);
  const health = createHealthHandler(stores.settings, stores.isDiskFull);
  const warnOfProxy = createProxyWarning(log);
  return (ownRoutes: Routes, publicUrl: string | undefined, port: number, variable: string): Promise<string> => {
    const routes = new Map([...ownRoutes, ...getAndHead("/health", health)]);
    const server = createGateway(routes, refuse, local.trustedProxies, shortBody, warnOfProxy, pathPrefix(publicUrl));
    if (settings.store === "dynamodb") server.keepAliveTimeout = idleMsBehindBalancer;
    return servers.listen(server, local.host, port, variable);
  };
}

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

/** The pages of the main host: the API reference, and the web reader, which a stage may lack. */
function createPageRoutes({ settings, local, data }: Start, deps: Dependencies, shownTextUrl: ShownTextUrl): Routes {
  const { publicUrl, signOn, service, helpText } = settings;
  const { administration, operatorCode, secondFactor } = deps;
  const folder = pathPrefix(publicUrl);
  const reference = createReferenceRoutes(folder, shownTextUrl);
  const { readerApiKey } = data;
  if (!readerApiKey) return reference;
  // A sign-on cannot lead back to this reader if it leads to another one, whose host name passkeys have, too.
  const isOwn = findReaderUrl(settings) === (publicUrl && readerAddress(publicUrl));
  const config = {
    apiKey: readerApiKey,
    isSignupOpen: deps.isSignupOpen,
    helpText,
    ...(signOn && isOwn && { signOn: { name: signOn.name, isOnly: service.isSignOnOnly } }),
    hasOperators: administration !== undefined,
    hasPasskeys: isOwn && secondFactor !== undefined && !service.isSignOnOnly,
    sendsMail: local.mail !== undefined,
    canShare: service.isSharingOn,
  };
  const isFirstRun = async () => operatorCode !== undefined && !(await administration?.hasUsers());
  return new Map([...reference, ...createReaderRoutes(config, folder, shownTextUrl, isFirstRun)]);
}

/** The path of a public address without a slash at the end; empty if the address is a whole host. */
const pathPrefix = (url = "http://localhost") => new URL(url).pathname.replace(/\/$/, "");
