// SPDX-License-Identifier: MIT

import { type ApiContract, apis, passkeySignIn, signOn } from "@reading-list/core/contract/apis.ts";
import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { type EndpointName, endpoints } from "@reading-list/core/contract/endpoints.ts";
import { type Grant, grants, listProbePartitions, objectActions } from "@reading-list/store-dynamodb/grants.ts";
import { leadingKeys, tableDefinition } from "@reading-list/store-dynamodb/table-definition.ts";
import { checksPasswords, grantPages, writeHandler } from "./handlers.ts";
import { copyPdfjs } from "./pdfjs.ts";
import type { Host, SignOnSettings, StageSettings } from "./settings.ts";
import { packageSharp } from "./sharp.ts";

/** The storage that functions use, and the secrets that they share. */
export interface Storage {
  table: sst.aws.Dynamo;
  texts: sst.aws.Bucket;
  articles: sst.aws.Bucket;
  pictures: sst.aws.Bucket;
  indexes: sst.aws.Bucket;
  /** Stores search indexes. */
  indexing: DeployedFunction;
  /** The secret of the proofs of passwords (docs/decisions/counting-calls.md). */
  proofSecret: $util.Output<string>;
  /** Reads pages for functions that have rights on users' records. */
  extraction: DeployedFunction;
  /** Fetches and decodes pictures for them. */
  imaging: DeployedFunction;
  /** CloudFront sends it, so that the APIs answer only through it; undefined without CloudFront. */
  edgeSecret: $util.Output<string> | undefined;
  /** Its pages may send the account's password (docs/api.md 5.5); undefined without the web reader. */
  readerUrl: $util.Output<string | undefined>;
  /** The address of the text host, where the pictures are that other functions name. */
  textUrl: $util.Output<string>;
}

/** The storage of search indexes and of their sources. */
export type IndexStorage = Pick<Storage, "table" | "articles" | "indexes">;

/** The storage of a process that serves all endpoints. */
export type CallStorage = Pick<Storage, "table" | "articles" | "pictures" | "indexes" | "texts">;

/**
 * Memory of functions. Lambda assigns CPU in proportion to it: a whole core at 1,769 MB, which reading a page and
 * searching use fully, and verifying a password mostly.
 */
const memoryOf = {
  application: "256 MB",
  user: "1024 MB",
  "new-user": "1024 MB",
  text: "1769 MB",
  search: "1769 MB",
} as const;

/** Room for copies of search indexes (500 MB), and for the largest one while it is rewritten. */
const roomForIndexes = "1024 MB";

/** API Gateway's timeout is 30 s. Our own answer to an unresponsive database must come earlier. */
const patience = "29 seconds";

/** The needs of an endpoint, or of an API of another service, that its function meets. */
type CallContract = Pick<
  EndpointContract,
  "name" | "caller" | "counted" | "host" | "list" | "articles" | "pictures" | "highlights" | "account"
> &
  Pick<ApiContract, "oauth" | "onlySecrets" | "identities" | "passkeys" | "deletesNothing">;

/** The grants of an endpoint: the grants of the ports that its contract names. */
function listGrants({
  caller,
  counted,
  list,
  articles,
  pictures,
  account,
  oauth,
  onlySecrets,
  identities,
  passkeys,
  deletesNothing,
}: CallContract): Grant[] {
  const changesAll = list === "change" || list === "readAndChange";
  const writes = changesAll || list === "add" || articles === "keep";
  const ofAccount = { signIns: grants.signIns, password: grants.users.changePassword, deletion: grants.deletion };
  const ofList: Partial<Record<NonNullable<typeof list>, Grant[]>> = {
    kept: [...grants.keptPages, ...grants.keeper],
    trash: grants.highlightsAndTrash,
    highlights: grants.highlightsAndTrash,
    share: grants.shares.change,
    search: grants.items.search,
  };
  const granted: (false | undefined | Grant[])[] = [
    grants.apiKeysAndSettings,
    (!counted || caller !== "application") && grants.keyWindows.read,
    counted && grants.keyWindows.count,
    caller === "user" && (onlySecrets ? grants.users.countCallBySecret : grants.users.countCall),
    caller === "new-user" && grants.users.create,
    // Endpoints of operators are not deployed.
    account && account !== "operator" && ofAccount[account],
    oauth && grants.authorizations,
    identities && grants.identities,
    passkeys && grants.passkeys,
    writes && [...grants.items.write, ...grants.keeper],
    changesAll && !deletesNothing && grants.items.delete,
    (articles === "keep" || list === "read" || list === "readWhole") && grants.items.list,
    list && ofList[list],
    articles && articles !== "read" && grants.articles.delete,
    pictures && grants.pictures[pictures],
  ];
  return granted.flatMap((each) => each || []);
}

