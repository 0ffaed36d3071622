// SPDX-License-Identifier: MIT

import { type ApiContract, apis } from "@reading-list/core/contract/apis.ts";
import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { type EndpointName, endpoints } from "@reading-list/core/contract/endpoints.ts";
import { leadingKeys, tableDefinition } from "@reading-list/store-dynamodb/table-definition.ts";
import { checksPasswords, grantPages, writeHandler } from "./handlers.ts";
import { copyPdfjs } from "./pdfjs.ts";
import type { Host, StageSettings } from "./settings.ts";

/** The storage that functions use, and the secrets that they share. */
export interface Storage {
  table: sst.aws.Dynamo;
  texts: sst.aws.Bucket;
  articles: sst.aws.Bucket;
  /** The secret of the proofs of passwords (docs/decisions/counting-calls.md). */
  proofSecret: $util.Output<string>;
  /** Reads pages for functions that have rights on users' records. */
  extraction: DeployedFunction;
  /** CloudFront sends it, so that the APIs answer only through it; undefined without CloudFront. */
  edgeSecret: $util.Output<string> | undefined;
  /** Its pages may send the account's password (docs/api.md 5.5); undefined without the web reader. */
  readerUrl: $util.Output<string | undefined>;
}

/**
 * Memory of functions. Lambda assigns CPU in proportion to it: a whole core at 1,769 MB, which reading a page uses fully,
 * and verifying a password mostly.
 */
const memoryOf = { application: "256 MB", user: "1024 MB", "new-user": "1024 MB", text: "1769 MB" } as const;

/** API Gateway's timeout is 30 s. Our own answer to an unresponsive database must come earlier. */
const patience = "29 seconds";

/** The needs of an endpoint, or of an API of another service, that its function meets. */
type CallContract = Pick<EndpointContract, "name" | "caller" | "counted" | "host" | "list" | "articles" | "account"> &
  Pick<ApiContract, "highlights">;

type Partition = keyof typeof leadingKeys;

const accountActions: Record<NonNullable<EndpointContract["account"]> | "none", [string[], Partition[]][]> = {
  none: [],
  signIns: [[["Query", "GetItem", "PutItem", "DeleteItem"], ["users"]]],
  password: [[["Query", "BatchWriteItem"], ["users"]]],
  deletion: [
    [["Query"], ["users", "logins"]],
    [["ConditionCheckItem"], ["users"]],
    [["BatchWriteItem"], ["logins", "trash"]],
    [["PutItem", "DeleteItem"], ["deletions"]],
    [["PutItem"], ["deleted"]],
  ],
};

/** The actions of an endpoint on the records of each kind; IAM checks each action of a transaction. */
function listActions({ caller, counted, list, articles, account }: CallContract): [actions: string[], Partition[]][] {
  const actions: [string[], Partition[]][] = [[["GetItem"], ["apiKeys", "settings"]]];
  // Calls that do not count show the count, and so do those of users with a public key.
  if (!counted || caller !== "application") actions.push([["GetItem"], ["windows"]]);
  if (counted) actions.push([["UpdateItem"], ["windows"]]);
  if (caller === "user") actions.push([["UpdateItem"], ["users", "logins"]]);
  if (caller === "new-user") actions.push([["GetItem", "PutItem"], ["users"]]);
  actions.push(...accountActions[account ?? "none"]);
  const deletes = list === "change" || list === "readAndChange";
  const changes = deletes || list === "add";
  if (changes || articles === "keep") actions.push([["BatchGetItem", "PutItem"], ["users"]]);
  if (deletes) actions.push([["PutItem"], ["trash"]]);
  // A purge erases highlights.
  if (list === "trash" || list === "highlights") actions.push([["BatchGetItem", "GetItem", "PutItem"], ["users"]]);
  // A later page of a list is checked against the user's record as it is after the read.
  if (articles === "keep" || list === "read") actions.push([["GetItem"], ["users"]]);
  if (articles) actions.push([["DeleteItem"], ["users"]]);
  return actions;
}

