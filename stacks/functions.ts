import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import type { EndpointName } from "@reading-list/core/contract/endpoints.ts";
import { tableDefinition } from "@reading-list/store/table-definition.ts";
import type { Host, StageSettings } from "./settings.ts";

type TableAction = "BatchGetItem" | "GetItem" | "PutItem" | "UpdateItem";

interface EndpointFunction {
  memory: `${number} MB`;
  /** The actions of the function on the table; IAM checks each action of a transaction. */
  table: readonly TableAction[];
  /** Whether it queries the table's index. */
  queriesIndex?: true;
  /** Whether it caches texts in the bucket. */
  keepsTexts?: true;
}

/** The storage that functions use. */
export interface Storage {
  table: sst.aws.Dynamo;
  texts: sst.aws.Bucket;
}

/** Reads of the key, the maintenance text and the limits, and the counts of a call. */
const admission = ["GetItem", "UpdateItem"] as const;

/**
 * Each endpoint's function. Lambda assigns CPU in proportion to memory: a whole core at 1,769 MB, which reading a page
 * uses fully, and verifying a password mostly.
 */
const endpointFunctions: Record<EndpointName, EndpointFunction> = {
  add: { memory: "1024 MB", table: [...admission, "BatchGetItem", "PutItem"] },
  send: { memory: "1024 MB", table: [...admission, "BatchGetItem", "PutItem"] },
  stats: { memory: "1024 MB", table: admission },
  get: { memory: "1024 MB", table: admission, queriesIndex: true },
  auth: { memory: "1024 MB", table: admission },
  signup: { memory: "1024 MB", table: [...admission, "PutItem"] },
  text: { memory: "1769 MB", table: admission, keepsTexts: true },
  api: { memory: "256 MB", table: ["GetItem"] },
};

/** API Gateway's timeout is 30 s. Our own answer to an unresponsive database must come earlier. */
const patience = "29 seconds";

/** Each stage has its own namespace of metrics, because stages can share an account. */
export const metricNamespace = (): string => `${$app.name}/${$app.stage}`;

/** The function of an endpoint, with exactly the permissions that its code needs. */
export function createEndpointFunction(
  endpoint: EndpointContract & { name: EndpointName },
  { table, texts }: Storage,
  settings: StageSettings,
): sst.aws.Function {
  const { name, caller } = endpoint;
  const { memory, table: actions, queriesIndex, keepsTexts } = endpointFunctions[name];
  return createFunction(name, {
    handler: name,
    memory,
    timeout: patience,
    environment: {
      TABLE_NAME: table.name,
      ...(keepsTexts && { TEXT_BUCKET: texts.name }),
      ...settings.variables,
      METRIC_NAMESPACE: metricNamespace(),
    },
    permissions: [
      { actions: actions.map((action) => `dynamodb:${action}`), resources: [table.arn] },
      ...(queriesIndex
        ? Object.values(tableDefinition.indexes).map(({ name }) => ({
            actions: ["dynamodb:Query"],
            resources: [$interpolate`${table.arn}/index/${name}`],
          }))
        : []),
      ...(keepsTexts
        ? [
            { actions: ["s3:GetObject", "s3:PutObject"], resources: [$interpolate`${texts.arn}/*`] },
            // Without this permission S3 answers 403 for a missing object.
            { actions: ["s3:ListBucket"], resources: [texts.arn] },
          ]
        : []),
    ],
    checksPasswords: caller !== "application",
    reservedConcurrency: settings.reservedConcurrency[name],
    settings,
  });
}

/** The function that answers calls of paths and methods that no endpoint has. */
export function createUnroutedFunction(name: string, host: Host, settings: StageSettings): sst.aws.Function {
  return createFunction(name, {
    handler: "unrouted",
    memory: "128 MB",
    timeout: "5 seconds",
    environment: { API_HOST: host, ...settings.variables },
    permissions: [],
    checksPasswords: false,
    reservedConcurrency: undefined,
    settings,
  });
}

interface OwnFunctionArgs {
  /** The file in `packages/functions/handlers`. */
  handler: string;
  memory: `${number} MB`;
  timeout: `${number} seconds`;
  environment: Record<string, $util.Input<string>>;
  permissions: sst.aws.FunctionPermissionArgs[];
  checksPasswords: boolean;
  /** Maximum concurrent executions; not bounded if undefined. */
  reservedConcurrency: number | undefined;
  settings: StageSettings;
}

/**
 * What argon2 needs at run time. It is copied from the workspace, because `nodejs.install` lets npm compile it for the
 * processor of the deploying machine. argon2's files are listed one by one to leave out its folder `build`: if npm has
 * made one, node-gyp-build prefers it to the binaries in `prebuilds`.
 */
const argon2Files = [
  "argon2/package.json",
  "argon2/argon2.cjs",
  "argon2/prebuilds/linux-arm64",
  "@phc/format",
  "node-gyp-build",
].map((file) => ({ from: `node_modules/${file}` }));

/** Traces belong to no resource that a permission could name. */
const tracingPermission = { actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], resources: ["*"] };

function createFunction(name: string, args: OwnFunctionArgs): sst.aws.Function {
  const { handler, memory, timeout, environment, permissions, checksPasswords, reservedConcurrency, settings } = args;
  const { logRetention, tracing } = settings;
  const component = name.charAt(0).toUpperCase() + name.slice(1);
  const logGroup = new aws.cloudwatch.LogGroup(`${component}Log`, {
    name: `/aws/lambda/${$app.name}-${$app.stage}-${name}`,
    retentionInDays: logRetention,
  });
  return new sst.aws.Function(component, {
    handler: `packages/functions/handlers/${handler}.handler`,
    runtime: "nodejs24.x",
    architecture: "arm64",
    memory,
    timeout,
    ...(reservedConcurrency !== undefined && { concurrency: { reserved: reservedConcurrency } }),
    permissions: [
      ...permissions,
      ...(tracing ? [tracingPermission] : []),
      // Lambda chooses the names of the streams of a log group.
      { actions: ["logs:CreateLogStream", "logs:PutLogEvents"], resources: [$interpolate`${logGroup.arn}:*`] },
    ],
    logging: { logGroup: logGroup.name },
    nodejs: {
      // SST's builder does not minify by default, although its documentation says so.
      minify: true,
      // Packs the source map, with which the log names files and lines; SST drops it if a log group is not its own.
      sourcemap: true,
      ...(checksPasswords && { esbuild: { external: ["argon2"] } }),
    },
    ...(checksPasswords && { copyFiles: argon2Files }),
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
          // SST adds the key to the secrets of linked resources; nothing is linked here.
          function: {
            environment: { variables: environment },
            tracingConfig: { mode: tracing ? "Active" : "PassThrough" },
          },
        },
  });
}