/** A permission on the partitions of only some kinds of records. */
const grantOn = (arn: $util.Input<string>, actions: Grant[0], partitions: Grant[1]) =>
  grantOnKeys(
    arn,
    actions,
    partitions.map((partition) => leadingKeys[partition]),
  );

/** A permission on the partitions of only these keys. */
const grantOnKeys = (arn: $util.Input<string>, actions: Grant[0], values: $util.Input<string>[]) => ({
  actions: actions.map((action) => `dynamodb:${action}`),
  resources: [arn],
  conditions: [{ test: "ForAllValues:StringLike", variable: "dynamodb:LeadingKeys", values }],
});

/** The permissions of several such grants. */
const grantEach = (arn: $util.Input<string>, each: readonly Grant[]) =>
  each.map(([actions, partitions]) => grantOn(arn, actions, partitions));

const grantOnIndex = (arn: $util.Input<string>, { name }: { name: string }) =>
  grantOn($interpolate`${arn}/index/${name}`, ["Query"], ["users"]);

/** The permissions of one process that serves all endpoints and APIs: the permissions of all their functions. */
export function grantAllCalls({ table, texts, articles, pictures, indexes }: CallStorage) {
  const actionsOn = new Map<Grant[1][number], Set<string>>();
  for (const [actions, partitions] of [
    ...[...endpoints, ...apis, signOn, passkeySignIn].flatMap(listGrants),
    ...grants.shares.find,
  ]) {
    for (const partition of partitions) {
      actionsOn.set(partition, new Set([...(actionsOn.get(partition) ?? []), ...actions]));
    }
  }
  return [
    ...[...actionsOn].map(([partition, actions]) => grantOn(table.arn, [...actions], [partition])),
    ...Object.values(tableDefinition.indexes).map((index) => grantOnIndex(table.arn, index)),
    ...grantTexts(texts),
    ...grantKept(articles.arn, "articles", "keep"),
    ...grantKept(pictures.arn, "pictures", "keep"),
    ...grantIndexes(indexes.arn, "GetObject", "PutObject"),
  ];
}

/** Each stage has its own namespace of metrics, because stages can share an account. */
export const metricNamespace = (): string => `${$app.name}/${$app.stage}`;

/** The function of an endpoint, with exactly the permissions that its code needs. */
export function createEndpointFunction(
  endpoint: EndpointContract & CallContract & { name: EndpointName },
  storage: Storage,
  settings: StageSettings,
): DeployedFunction {
  return createCallFunction(endpoint, storage, settings, {
    handler: writeHandler(endpoint),
    reservedConcurrency: Object.entries(settings.reservedConcurrency).find(([name]) => name === endpoint.name)?.[1],
  });
}

/** The function of an API of another service. A call without an API key uses the web reader's. */
export const createApiFunction = (
  api: ApiContract,
  storage: Storage,
  settings: StageSettings,
  environment?: CallFunctionArgs["environment"],
): DeployedFunction =>
  createCallFunction(api, storage, settings, {
    handler: `packages/lambda/handlers/${api.name}.handler`,
    publicApiKey: settings.web.apiKey,
    environment: { ...environment, ...(api.pictures === "address" && { TEXT_HOST_URL: storage.textUrl }) },
  });

/** The function of single sign-on, which returns to the web reader. */
export function createSignOnFunction(
  { issuer, clientId, clientSecret, name, allowed, publicUrl }: SignOnSettings,
  storage: Storage,
  settings: StageSettings,
): DeployedFunction {
  return createApiFunction(signOn, storage, settings, {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: $util.secret(clientSecret),
    OIDC_NAME: name,
    ...(allowed && { OIDC_ALLOWED: `${allowed.claim}=${allowed.value}` }),
    BASE_URL: publicUrl,
    READER_URL: hrefOf(storage.readerUrl),
  });
}

/** The function of passkeys, which belong to the address of the web reader. */
export const createPasskeyFunction = (storage: Storage, settings: StageSettings): DeployedFunction =>
  createApiFunction(passkeySignIn, storage, settings, { READER_URL: hrefOf(storage.readerUrl) });

