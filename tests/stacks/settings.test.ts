// SPDX-License-Identifier: MIT

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { readConcurrency, warnOfReservations } from "../../stacks/concurrency.ts";
import { nameOfCommit, readStageSettings } from "../../stacks/settings.ts";
import { type Evaluation, evaluateStacks } from "./evaluate.ts";

const certificate = "arn:aws:acm:eu-west-1:123456789012:certificate/12345678-1234-1234-1234-123456789012";
const email = { ALARM_EMAIL: "a@example.com" };
const signOn = {
  OIDC_ISSUER: "https://login.example.com",
  OIDC_CLIENT_ID: "list",
  OIDC_CLIENT_SECRET: "a secret",
  BASE_DOMAIN: "api.example.com",
  WEB_API_KEY: "the-key-of-the-reader",
};

test.each([
  ["a domain with a scheme", { BASE_DOMAIN: "https://api.example.com" }, /^BASE_DOMAIN: must be a domain name/],
  ["a domain without a dot", { TEXT_DOMAIN: "localhost" }, /^TEXT_DOMAIN: must be a domain name/],
  [
    "one domain for both hosts",
    { ...email, BASE_DOMAIN: "example.com", TEXT_DOMAIN: "example.com" },
    /^TEXT_DOMAIN: must differ/,
  ],
  [
    "a certificate that is no ARN of ACM",
    { BASE_DOMAIN: "example.com", BASE_CERTIFICATE: "arn:aws:iam::123456789012:server-certificate/api" },
    /^BASE_CERTIFICATE: must be the ARN of a certificate/,
  ],
  [
    "a certificate without a domain",
    { ...email, TEXT_CERTIFICATE: certificate },
    /^TEXT_CERTIFICATE: also needs TEXT_DOMAIN/,
  ],
  [
    "a reader's domain without a key",
    { ...email, WEB_DOMAIN: "read.example.com" },
    /^WEB_DOMAIN: also needs WEB_API_KEY/,
  ],
  [
    "a reader's domain that is a host's",
    { ...email, BASE_DOMAIN: "api.example.com", WEB_DOMAIN: "api.example.com", WEB_API_KEY: "12345678" },
    /^WEB_DOMAIN: must differ/,
  ],
  [
    "a reader's certificate of a region that CloudFront does not take",
    { ...email, WEB_DOMAIN: "read.example.com", WEB_API_KEY: "12345678", WEB_CERTIFICATE: certificate },
    /^WEB_CERTIFICATE: must be the ARN of a certificate in ACM in us-east-1/,
  ],
  ["a reader's key with a blank", { ...email, WEB_API_KEY: "public key" }, /^WEB_API_KEY: must be 8-128 printable/],
  ["a production stage without ALARM_EMAIL", { ALARM_EMAIL: "" }, /^ALARM_EMAIL: must be the e-mail address/],
  ["an e-mail address without a domain", { ALARM_EMAIL: "ops" }, /^ALARM_EMAIL: must be one e-mail address/],
  ["two e-mail addresses", { ALARM_EMAIL: "a@example.com,b@example.com" }, /^ALARM_EMAIL: must be one/],
  ["a setting of X-Ray that is neither on nor off", { ...email, XRAY: "yes" }, /^XRAY: must be/],
  ["a table whose name has a space", { ...email, RESTORED_TABLE: "the list" }, /^RESTORED_TABLE: must be the name of/],
  ["a limit that is no number", { KEY_LIMIT: "many" }, /^KEY_LIMIT: must be a whole number, 0 or more$/],
  ["a setting of signup that is neither open nor closed", { SIGNUP: "no" }, /^SIGNUP: must be open or closed/],
  ["a throttle that is no number", { THROTTLE_RATE: "fast" }, /^THROTTLE_RATE: must be a whole number/],
  ["a blocked address that is not one", { ...email, EDGE_BLOCKED: "10.0.0.1, ann" }, /^EDGE_BLOCKED: must be IP/],
  [
    "a certificate that CloudFront does not take",
    { ...email, EDGE: "on", BASE_DOMAIN: "api.example.com", BASE_CERTIFICATE: certificate },
    /^BASE_CERTIFICATE: must be in us-east-1 with EDGE=on/,
  ],
  [
    "a certificate of the text host that CloudFront does not take",
    { ...email, EDGE: "on", TEXT_DOMAIN: "text.example.com", TEXT_CERTIFICATE: certificate },
    /^TEXT_CERTIFICATE: must be in us-east-1 with EDGE=on/,
  ],
  ["a release whose name has a space", { ...email, RELEASE: "my release" }, /^RELEASE: must be a name of up to 40/],
  ["a release with 41 letters", { ...email, RELEASE: "r".repeat(41) }, /^RELEASE: must be a name of up to 40/],
  ["a budget of nothing", { ...email, MONTHLY_BUDGET: "0" }, /^MONTHLY_BUDGET: must be a whole number/],
  ["a throttle of 0", { THROTTLE_BURST: "0" }, /^THROTTLE_BURST: must be a whole number/],
  [
    "a limit of a key that the throttle makes unreachable",
    { ...email, THROTTLE_RATE: "2" },
    /^THROTTLE_RATE: must be 3 or more, because KEY_LIMIT lets a key make 10000 calls in 3600 seconds/,
  ],
  [
    "single sign-on without its secret",
    { ...email, ...signOn, OIDC_CLIENT_SECRET: "" },
    /^OIDC_CLIENT_SECRET: must be/,
  ],
  ["single sign-on at no address of its own", { ...email, ...signOn, BASE_DOMAIN: "" }, /^BASE_DOMAIN: must be set/],
  ["single sign-on without the web reader", { ...email, ...signOn, WEB_API_KEY: "" }, /^WEB_API_KEY: must be set/],
  [
    "administrators by a claim",
    { ...email, ...signOn, OIDC_OPERATORS: "groups=a" },
    /^OIDC_OPERATORS: must not be set/,
  ],
  ["single sign-on alone, without a provider", { ...email, OIDC_ONLY: "1" }, /^OIDC_ISSUER: must be set/],
])("%s is refused with the name of the variable", (_, variables, message) => {
  expect(() => readStageSettings("production", variables)).toThrow(message);
});