/** A permission on the partitions of some kinds of records alone. */
const grantOn = (arn: $util.Input<string>, actions: string[], partitions: Partition[]) => ({
  actions: actions.map((action) => `dynamodb:${action}`),
  resources: [arn],
  conditions: [
    {
      test: "ForAllValues:StringLike",
      variable: "dynamodb:LeadingKeys",
      values: partitions.map((partition) => leadingKeys[partition]),
    },
  ],
});

const grantOnIndex = (arn: $util.Input<string>, { name }: { name: string }) =>
  grantOn($interpolate`${arn}/index/${name}`, ["Query"], ["users"]);

/** The permissions of one process that serves all endpoints and APIs: those of their functions together. */
export function grantAllCalls({ table, texts, articles }: Pick<Storage, "table" | "texts" | "articles">) {
  const actionsOn = new Map<Partition, Set<string>>();
  for (const [actions, partitions] of [...endpoints, ...apis].flatMap(listActions)) {
    for (const partition of partitions) {
      actionsOn.set(partition, new Set([...(actionsOn.get(partition) ?? []), ...actions]));
    }
  }
  return [
    ...[...actionsOn].map(([partition, actions]) => grantOn(table.arn, [...actions], [partition])),
    ...Object.values(tableDefinition.indexes).map((index) => grantOnIndex(table.arn, index)),
    ...grantTexts(texts),
    ...grantArticles(articles.arn, "keep"),
  ];
}

/** Each stage has its own namespace of metrics, because stages can share an account. */
export const metricNamespace = (): string => `${$app.name}/${$app.stage}`;

/** The function of an endpoint, with exactly the permissions that its code needs. */
export function createEndpointFunction(
  endpoint: EndpointContract & { name: EndpointName },
  storage: Storage,
  settings: StageSettings,
): DeployedFunction {
  return createCallFunction(endpoint, storage, settings, {
    handler: writeHandler(endpoint),
    reservedConcurrency: settings.reservedConcurrency[endpoint.name],
  });
}

/** The function of an API of another service. A call without an API key has that of the web reader. */
export const createApiFunction = (api: ApiContract, storage: Storage, settings: StageSettings): DeployedFunction =>
  createCallFunction(api, storage, settings, {
    handler: `packages/lambda/handlers/${api.name}.handler`,
    publicApiKey: settings.web.apiKey,
  });

interface CallFunctionArgs {
  handler: string;
  reservedConcurrency?: number | undefined;
  publicApiKey?: string | undefined;
}