/** As the settings take it; empty without a URL. */
const hrefOf = (url: $util.Output<string | undefined>) => url.apply((known) => (known ? new URL(known).href : ""));

interface CallFunctionArgs {
  handler: string;
  reservedConcurrency?: number | undefined;
  publicApiKey?: string | undefined;
  /** Variables of only this function. */
  environment?: Record<string, $util.Input<string>> | undefined;
}

function createCallFunction(
  contract: CallContract,
  storage: Storage,
  settings: StageSettings,
  { handler, reservedConcurrency, publicApiKey, environment }: CallFunctionArgs,
): DeployedFunction {
  const { table, texts, articles, pictures, indexes, indexing, proofSecret, edgeSecret, readerUrl } = storage;
  const { extraction, imaging } = storage;
  const { name, caller, list, articles: use, highlights } = contract;
  const useOfPictures = contract.pictures === "count" ? undefined : contract.pictures;
  const showsPictures = useOfPictures !== undefined && ["keep", "address", "show"].includes(useOfPictures);
  const pages = grantPages(contract);
  const { byTime, unread } = tableDefinition.indexes;
  // A full quota drops articles of the trash.
  const ofArticles = use === "keep" ? [byTime] : [];
  const ofHighlights = highlights ? [unread] : [];
  const searches = list === "search";
  const tableIndexes = {
    read: [byTime, unread],
    readWhole: [byTime, ...ofHighlights],
    readAndChange: [byTime, ...ofHighlights],
    trash: [byTime, unread],
    highlights: [byTime, unread],
    kept: [byTime],
    search: [byTime, unread],
    share: [],
    add: [],
    change: [],
    none: [...ofArticles, ...ofHighlights],
  }[list ?? "none"];
  return createFunction(name, {
    handler,
    memory: memoryOf[pages === "own" ? "text" : searches ? "search" : caller],
    timeout: patience,
    ...(searches && { room: roomForIndexes }),
    environment: {
      TABLE_NAME: table.name,
      ...(pages === "own" && { TEXT_BUCKET: texts.name }),
      ...(pages === "remote" && { EXTRACTION_FUNCTION: extraction.arn }),
      ...(use && { ARTICLE_BUCKET: articles.name }),
      ...(useOfPictures && { PICTURE_BUCKET: pictures.name }),
      ...(showsPictures && { IMAGING_FUNCTION: imaging.arn }),
      ...((searches || use === "deleteAll") && { SEARCH_BUCKET: indexes.name }),
      ...(searches && { INDEXING_FUNCTION: indexing.arn }),
      ...(list === "share" && { TEXT_HOST_URL: storage.textUrl }),
      ...(caller === "user" && { PROOF_SECRET: proofSecret, OWN_ORIGINS: toOrigin(readerUrl) }),
      ...(edgeSecret && { EDGE_SECRET: edgeSecret }),
      ...(publicApiKey && { PUBLIC_API_KEY: publicApiKey }),
      ...environment,
    },
    permissions: [
      ...grantEach(table.arn, listGrants(contract)),
      ...tableIndexes.map((index) => grantOnIndex(table.arn, index)),
      ...(pages === "own" ? grantTexts(texts) : []),
      ...(searches ? grantIndexes(indexes.arn, "GetObject") : []),
      ...(searches ? [{ actions: ["lambda:InvokeFunction"], resources: [indexing.arn] }] : []),
      ...(use === "deleteAll" ? grantIndexes(indexes.arn, "PutObject") : []),
      ...(pages === "remote" ? [{ actions: ["lambda:InvokeFunction"], resources: [extraction.arn] }] : []),
      ...(showsPictures ? [{ actions: ["lambda:InvokeFunction"], resources: [imaging.arn] }] : []),
      ...(use ? grantKept(articles.arn, "articles", use) : []),
      ...(useOfPictures
        ? grantKept(pictures.arn, "pictures", useOfPictures === "address" ? "store" : useOfPictures)
        : []),
    ],
    checksPasswords: checksPasswords(contract),
    readsPages: pages === "own",
    reservedConcurrency,
    settings,
  });
}

/** The permissions on the objects of cached texts. */
const grantTexts = ({ arn }: sst.aws.Bucket) => [
  { actions: ["s3:GetObject", "s3:PutObject"], resources: [$interpolate`${arn}/*`] },
  // Without this permission S3 answers 403 for a missing object.
  { actions: ["s3:ListBucket"], resources: [arn] },
];