test("the message about a faulty certificate does not repeat it", () => {
  const read = () => readStageSettings("dev-ann", { BASE_DOMAIN: "example.com", BASE_CERTIFICATE: "planted" });
  expect(read).not.toThrow("planted");
});

test("a deployment with a faulty setting ends before anything is created", async () => {
  await expect(evaluateStacks("production", { BASE_DOMAIN: "nonsense" })).rejects.toThrow(/BASE_DOMAIN: must be/);
  await expect(evaluateStacks("production", { ALARM_EMAIL: "nonsense" })).rejects.toThrow(/ALARM_EMAIL: must be/);
});

describe("docs/aws/operations.md", () => {
  /** Each variable with a default in the table of settings; a second default applies to stages for trials. */
  const [, limits = ""] = readFileSync("docs/self-hosting.md", "utf8").split("<!-- settings (machine or stage)");
  const tables = [limits.split("<!-- end -->")[0] ?? "", readFileSync("docs/aws/operations.md", "utf8")];
  const defaults = tables
    .flatMap((table) => [...table.matchAll(/^ *\| (`[A-Z_`, ]+) \| ([^|]+) \|/gm)])
    .flatMap(([, names = "", values = ""]) => {
      const [live = "", trial = live] = values.split(";").map((part) => part.replace(/^ *(for trials)?/, ""));
      return [...names.matchAll(/`(\w+)`/g)].map(([, name = ""], index) => {
        const valueIn = (list: string) => /`([^`]+)`/.exec(list.split(", ")[index] ?? "")?.[1];
        return { name, live: valueIn(live), trial: valueIn(trial) };
      });
    });
  // A stage for trials has another default of TEXTS_AT_ONCE, and OIDC_ONLY needs a provider.
  const others = new Set(["TEXTS_AT_ONCE", "OIDC_ONLY"]);
  const withDefault = defaults.filter(({ name, live, trial }) => live && !(others.has(name) && live === trial));
  expect(withDefault.length).toBeGreaterThan(18);
  /** With all that some variables need to have an effect. */
  const base: Record<string, string> = { ...email, EDGE: "on" };

  test.each(withDefault)("has the default of $name", ({ name, live = "", trial = "" }) => {
    for (const [stage, value] of [
      ["production", live],
      ["dev-ann", trial],
    ] as const) {
      const { [name]: _, ...rest } = base;
      const read = (variables: Record<string, string>) => readStageSettings(stage, { ...rest, ...variables });
      expect(read({ [name]: value }), stage).toEqual(read({}));
      const other =
        { on: "off", off: "on", open: "closed", unnamed: "v1", all: "opened" }[value] ?? String(2 * Number(value));
      expect(read({ [name]: other }), stage).not.toEqual(read({}));
    }
  });
});

describe("reserved concurrency", () => {
  const reservedIn = (account: number, free = account) =>
    readStageSettings("production", email, { account, free }).reservedConcurrency;

  test("is in docs/aws/capacity.md and operations.md", () => {
    const { signup, text, extraction, imaging, indexing, keeping, ...others } = reservedIn(1000);
    expect(readFileSync("docs/aws/capacity.md", "utf8")).toContain(
      `on a protected stage ${signup} signups, ${text} pages for \`text\` and ${extraction} for all other functions, and ${imaging} pictures read and ${indexing} search indexes stored at once, and one run of the keeper; on others none`,
    );
    expect([keeping, others]).toEqual([1, {}]);
    expect(readStageSettings("dev-ann", {}).reservedConcurrency).toEqual({});
    const all = Object.values(reservedIn(1000)).reduce((sum, each) => sum + each, 0);
    expect(readFileSync("docs/aws/operations.md", "utf8")).toContain(
      `A protected stage reserves ${all} and AWS keeps 100 unreserved: with fewer than ${all + 100} it deploys without`,
    );
  });

  test("is left out in a small account, with a warning, and stops a deployment if others have reserved too much", () => {
    expect([reservedIn(10), reservedIn(390)]).toEqual([{}, {}]);
    expect(warnOfReservations(10, reservedIn(10))).toMatch(
      /^Lambda has 10 concurrent executions.* need 391: deploying without/,
    );
    expect(reservedIn(391)).toEqual(reservedIn(1000));
    expect(warnOfReservations(391, reservedIn(391))).toBeUndefined();
    expect(() => reservedIn(1000, 390)).toThrow(
      /^ACCOUNT_CONCURRENCY: .* needs 391 .* and 390 of the account's 1000 are free/,
    );
    expect(
      readStageSettings("production", { ...email, ACCOUNT_CONCURRENCY: "10" }, { account: 1000, free: 0 }),
    ).toMatchObject({
      reservedConcurrency: {},
      accountConcurrency: 10,
    });
  });

  test("is read from the account: what is unreserved, and what the stage's own functions have", async () => {
    const reserved: Record<string, number> = { signup: 20, text: 100 };
    const lambda = createServer((request, response) => {
      const [, name = ""] = /functions\/reading-list-production-(\w+)\/concurrency/.exec(request.url ?? "") ?? [];
      const isMissing = name !== "" && reserved[name] === undefined;
      response.writeHead(isMissing ? 404 : 200, isMissing ? { "x-amzn-errortype": "ResourceNotFoundException" } : {});
      response.end(
        JSON.stringify(
          name
            ? { ReservedConcurrentExecutions: reserved[name] }
            : { AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 300 } },
        ),
      );
    }).listen(0, "127.0.0.1");
    await once(lambda, "listening");
    vi.stubEnv("AWS_ENDPOINT_URL_LAMBDA", `http://127.0.0.1:${(lambda.address() as AddressInfo).port}`)
      .stubEnv("AWS_REGION", "eu-west-1")
      .stubEnv("AWS_ACCESS_KEY_ID", "x")
      .stubEnv("AWS_SECRET_ACCESS_KEY", "y");
    try {
      expect(await readConcurrency("reading-list-production-")).toEqual({ account: 1000, free: 420 });
    } finally {
      vi.unstubAllEnvs();
      lambda.close();
    }
  });
});

