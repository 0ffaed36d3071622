import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import type { EndpointName } from "@reading-list/core/contract/endpoints.ts";
import functionsPackage from "@reading-list/functions/package.json" with { type: "json" };
import { tableDefinition } from "@reading-list/store/table-definition.ts";
import type { StageSettings } from "./settings.ts";

type TableAction = "BatchGetItem" | "GetItem" | "PutItem" | "UpdateItem";

interface EndpointFunction {
  memory: `${number} MB`;
  /** What the function asks of the table; a transaction counts as the actions in it. */
  table: readonly TableAction[];
  /** Whether it queries the table's index. */
  queriesIndex?: true;
  /** Whether it keeps texts in the bucket. */
  keepsTexts?: true;
}

/** Where the functions keep what they know. */
export interface Storage {
  table: sst.aws.Dynamo;
  texts: sst.aws.Bucket;
}

/** Reads of the key, the maintenance text and the limits, and the counts of a call. */
const admission = ["GetItem", "UpdateItem"] as const;

/**
 * Each endpoint's function. Lambda gives processor time in proportion to memory: a whole core at 1,769 MB, which
 * reading a page makes use of, and checking a password for the most part.
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

/** API Gateway gives up after 30 seconds; our own answer to a database that is silent comes before. */
const patience = "29 seconds";

/** A stage's metrics are a namespace of their own, as other stages can share its account. */
export const metricNamespace = (): string => `${$app.name}/${$app.stage}`;

/** The function of an endpoint, which may do with the storage what its code does and nothing else. */
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
      ...settings.limits,
      POWERTOOLS_METRICS_NAMESPACE: metricNamespace(),
    },
    permissions: [
      { actions: actions.map((action) => `dynamodb:${action}`), resources: [table.arn] },
      ...(queriesIndex
        ? [{ actions: ["dynamodb:Query"], resources: [$interpolate`${table.arn}/index/${tableDefinition.index.name}`] }]
        : []),
      ...(keepsTexts
        ? [
            { actions: ["s3:GetObject", "s3:PutObject"], resources: [$interpolate`${texts.arn}/*`] },
            // Without it a text that is not there is refused as one that is secret.
            { actions: ["s3:ListBucket"], resources: [texts.arn] },
          ]
        : []),
    ],
    checksPasswords: caller !== "application",
    concurrency: settings.concurrency[name],
    settings,
  });
}

/** The function that answers calls of paths and methods that no endpoint has. */
export function createUnroutedFunction(name: string, settings: StageSettings): sst.aws.Function {
  return createFunction(name, {
    handler: "unrouted",
    memory: "128 MB",
    timeout: "5 seconds",
    environment: { ...settings.limits },
    permissions: [],
    checksPasswords: false,
    concurrency: undefined,
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
  /** Calls at once; not bounded where it is undefined. */
  concurrency: number | undefined;
  settings: StageSettings;
}

/** Traces belong to no resource that a permission could name. */
const tracingPermission = { actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], resources: ["*"] };

function createFunction(name: string, args: OwnFunctionArgs): sst.aws.Function {
  const { handler, memory, timeout, environment, permissions, checksPasswords, concurrency, settings } = args;
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
    ...(concurrency !== undefined && { concurrency: { reserved: concurrency } }),
    permissions: [
      ...permissions,
      ...(tracing ? [tracingPermission] : []),
      // The streams of a log group have names that Lambda makes up.
      { actions: ["logs:CreateLogStream", "logs:PutLogEvents"], resources: [$interpolate`${logGroup.arn}:*`] },
    ],
    logging: { logGroup: logGroup.name },
    nodejs: {
      // SST's builder takes silence for no, whatever its documentation says.
      minify: true,
      ...(checksPasswords && { install: { argon2: functionsPackage.dependencies.argon2 } }),
    },
    environment,
    // The bridge of `sst dev` needs the trust and the variables that a deployed function does without.
    transform: $dev
      ? {}
      : {
          role: {
            // SST trusts every identity of the account as well.
            assumeRolePolicy: aws.iam.assumeRolePolicyForPrincipal({ Service: "lambda.amazonaws.com" }),
            // In place of the managed policy, which lets a function write to every log of the account.
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