/** As a browser writes it in `Origin`; empty without a URL. */
const toOrigin = (url: $util.Output<string | undefined>) => url.apply((known) => (known ? new URL(known).origin : ""));

/** The permissions on the objects of search indexes. A reader must be able to see that an object does not exist. */
const grantIndexes = (arn: $util.Input<string>, ...actions: ("GetObject" | "PutObject")[]) => [
  { actions: actions.map((action) => `s3:${action}`), resources: [$interpolate`${arn}/indexes/*`] },
  ...(actions.includes("GetObject") ? [{ actions: ["s3:ListBucket"], resources: [arn] }] : []),
];

/** The permissions on the objects of kept articles, or of their pictures. */
const grantKept = (arn: $util.Input<string>, folder: "articles" | "pictures", use: keyof typeof objectActions) => [
  {
    actions: objectActions[use].map((action) => `s3:${action}`),
    resources: [$interpolate`${arn}/${folder}/*`],
  },
  // Without this permission S3 answers 403 for a missing object.
  ...(use !== "delete" && use !== "store" ? [{ actions: ["s3:ListBucket"], resources: [arn] }] : []),
];

/** SST's name of a function: it allows only letters and digits. */
const componentOf = (name: string) => name.replaceAll(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase());

/** The function that answers calls of paths and methods that no endpoint has. */
export function createUnroutedFunction(
  name: string,
  host: Host,
  { edgeSecret }: Storage,
  settings: StageSettings,
): DeployedFunction {
  return createFunction(name, {
    handler: "packages/lambda/handlers/unrouted.handler",
    memory: "128 MB",
    timeout: "5 seconds",
    environment: { API_HOST: host, ...(edgeSecret && { EDGE_SECRET: edgeSecret }) },
    permissions: [],
    settings,
  });
}

/** The function that answers `/health` of a host. */
export function createHealthFunction(
  name: string,
  { table, edgeSecret }: Storage,
  settings: StageSettings,
): DeployedFunction {
  return createFunction(name, {
    handler: "packages/lambda/handlers/health.handler",
    memory: "256 MB",
    timeout: patience,
    environment: { TABLE_NAME: table.name, ...(edgeSecret && { EDGE_SECRET: edgeSecret }) },
    permissions: [grantOn(table.arn, ["GetItem"], ["settings"])],
    settings,
  });
}

/** The function that reads pages for functions with permissions on users' records. It has no permissions itself. */
export function createExtractionFunction(settings: StageSettings): DeployedFunction {
  return createFunction("extraction", {
    handler: "packages/lambda/handlers/extraction.handler",
    memory: memoryOf.text,
    // The caller answers within 29 s.
    timeout: "27 seconds",
    environment: {},
    permissions: [],
    readsPages: true,
    reservedConcurrency: settings.reservedConcurrency.extraction,
    settings,
  });
}

/**
 * The function that fetches and decodes pictures for functions with permissions on users' records. It has no such
 * permissions itself.
 */
export function createImagingFunction(settings: StageSettings): DeployedFunction {
  return createFunction("imaging", {
    handler: "packages/lambda/handlers/imaging.handler",
    memory: "1024 MB",
    // The caller answers within 29 s.
    timeout: "27 seconds",
    environment: {},
    permissions: [],
    decodesPictures: true,
    reservedConcurrency: settings.reservedConcurrency.imaging,
    settings,
  });
}

/** The function that shows a kept picture to whoever has its address. */
export function createPictureFunction(
  { table, pictures, proofSecret, edgeSecret }: Storage,
  settings: StageSettings,
): DeployedFunction {
  return createFunction("picture", {
    handler: "packages/lambda/handlers/picture.handler",
    memory: "256 MB",
    timeout: patience,
    environment: {
      TABLE_NAME: table.name,
      PICTURE_BUCKET: pictures.name,
      PROOF_SECRET: proofSecret,
      ...(edgeSecret && { EDGE_SECRET: edgeSecret }),
    },
    permissions: [
      grantOn(table.arn, ["GetItem"], ["settings", "pictures"]),
      // It notes that an object is lost.
      grantOn(table.arn, ["UpdateItem"], ["pictures"]),
      ...grantKept(pictures.arn, "pictures", "read"),
    ],
    settings,
  });
}