function createCallFunction(
  contract: CallContract,
  { table, texts, articles, proofSecret, edgeSecret, extraction, readerUrl }: Storage,
  settings: StageSettings,
  { handler, reservedConcurrency, publicApiKey }: CallFunctionArgs,
): DeployedFunction {
  const { name, caller, list, articles: use, highlights } = contract;
  const pages = grantPages(contract);
  const { byTime, unread } = tableDefinition.indexes;
  // A full quota drops articles of the trash.
  const ofArticles = use === "keep" ? [byTime] : [];
  const indexes = {
    read: [byTime, unread],
    readAndChange: highlights ? [byTime, unread] : [byTime],
    trash: [byTime, unread],
    highlights: [byTime, unread],
    add: [],
    change: [],
    none: ofArticles,
  }[list ?? "none"];
  return createFunction(name, {
    handler,
    memory: memoryOf[pages === "own" ? "text" : caller],
    timeout: patience,
    environment: {
      TABLE_NAME: table.name,
      ...(pages && { TEXTS_AT_ONCE: String(settings.textsAtOnce) }),
      ...(pages === "own" && { TEXT_BUCKET: texts.name }),
      ...(pages === "remote" && { EXTRACTION_FUNCTION: extraction.arn }),
      ...(use && { ARTICLE_BUCKET: articles.name }),
      ...(caller === "user" && { PROOF_SECRET: proofSecret, OWN_ORIGINS: toOrigin(readerUrl) }),
      ...(edgeSecret && { EDGE_SECRET: edgeSecret }),
      ...(publicApiKey && { PUBLIC_API_KEY: publicApiKey }),
      METRIC_NAMESPACE: metricNamespace(),
    },
    permissions: [
      ...listActions(contract).map(([actions, partitions]) => grantOn(table.arn, actions, partitions)),
      ...indexes.map((index) => grantOnIndex(table.arn, index)),
      ...(pages === "own" ? grantTexts(texts) : []),
      ...(pages === "remote" ? [{ actions: ["lambda:InvokeFunction"], resources: [extraction.arn] }] : []),
      ...(use ? grantArticles(articles.arn, use) : []),
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

/** The permissions on the objects of kept articles. */
const grantArticles = (arn: $util.Input<string>, use: NonNullable<EndpointContract["articles"]>) => [
  {
    actions: use === "keep" ? ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"] : ["s3:DeleteObject"],
    resources: [$interpolate`${arn}/articles/*`],
  },
  // Without this permission S3 answers 403 for a missing object.
  ...(use !== "delete" ? [{ actions: ["s3:ListBucket"], resources: [arn] }] : []),
];

/** SST's name of a function: it allows letters and digits alone. */
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

/** The function that reads pages for those with rights on users' records. Its own are the cached texts alone. */
export function createExtractionFunction(texts: sst.aws.Bucket, settings: StageSettings): DeployedFunction {
  return createFunction("extraction", {
    handler: "packages/lambda/handlers/extraction.handler",
    memory: memoryOf.text,
    // The caller answers within 29 s.
    timeout: "27 seconds",
    environment: { TEXT_BUCKET: texts.name },
    permissions: grantTexts(texts),
    readsPages: true,
    settings,
  });
}

/** The function that continues the deletions of accounts, and erases what has been in the trash for 30 days. */
export function createDeletionFunction({ table, articles }: Storage, settings: StageSettings): DeployedFunction {
  return createFunction("deletions", {
    handler: "packages/lambda/handlers/deletions.handler",
    memory: "256 MB",
    timeout: "300 seconds",
    environment: { TABLE_NAME: table.name, ARTICLE_BUCKET: articles.name },
    permissions: [
      grantOn(table.arn, ["Query"], ["deletions", "users", "logins", "trash"]),
      ...Object.values(tableDefinition.indexes).map((index) => grantOnIndex(table.arn, index)),
      grantOn(table.arn, ["GetItem"], ["users", "settings"]),
      grantOn(table.arn, ["BatchGetItem", "UpdateItem", "PutItem", "ConditionCheckItem"], ["users"]),
      grantOn(table.arn, ["BatchWriteItem"], ["logins", "trash"]),
      grantOn(table.arn, ["DeleteItem"], ["users", "deletions"]),
      grantOn(table.arn, ["PutItem"], ["deleted"]),
      ...grantArticles(articles.arn, "deleteAll"),
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
  return createFunction("canary", {
    handler: "packages/canary/handlers/canary.handler",
    memory: "256 MB",
    // It watches for 5 minutes; if it raises the data version, it waits for another 5.
    timeout: "900 seconds",
    environment: { TABLE_NAME: table.name, METRIC_NAMESPACE: metricNamespace() },
    permissions: [
      grantOn(table.arn, ["GetItem", "PutItem"], ["settings"]),
      { actions: ["lambda:GetAlias", "lambda:UpdateAlias"], resources: moved.map((each) => each.function.arn) },
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
  environment: Record<string, $util.Input<string>>;
  permissions: sst.aws.FunctionPermissionArgs[];
  checksPasswords?: boolean;
  readsPages?: boolean;
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

/** A function, and what calls it: its alias `live`, which the canary and a rollback point to a version. */
export interface DeployedFunction {
  function: sst.aws.Function;
  /** The version that this deployment has published. */
  version: $util.Output<string>;
  /** ARN of the alias. */
  arn: $util.Output<string>;
}

function createFunction(name: string, args: OwnFunctionArgs): DeployedFunction {
  const { handler, memory, timeout, permissions, checksPasswords, readsPages } = args;
  const { reservedConcurrency, isCanary, settings } = args;
  const { logRetention, tracing, release } = settings;
  const component = componentOf(name);
  const fullName = `${$app.name}-${$app.stage}-${name}`;
  // The release gives each deployment a version of each function, also of one whose code is the same.
  const environment = { ...settings.variables, ...args.environment, RELEASE: release };
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
    copyFiles: [...(checksPasswords ? listArgon2Binaries() : []), ...(readsPages && !$dev ? [copyPdfjs()] : [])],
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
  return { function: deployed, version, arn: live.arn };
}
