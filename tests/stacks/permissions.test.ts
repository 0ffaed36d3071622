import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { apis } from "@reading-list/core/contract/apis.ts";
import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { exampleOf } from "@reading-list/core/contract/openapi-examples.ts";
import { examplePage } from "@reading-list/core/contract/text.ts";
import { finishDeletions } from "@reading-list/core/use-cases/delete-user.ts";
import { newName, TestUser } from "@reading-list/testing/client.ts";
import { interceptCommands } from "@reading-list/testing/intercept-commands.ts";
import { type PageServer, startPageServer } from "@reading-list/testing/page-server.ts";
import { ReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { WallabagDevice } from "@reading-list/testing/wallabag-device.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { componentOf, type Evaluation, evaluateStacks } from "./evaluate.ts";

/** The permissions used since it was last cleared, such as `GetItem on table SETTING` or `Query on byTime USER#*`. */
const needed = new Set<string>();
let service: TestService;
/** A service on the same table that lets nobody register. */
let closed: TestService;
let evaluation: Evaluation;
let pages: PageServer;
/** Runs while a page is read. */
let whileReading = async () => {};

beforeAll(async () => {
  evaluation = await evaluateStacks("dev-ann");
  pages = await startPageServer(async (_request, response) => {
    await whileReading();
    response.writeHead(200, { "content-type": "text/html" }).end(examplePage);
  });
  service = await startTestService(
    { PUBLIC_KEY_ADDRESS_LIMIT: "0", TEXT_ALLOWED_ORIGINS: pages.origin },
    { wrapClient: recordNeeds },
  );
  closed = await startTestService(
    { SIGNUP: "closed", TABLE_NAME: service.env.TABLE_NAME },
    { wrapClient: recordNeeds, clock: service.clock },
  );
});
afterAll(() => pages.stop());

let isRecorded = true;
/** Makes calls of which the permissions are not recorded. */
async function withoutRecord(calls: () => Promise<unknown>): Promise<void> {
  isRecorded = false;
  await calls();
  isRecorded = true;
}

// biome-ignore lint/suspicious/noExplicitAny: the input of any command
type Input = any;

/** A partition as IAM's conditions name it. */
const patternOf = (pk: string) => pk.replace(/#.*/s, "#*");

/** The partitions that a command names. */
const partitionsOf = ({ Key, Item, RequestItems, ExpressionAttributeValues }: Input): string[] =>
  RequestItems
    ? Object.values<Input>(RequestItems)
        .flatMap((requests) => requests.Keys ?? requests.map(({ DeleteRequest }: Input) => DeleteRequest.Key))
        .map(({ pk }) => pk)
    : [(Key ?? Item)?.pk ?? ExpressionAttributeValues[":pk"]];

/** Records the permissions that the calls of a client use. */
function recordNeeds(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  const need = (action: string, input: Input) => {
    if (!isRecorded) return;
    for (const pk of partitionsOf(input)) needed.add(`${action} on ${input.IndexName ?? "table"} ${patternOf(pk)}`);
  };
  return interceptCommands(client, (command, send) => {
    const { input, constructor: kind } = command as { input: Input };
    // IAM checks each operation of a transaction, a `Put` as PutItem.
    for (const item of input.TransactItems ?? []) {
      for (const [action, each] of Object.entries(item)) need(`${action}Item`, each);
    }
    if (!input.TransactItems && !("AttributeDefinitions" in input) && !("TimeToLiveSpecification" in input)) {
      need(kind.name.replace(/(Get|Put|Update|Delete|Write)Command$/, "$1Item").replace("Command", ""), input);
    }
    return send(command);
  });
}

/** Prepares a user's list for those calls. */
async function prepare({ articles, example }: EndpointContract, user: TestUser): Promise<void> {
  const kept = { url: String(example.parameters.url ?? pages.origin), html: examplePage };
  if (articles === "delete") kept.url = (example.parameters.delete as { url: string }[])[0]?.url ?? "";
  if (articles === undefined) return;
  await user.add(kept.url);
  await user.ok("article", kept);
  await user.add(pages.origin);
}

/** Makes the calls that cover every use of the table by an endpoint. */
async function callFully(endpoint: EndpointContract, user: TestUser, apikey: string): Promise<void> {
  const { name, caller, input, articles } = endpoint;
  const { credentials } = caller === "new-user" ? { credentials: { username: newName(), password: "secret" } } : user;
  const parameters = { ...exampleOf(endpoint, credentials), apikey };
  if (name === "app_passwords") {
    const { body } = await service.call(name, { ...parameters, create: "Phone" });
    await service.call(name, { ...parameters, revoke: JSON.parse(body).id });
  }
  if (name === "password") await service.call(name, { ...parameters, revoke: "1" });
  await service.call(name, parameters);
  if (articles === "keep") {
    // An item that is deleted while its page is read.
    whileReading = () => withoutRecord(() => user.send({ delete: [{ url: pages.origin }] }));
    await service.call(name, { ...credentials, url: pages.origin, apikey });
  }
  if ("page" in input.shape) await service.call(name, { ...parameters, count: "1", page: "2" });
  // Unread items have an index of their own.
  if ("state" in input.shape) await service.call(name, { ...parameters, state: "unread" });
}

/** The permissions of a function on the table, in the form of `needed`. */
function allowedTo(endpoint: string): string[] {
  const role = evaluation.resources.find(
    ({ type, name }) => type.endsWith(":Role") && name === `${componentOf(endpoint)}Role`,
  );
  const policies = role?.inputs.inlinePolicies as { policy: string }[];
  interface Statement {
    actions: string[];
    resources: string[];
    conditions?: { test: string; variable: string; values: string[] }[];
  }
  return policies
    .flatMap(({ policy }): Statement[] => JSON.parse(policy))
    .filter(({ actions }) => actions.some((action) => action.startsWith("dynamodb:")))
    .flatMap(({ actions, resources, conditions = [] }) => {
      expect(conditions).toHaveLength(1);
      const [condition] = conditions;
      expect(condition).toMatchObject({ test: "ForAllValues:StringLike", variable: "dynamodb:LeadingKeys" });
      return resources.flatMap((resource) =>
        actions.flatMap((action) =>
          (condition?.values ?? []).map(
            (pattern) => `${action.replace("dynamodb:", "")} on ${resource.split("/index/")[1] ?? "table"} ${pattern}`,
          ),
        ),
      );
    });
}

test.each(endpoints)("$name may do with each kind of record exactly what its code does", async (endpoint) => {
  const { name, counted, caller } = endpoint;
  const user = await service.newUser();
  await prepare(endpoint, user);
  const apikey = await service.newApiKey();
  const spent = await service.newApiKey({ isPublic: true });
  // The records that a revocation and a deletion find.
  await user.ok("app_passwords", { create: "Tablet" });
  await user.call("auth", { password: "wrong" });
  // Longer than settings are cached.
  service.clock.advance(10);
  needed.clear();
  await callFully(endpoint, user, apikey);
  await service.call(name, { apikey, ...user.credentials, password: "wrong", url: "http://example.com/" });
  // An address without a call left reads the count of its public key.
  if (counted) await service.call(name, { ...exampleOf(endpoint, user.credentials), apikey: spent });
  if (caller === "new-user") await closed.call(name, { ...user.credentials, apikey });
  expect(allowedTo(name).sort()).toEqual([...needed].sort());
});

/** Calls that cover every use of the table by an API of another service. */
const apiCalls: Record<(typeof apis)[number]["name"], (user: TestUser, token: string) => Promise<unknown>> = {
  readeck: async (user, token) => {
    const device = new ReadeckDevice(user, token);
    const [, password = "", apikey] = token.split(".");
    await ReadeckDevice.signIn(user, { ...user.credentials, password }).catch(() => {});
    const saved = await device.call("POST", "bookmarks", { url: `${pages.origin}/${apikey}` });
    const bookmark = `bookmarks/${saved.headers.get("bookmark-id")}`;
    await device.call("GET", "bookmarks");
    await device.call("PATCH", bookmark, { is_archived: true });
    await device.bookmarks("updated_since=2020-01-01");
    await device.call("GET", `${bookmark}/article`);
    await device.call("DELETE", bookmark);
  },
  wallabag: async (user, token) => {
    const [, password, apikey] = token.split(".");
    const device = new WallabagDevice(service, { ...user.credentials, password: String(password) });
    // Six are more than a user may have of one name: the oldest goes.
    for (let i = 0; i < 6; i++) await device.signIn({ client_id: apikey }).catch(() => {});
    const refresh = { grant_type: "refresh_token", refresh_token: device.tokens?.refresh_token };
    await device.call("POST", "oauth/v2/token", refresh);
    await device.signIn({ client_id: apikey }).catch(() => {});
    const { body } = await device.call("POST", "api/entries", { url: pages.origin });
    const entry = `api/entries/${JSON.parse(body).id}`;
    await device.call("GET", "api/entries?perPage=1");
    await device.call("PATCH", entry, { archive: 1 });
    await device.call("DELETE", entry);
  },
};

test.each(apis)("$name may do with each kind of record exactly what its code does", async ({ name }) => {
  const user = new TestUser(service, newName(), "secret");
  const { username } = user.credentials;
  await user.ok("signup");
  const [apikey, spent] = [await service.newApiKey(), await service.newApiKey({ isPublic: true })];
  service.clock.advance(10);
  needed.clear();
  for (const token of [`${username}.secret.${apikey}`, `${username}.wrong.${apikey}`, `${username}.secret.${spent}`]) {
    await apiCalls[name](user, token);
  }
  expect(allowedTo(name).sort()).toEqual([...needed].sort());
});

test.each(["MainApiHealth", "TextApiHealth"])(
  "%s may read the setting that /health reads, and nothing else",
  async (name) => {
    service.clock.advance(10);
    needed.clear();
    expect((await fetch(`${new URL(service.urlOf("auth")).origin}/health`)).status).toBe(200);
    expect(allowedTo(name)).toEqual([...needed]);
  },
);

test("deletions may do with each kind of record exactly what its code does", async () => {
  const user = await service.newUser();
  const { username } = user.credentials;
  await user.ok("app_passwords", { create: "Tablet" });
  await user.call("auth", { password: "wrong" });
  const { operator, clock } = service;
  const { userId = "" } = (await operator.findUser(username)) ?? {};
  await operator.beginDeletion({ username, userId }, clock.seconds());
  needed.clear();
  await finishDeletions(operator, operator.articles, clock.seconds());
  expect(allowedTo("deletions").sort()).toEqual([...needed].sort());
});