/** The function that shows shared pages to anyone who has the address. */
export function createSharedFunction(
  { table, articles, pictures, edgeSecret }: Storage,
  settings: StageSettings,
): DeployedFunction {
  return createFunction("shared", {
    handler: "packages/lambda/handlers/shared.handler",
    memory: "512 MB",
    timeout: patience,
    environment: {
      TABLE_NAME: table.name,
      ARTICLE_BUCKET: articles.name,
      PICTURE_BUCKET: pictures.name,
      ...(edgeSecret && { EDGE_SECRET: edgeSecret }),
    },
    permissions: [
      grantOn(table.arn, ["GetItem"], ["settings", "shares"]),
      grantOn(table.arn, ["GetItem", "BatchGetItem"], ["users"]),
      grantOn(table.arn, ["UpdateItem"], ["windows"]),
      // A picture whose object is missing is noted, so that it is read again.
      grantOn(table.arn, ["Query", "GetItem", "UpdateItem"], ["pictures"]),
      grantOnIndex(table.arn, tableDefinition.indexes.byTime),
      ...grantKept(articles.arn, "articles", "read"),
      ...grantKept(pictures.arn, "pictures", "read"),
    ],
    settings,
  });
}

/** The function that stores search indexes. */
export function createIndexingFunction(
  { table, articles, indexes }: IndexStorage,
  settings: StageSettings,
): DeployedFunction {
  return createFunction("indexing", {
    handler: "packages/lambda/handlers/indexing.handler",
    memory: memoryOf.search,
    room: roomForIndexes,
    // A first index of 100,000 articles.
    timeout: "900 seconds",
    environment: { TABLE_NAME: table.name, ARTICLE_BUCKET: articles.name, SEARCH_BUCKET: indexes.name },
    permissions: [
      grantOn(table.arn, ["GetItem"], ["users", "settings"]),
      grantOn(table.arn, ["BatchGetItem", "Query", "UpdateItem"], ["users"]),
      ...Object.values(tableDefinition.indexes).map((index) => grantOnIndex(table.arn, index)),
      ...grantKept(articles.arn, "articles", "read"),
      ...grantIndexes(indexes.arn, "GetObject", "PutObject"),
    ],
    reservedConcurrency: settings.reservedConcurrency.indexing,
    settings,
  });
}

/** The function that keeps pages in the background. */
export function createKeepingFunction(
  { table, articles, pictures, extraction, imaging }: Storage,
  settings: StageSettings,
): DeployedFunction {
  return createFunction("keeping", {
    handler: "packages/lambda/handlers/keeping.handler",
    // Up to 60 pictures of 4 MB at once, each as bytes, base64 and compressed.
    memory: "1769 MB",
    timeout: "300 seconds",
    environment: {
      TABLE_NAME: table.name,
      ARTICLE_BUCKET: articles.name,
      PICTURE_BUCKET: pictures.name,
      EXTRACTION_FUNCTION: extraction.arn,
      IMAGING_FUNCTION: imaging.arn,
    },
    permissions: [
      grantOn(table.arn, ["GetItem"], ["settings"]),
      ...grantEach(table.arn, grants.pictures.keep),
      grantOn(table.arn, ["GetItem", "BatchGetItem", "UpdateItem", "PutItem", "DeleteItem"], ["users"]),
      grantOn(table.arn, ["Query", "PutItem", "DeleteItem", "BatchWriteItem"], ["keeping"]),
      ...Object.values(tableDefinition.indexes).map((index) => grantOnIndex(table.arn, index)),
      ...grantKept(articles.arn, "articles", "write"),
      ...grantKept(pictures.arn, "pictures", "store"),
      { actions: ["lambda:InvokeFunction"], resources: [extraction.arn, imaging.arn] },
    ],
    reservedConcurrency: settings.reservedConcurrency.keeping,
    settings,
  });
}