test("a blocked address becomes a range, as WAF takes ranges only", () => {
  const EDGE_BLOCKED = "203.0.113.7, 2001:db8::1, 198.51.100.0/24,";
  const { edge } = readStageSettings("dev-ann", { EDGE: "on", EDGE_BLOCKED });
  expect(edge?.blocked).toEqual(["203.0.113.7/32", "2001:db8::1/128", "198.51.100.0/24"]);
});

test("the least values that AWS takes are accepted, and none below", () => {
  const least = {
    EDGE: "on",
    EDGE_RATE: "10",
    ACCOUNT_CONCURRENCY: "10",
    THROTTLE_BURST: "1",
    MONTHLY_BUDGET: "1",
    EDGE_SECRET_NUMBER: "1",
  };
  expect(readStageSettings("dev-ann", least)).toMatchObject({
    edge: { rate: 10, secretNumber: 1 },
    accountConcurrency: 10,
    throttle: { burst: 1 },
    monthlyBudget: 1,
  });
  for (const name of ["EDGE_RATE", "ACCOUNT_CONCURRENCY"]) {
    expect(() => readStageSettings("dev-ann", { [name]: "9" }), name).toThrow(`${name}: must be`);
  }
});

test("certificates of us-east-1 are accepted with EDGE=on", () => {
  const ofCloudFront = certificate.replace("eu-west-1", "us-east-1");
  const variables = {
    EDGE: "on",
    BASE_DOMAIN: "api.example.com",
    BASE_CERTIFICATE: ofCloudFront,
    TEXT_DOMAIN: "text.example.com",
    TEXT_CERTIFICATE: ofCloudFront,
  };
  const { domains } = readStageSettings("dev-ann", variables);
  expect(domains.main?.certificate).toBe(ofCloudFront);
  expect(domains.text?.certificate).toBe(ofCloudFront);
});

