import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type EndpointName, endpoints } from "@reading-list/core/contract/endpoints.ts";
import { seedApiKey } from "@reading-list/store/api-keys.ts";
import { newName, type TestUser } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, expect, test } from "vitest";
import { type Evaluation, evaluateStacks } from "./evaluate.ts";

/** The permissions used since it was last cleared, as `action on table` or `action on index`. */
const needed = new Set<string>();
let service: TestService;
let user: TestUser;
let evaluation: Evaluation;

beforeAll(async () => {
  evaluation = await evaluateStacks("staging");
  service = await startTestService({}, { wrapClient: recordNeeds });
  user = await service.newUser();
});

interface Input {
  IndexName?: string;
  TransactItems?: Record<string, unknown>[];
}

/** Records the permissions that the calls of a client use. */
function recordNeeds(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  client.middlewareStack.add(
    (next, context) => (args) => {
      const action = (context.commandName ?? "").replace(/Command$/, "");
      const { IndexName, TransactItems } = args.input as Input;
      if (TransactItems) {
        // IAM checks each operation of a transaction, a `Put` as PutItem.
        for (const item of TransactItems) for (const kind of Object.keys(item)) needed.add(`${kind}Item on table`);
      } else {
        needed.add(`${action} on ${IndexName ?? "table"}`);
      }
      return next(args);
    },
    { step: "initialize" },
  );
  return client;
}

/** Calls that cover every use of the table by an endpoint. */
const calls: Record<EndpointName, (apikey: string) => Promise<unknown>> = {
  add: (apikey) => user.add("http://example.com/one", { apikey }),
  send: (apikey) => user.call("send", { apikey, new: '[{"url":"http://example.com/two"}]' }),
  stats: (apikey) => user.ok("stats", { apikey }),
  get: async (apikey) => {
    await user.get({ apikey });
    await user.get({ apikey, state: "unread" });
  },
  auth: (apikey) => user.ok("auth", { apikey }),
  signup: (apikey) => service.call("signup", { apikey, username: newName(), password: "correct horse" }),
  text: (apikey) => service.call("text", { apikey, url: "http://127.0.0.1/" }),
  api: (apikey) => service.call("api", { apikey }),
};

/** An API key that no function has seen yet. */
async function newApiKey(): Promise<string> {
  const apikey = newName();
  const record = { applicationId: apikey, name: apikey, status: "enabled", created: 0 } as const;
  await seedApiKey(service.table, apikey, record);
  return apikey;
}

/** The permissions of a function on the table, in the form of `needed`. */
function allowedTo(endpoint: EndpointName): string[] {
  const component = endpoint.charAt(0).toUpperCase() + endpoint.slice(1);
  const role = evaluation.resources.find(({ type, name }) => type.endsWith(":Role") && name === `${component}Role`);
  const policies = role?.inputs.inlinePolicies as { policy: string }[];
  return policies
    .flatMap(({ policy }): { actions: string[]; resources: string[] }[] => JSON.parse(policy))
    .flatMap(({ actions, resources }) =>
      resources.flatMap((resource) =>
        actions.map((action) => `${action} on ${resource.split("/index/")[1] ?? "table"}`),
      ),
    )
    .filter((permission) => permission.startsWith("dynamodb:"))
    .map((permission) => permission.replace("dynamodb:", ""));
}

test.each(endpoints)("$name has exactly the permissions on the table that its code uses", async ({ name }) => {
  const apikey = await newApiKey();
  needed.clear();
  await calls[name](apikey);
  await service.call(name, { apikey, ...user.credentials, password: "wrong", url: "http://example.com/" });
  expect(allowedTo(name).sort()).toEqual([...needed].sort());
});