/** The function that continues the deletions of accounts, and erases pages that have been in the trash for 30 days. */
export function createDeletionFunction(
  { table, articles, pictures, indexes, indexing }: Storage,
  settings: StageSettings,
): DeployedFunction {
  return createFunction("deletions", {
    handler: "packages/lambda/handlers/deletions.handler",
    memory: "256 MB",
    timeout: "300 seconds",
    environment: {
      TABLE_NAME: table.name,
      ARTICLE_BUCKET: articles.name,
      SEARCH_BUCKET: indexes.name,
      PICTURE_BUCKET: pictures.name,
      INDEXING_FUNCTION: indexing.arn,
    },
    permissions: [
      ...grantEach(table.arn, [...grants.pictures.delete, ...grants.pictures.deleteAll]),
      grantOn(table.arn, ["Query"], ["deletions", "users", "logins", "trash"]),
      ...Object.values(tableDefinition.indexes).map((index) => grantOnIndex(table.arn, index)),
      grantOn(table.arn, ["GetItem"], ["users", "settings"]),
      grantOn(table.arn, ["BatchGetItem", "UpdateItem", "PutItem", "ConditionCheckItem"], ["users"]),
      grantOn(table.arn, ["BatchWriteItem"], ["logins", "trash"]),
      grantOn(table.arn, ["PutItem"], ["settings"]),
      grantOn(table.arn, ["DeleteItem"], ["users", "deletions", "shares"]),
      grantOn(table.arn, ["PutItem"], ["deleted"]),
      ...grantKept(articles.arn, "articles", "deleteAll"),
      ...grantKept(pictures.arn, "pictures", "deleteAll"),
      ...grantIndexes(indexes.arn, "PutObject"),
      { actions: ["lambda:InvokeFunction"], resources: [indexing.arn] },
    ],
    settings,
  });
}

/** The function that uses the stage as an app does, from outside. On the table it may create its own account. */
export function createProbeFunction(
  { main, text, table, secret }: Record<"main" | "text" | "secret", $util.Output<string>> & Pick<Storage, "table">,
  settings: StageSettings,
): DeployedFunction {
  const own = secret.apply(listProbePartitions);
  return createFunction("probe", {
    handler: "packages/lambda/handlers/probe.handler",
    memory: "256 MB",
    timeout: "180 seconds",
    environment: { TABLE_NAME: table.name, BASE_URL: main, TEXT_HOST_URL: text, PROBE_SECRET: secret },
    permissions: [
      grantOn(table.arn, ["GetItem"], ["settings"]),
      grantOnKeys(table.arn, ["GetItem", "PutItem", "UpdateItem"], [own.user]),
      grantOnKeys(table.arn, ["PutItem"], [own.key, own.keys]),
    ],
    settings,
  });
}

/** The function that moves the aliases of other functions to their new versions. */
export function createCanaryFunction(
  moved: readonly DeployedFunction[],
  { table }: Storage,
  settings: StageSettings,
): DeployedFunction {
  const ofMoved = moved.map((each) => each.function.arn);
  // It deletes its own old versions, too, and its own ARN is not known before it exists.
  const own = ofMoved.slice(0, 1).map((arn) => arn.apply((each) => each.replace(/[^:]+$/, nameOf("canary"))));
  const pruned = [...ofMoved, ...own];
  return createFunction("canary", {
    handler: "packages/canary/handlers/canary.handler",
    memory: "256 MB",
    // It watches for 5 minutes; each of the steps that wait before the data version is raised has 10.
    timeout: "900 seconds",
    environment: { TABLE_NAME: table.name },
    permissions: [
      grantOn(table.arn, ["GetItem", "PutItem"], ["settings"]),
      { actions: ["lambda:GetAlias", "lambda:UpdateAlias"], resources: ofMoved },
      { actions: ["lambda:ListVersionsByFunction", "lambda:ListAliases"], resources: pruned },
      // The ARN has a version, so that no function can be deleted.
      { actions: ["lambda:DeleteFunction"], resources: pruned.map((arn) => $interpolate`${arn}:*`) },
      // Metrics have no ARN.
      { actions: ["cloudwatch:GetMetricData"], resources: ["*"] },
    ],
    isCanary: true,
    settings,
  });
}

interface OwnFunctionArgs {
  handler: string;
  memory: `${number} MB`;
  timeout: `${number} seconds`;
  /** Room for files; Lambda's 512 MB if undefined. */
  room?: `${number} MB`;
  environment: Record<string, $util.Input<string>>;
  permissions: sst.aws.FunctionPermissionArgs[];
  checksPasswords?: boolean;
  readsPages?: boolean;
  decodesPictures?: boolean;
  /** Maximum concurrent executions; not bounded if undefined. */
  reservedConcurrency?: number | undefined;
  /** Nobody moves the alias of the canary. */
  isCanary?: boolean;
  settings: StageSettings;
}