test("a release is named after its commit, which a rollback names", () => {
  const hashOf = (revision: string) => execFileSync("git", ["rev-parse", `${revision}^{commit}`]).toString();
  const name = nameOfCommit() ?? "";
  expect(hashOf(name.replace(/-dirty$/, ""))).toBe(hashOf("HEAD"));
  expect(readStageSettings("dev-ann", {}).release).toBe("unnamed");
});

test("the web reader offers to register unless SIGNUP is closed", () => {
  expect(readStageSettings("dev-ann", {}).isSignupOpen).toBe(true);
  expect(readStageSettings("dev-ann", { SIGNUP: "closed" }).isSignupOpen).toBe(false);
});

test("an empty variable is the same as none", () => {
  const empty = { BASE_DOMAIN: "", BASE_CERTIFICATE: "", USER_LIMIT: "", THROTTLE_RATE: "" };
  expect(readStageSettings("dev-ann", empty)).toEqual(readStageSettings("dev-ann", {}));
});

describe("a stage with given certificates", () => {
  let evaluation: Evaluation;
  const textCertificate = `${certificate}0`;

  beforeAll(async () => {
    evaluation = await evaluateStacks("dev-ann", {
      BASE_DOMAIN: "api.example.com",
      BASE_CERTIFICATE: certificate,
      TEXT_DOMAIN: "text.example.com",
      TEXT_CERTIFICATE: textCertificate,
    });
  });

  test("serves each domain with its certificate", () => {
    const domains = evaluation.resources.filter(({ type }) => type === "aws:apigatewayv2/domainName:DomainName");
    expect(domains.map(({ inputs }) => inputs)).toEqual([
      expect.objectContaining({
        domainName: "api.example.com",
        domainNameConfiguration: expect.objectContaining({ certificateArn: certificate }),
      }),
      expect.objectContaining({
        domainName: "text.example.com",
        domainNameConfiguration: expect.objectContaining({ certificateArn: textCertificate }),
      }),
    ]);
  });

  test("creates nothing in Route 53 and ACM", () => {
    const types = evaluation.resources.map(({ type }) => type);
    expect(types.filter((type) => /route53|acm/i.test(type))).toEqual([]);
    expect(evaluation.resources.filter(({ inputs }) => "zoneId" in inputs)).toEqual([]);
  });

  test("prints the target of the DNS record that the operator must create for each domain", () => {
    expect(evaluation.outputs).toMatchObject({
      baseUrl: "https://api.example.com",
      baseDnsTarget: "MainApiDomainName.target",
      textUrl: "https://text.example.com",
      textDnsTarget: "TextApiDomainName.target",
    });
  });
});

test("a restored table replaces the stage's own in the functions, and the stage's own is kept", async () => {
  const { resources, outputs } = await evaluateStacks("dev-ann", { RESTORED_TABLE: "restored" });
  expect(outputs.tableName).toBe("restored");
  const tables = resources.filter(({ type }) => type === "aws:dynamodb/table:Table");
  expect(tables.map(({ name }) => name)).toEqual(["ReadingListTable"]);
  const own = String(tables[0]?.inputs.name);
  for (const { type, name, inputs } of resources.filter(({ type }) => /Function$|iam\/role:Role$/.test(type))) {
    expect(JSON.stringify(inputs), `${type} ${name}`).not.toContain(own);
  }
  const add = resources.find(({ name }) => name === "AddFunction");
  expect(add?.inputs.environment).toMatchObject({ variables: { TABLE_NAME: "restored" } });
});