/**
 * argon2's binary for Lambda, which the bundled argon2 finds beside itself. `nodejs.install` would let npm compile it for
 * the processor of the deploying machine. `sst dev` runs functions on the developer's machine, so it links all binaries.
 */
function listArgon2Binaries() {
  const folder = $dev ? "prebuilds" : "prebuilds/linux-arm64";
  return [{ from: `node_modules/argon2/${folder}`, to: folder }];
}

/** Traces belong to no resource that a permission could name. */
const tracingPermission = { actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], resources: ["*"] };

/** A function, and the target of its callers: its alias `live`, which the canary and a rollback point to a version. */
export interface DeployedFunction {
  /** Without the names of the project and the stage. */
  name: string;
  function: sst.aws.Function;
  /** The version that this deployment has published. */
  version: $util.Output<string>;
  /** ARN of the alias. */
  arn: $util.Output<string>;
}

const nameOf = (name: string) => `${$app.name}-${$app.stage}-${name}`;

function createFunction(name: string, args: OwnFunctionArgs): DeployedFunction {
  const { handler, memory, timeout, room, permissions, checksPasswords, readsPages, decodesPictures } = args;
  const { reservedConcurrency, isCanary, settings } = args;
  const { logRetention, tracing, release } = settings;
  const component = componentOf(name);
  const fullName = nameOf(name);
  // The release gives each deployment a version of each function, also of one whose code is the same.
  const environment = {
    ...settings.variables,
    METRIC_NAMESPACE: metricNamespace(),
    ...args.environment,
    RELEASE: release,
  };
  const logGroup = new aws.cloudwatch.LogGroup(`${component}Log`, {
    name: `/aws/lambda/${fullName}`,
    retentionInDays: logRetention,
  });
  const deployed = new sst.aws.Function(component, {
    name: fullName,
    handler,
    runtime: "nodejs24.x",
    architecture: "arm64",
    memory,
    timeout,
    ...(room && { storage: room }),
    versioning: true,
    ...(reservedConcurrency !== undefined && { concurrency: { reserved: reservedConcurrency } }),
    permissions: [
      ...permissions,
      ...(tracing ? [tracingPermission] : []),
      // Lambda chooses the names of the streams of a log group.
      { actions: ["logs:CreateLogStream", "logs:PutLogEvents"], resources: [$interpolate`${logGroup.arn}:*`] },
    ],
    nodejs: {
      // SST's builder does not minify by default, although its documentation says so.
      minify: true,
      // Packs the source map, with which the log names files and lines; SST drops it if a log group is not its own.
      sourcemap: true,
      ...(readsPages && { esbuild: { external: ["pdfjs-dist"] } }),
    },
    // `sst dev` links the whole node_modules beside a bundle.
    copyFiles: [
      ...(checksPasswords ? listArgon2Binaries() : []),
      ...(readsPages && !$dev ? [copyPdfjs()] : []),
      ...(decodesPictures && !$dev ? [packageSharp($cli.paths.root, "arm64")] : []),
    ],
    logging: { logGroup: logGroup.name, format: "json" },
    environment,
    // The bridge of `sst dev` needs the trust policy and the variables that a deployed function does not need.
    transform: $dev
      ? {}
      : {
          role: {
            // By default SST also trusts every identity of the account.
            assumeRolePolicy: aws.iam.assumeRolePolicyForPrincipal({ Service: "lambda.amazonaws.com" }),
            // Replaces the managed policy, which lets a function write to every log of the account.
            managedPolicyArns: [],
          },
          function: {
            // SST adds the key to the secrets of linked resources; nothing is linked here.
            environment: { variables: environment },
            tracingConfig: { mode: tracing ? "Active" : "PassThrough" },
            // Without START, END and REPORT lines: the line of a call has its time and memory.
            loggingConfig: {
              logFormat: "JSON",
              systemLogLevel: "WARN",
              applicationLogLevel: "INFO",
              logGroup: logGroup.name,
            },
          },
        },
  });
  const { version } = deployed.nodes.function;
  const live = new aws.lambda.Alias(
    `${component}Live`,
    { name: "live", functionName: deployed.name, functionVersion: version },
    // The canary moves it (stacks/canary.ts), which `sst dev` does not run.
    { ignoreChanges: isCanary || $dev ? [] : ["functionVersion", "routingConfig"] },
  );
  return { name, function: deployed, version, arn: live.arn };
}
