// SPDX-License-Identifier: MIT

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { readLocalSettings } from "@reading-list/local/local-settings.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { runCommand } from "@reading-list/testing/command-line.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { findFreePort } from "@reading-list/testing/free-port.ts";
import { codeIn, type MailServer, startMailServer } from "@reading-list/testing/mail-server.ts";
import { articlePage, page as pageOf, startPageServer } from "@reading-list/testing/page-server.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let mail: MailServer;
let pageUrl: string;
let service: TestService;

beforeAll(async () => {
  const pages = await startPageServer(pageOf(articlePage));
  atEndOfFile(pages.stop);
  pageUrl = `${pages.origin}/harbour`;
  mail = await startMailServer();
  service = await startTestService({ ...mailSettings(await findFreePort()), TEXT_ALLOWED_ORIGINS: pages.origin });
});

const mailSettings = (port: number) => ({
  PORT: String(port),
  BASE_URL: `http://localhost:${port}`,
  SMTP_URL: mail.url,
  MAIL_FROM: "list@example.com",
});

beforeEach(() => {
  mail.mails = [];
  mail.isFull = false;
});

async function post(path: string, credentials: object, fields: Record<string, string>) {
  const body = new URLSearchParams({ ...credentials, ...fields });
  const response = await fetch(`${service.baseUrl}/app/mail/${path}`, { method: "POST", body });
  const answer = (response.ok ? await response.json() : {}) as { confirmation?: string };
  const { headers, status } = response;
  const [error, code] = [headers.get("x-error"), headers.get("x-error-code")];
  return { status, error, code, retryAfter: headers.get("retry-after"), ...answer };
}

const to = "ann.kindle@example.com";

async function confirmed({ credentials }: TestUser): Promise<string> {
  await post("ask", credentials, { to });
  const { confirmation = "" } = await post("confirm", credentials, { to, code: codeIn(mail.mails.at(-1)) });
  return confirmation;
}

async function newReader(): Promise<TestUser> {
  const user = await service.newUser();
  await user.add(pageUrl);
  return user;
}

describe("a book is mailed", () => {
  test("to an address whose owner has confirmed it, with the article attached", async () => {
    const user = await newReader();
    const confirmation = await confirmed(user);
    expect(mail.mails).toMatchObject([{ from: "list@example.com", to: [to] }]);
    expect(mail.mails[0]?.content).toContain("filename=code.txt");
    expect(mail.mails[0]?.content.replaceAll("=\r\n", "")).toContain(
      `${user.credentials.username} at ${service.baseUrl.replace("127.0.0.1", "localhost")}`,
    );
    mail.mails = [];
    expect(await post("send", user.credentials, { to, confirmation, url: pageUrl })).toMatchObject({
      status: 200,
    });
    const [book, ...others] = mail.mails;
    expect([book?.to, others]).toEqual([[to], []]);
    expect(book?.content).toMatch(/Subject: The harbour is open/);
    expect(book?.content).toMatch(/application\/epub\+zip; name="The harbour is open.epub"/);
    const attached = Buffer.from(book?.content.split("application/epub+zip;")[1]?.split(/\r\n\r\n/)[1] ?? "", "base64");
    expect(attached.toString("latin1")).toMatch(/^PK.*mimetypeapplication\/epub\+zip/s);
  });

  test("also with an app password, and not with one that only reads", async () => {
    const user = await newReader();
    const create = async (scope: string) =>
      (await user.ok("app_passwords", { create: "Reader", scope })).json() as unknown as { password: string };
    const { username } = user.credentials;
    const full = { username, password: (await create("full")).password };
    const read = { username, password: (await create("read")).password };
    expect((await post("ask", full, { to })).status).toBe(200);
    expect(await post("ask", read, { to })).toMatchObject({ status: 401, code: "out_of_scope" });
    expect(mail.mails).toHaveLength(1);
  });

  test("to no other address, and by no other user", async () => {
    const [user, other] = [await newReader(), await newReader()];
    const confirmation = await confirmed(user);
    mail.mails = [];
    const refused = {
      status: 400,
      error: "to must be confirmed first; enter the code that was mailed to this address",
    };
    const send = (credentials: object, fields: Record<string, string>) =>
      post("send", credentials, { to, confirmation, url: pageUrl, ...fields });
    expect(await send(user.credentials, { to: "bob@example.com" })).toMatchObject(refused);
    expect(await send(other.credentials, {})).toMatchObject(refused);
    expect(await send(user.credentials, { confirmation: "" })).toMatchObject(refused);
    expect(await send(user.credentials, { url: "https://example.com/not-in-list" })).toMatchObject({
      status: 400,
      code: "not_in_list",
    });
    expect(mail.mails).toEqual([]);
  });

  test.each([
    "no address",
    "a@example.com, b@example.com",
    "a@example.com\r\nBcc: b@example.com",
    "<a@example.com> b@example.com",
    `${"a".repeat(250)}@example.com`,
  ])("to one address alone: %s", async (wrong) => {
    const user = await newReader();
    const { status, error } = await post("ask", user.credentials, { to: wrong });
    expect([status, error]).toEqual([400, expect.stringMatching(/^to must be/)]);
    expect(mail.mails).toEqual([]);
  });
});

describe("a code", () => {
  test("confirms its own address for its own user, within an hour or two", async () => {
    const [user, other] = [await newReader(), await newReader()];
    await post("ask", user.credentials, { to });
    const code = codeIn(mail.mails[0]);
    const confirm = (credentials: object, fields = {}) => post("confirm", credentials, { to, code, ...fields });
    expect((await confirm(other.credentials)).status).toBe(400);
    expect((await confirm(user.credentials, { to: "bob@example.com" })).status).toBe(400);
    expect((await confirm(user.credentials, { code: "0000 0000" })).status).toBe(400);
    expect((await confirm(user.credentials, { code: code.replace(" ", "") })).status).toBe(200);
    service.clock.advance(7200);
    expect(await confirm(user.credentials)).toMatchObject({
      status: 400,
      error: "code is wrong or has expired; enter the code from the mail, or request a new one",
    });
  });

  test("is typed 20 times a day, and 20 mails are sent", async () => {
    const user = await newReader();
    const confirmation = await confirmed(user);
    for (let sent = 2; sent <= 20; sent++) {
      expect((await post("send", user.credentials, { to, confirmation, url: pageUrl })).status).toBe(200);
    }
    const refused = { status: 403, code: "mail_limited" };
    expect(await post("send", user.credentials, { to, confirmation, url: pageUrl })).toMatchObject(refused);
    expect(await post("ask", user.credentials, { to })).toMatchObject(refused);
    for (let tries = 2; tries <= 20; tries++) await post("confirm", user.credentials, { to, code: "1" });
    expect(await post("confirm", user.credentials, { to, code: "1" })).toMatchObject(refused);
    expect(mail.mails).toHaveLength(20);
    service.clock.advance(86_400);
    expect((await post("ask", user.credentials, { to })).status).toBe(200);
  });
});

describe("a stranger's mailbox", () => {
  const refused = { status: 403, code: "mail_limited" };
  const retry = expect.stringMatching(/^\d+$/);

  test("gets 3 codes a day, whoever asks, in whichever writing of the address, until its owner enters one", async () => {
    const asked = [];
    for (const written of ["vic@example.org", "VIC@example.org", "vic+1@example.org", "v.i.c@example.org"]) {
      asked.push((await post("ask", (await service.newUser()).credentials, { to: written })).status);
    }
    expect([asked, mail.mails.length]).toEqual([[200, 200, 200, 403], 3]);
    const other = await service.newUser();
    const answer = await post("ask", other.credentials, { to: "vic@example.org" });
    expect(answer).toMatchObject({ ...refused, error: expect.stringContaining("3 codes a day") });
    expect(answer.retryAfter).toEqual(retry);
    expect((await post("ask", other.credentials, { to: "bob@example.org" })).status).toBe(200);
    service.clock.advance(86_400);
    expect((await post("ask", other.credentials, { to: "vic@example.org" })).status).toBe(200);
  });

  test("that owners confirm gets further codes, and one code gives back no more than it took", async () => {
    service.clock.advance(86_400);
    const ask = async (user: TestUser) => (await post("ask", user.credentials, { to: "own@example.org" })).status;
    const users = await Promise.all([1, 2, 3, 4, 5, 6].map(() => service.newUser()));
    for (const user of users.slice(0, 2)) {
      expect(await ask(user)).toBe(200);
      const code = codeIn(mail.mails.at(-1));
      for (let again = 0; again < 3; again++)
        expect((await post("confirm", user.credentials, { to: "own@example.org", code })).status).toBe(200);
    }
    expect(await Promise.all(users.slice(2).map(ask))).toEqual(expect.arrayContaining([200, 200, 200, 403]));
  });
});

describe("mails of all users", () => {
  test("are limited by a setting, and codes for one network address to 30", async () => {
    const limits = { MAIL_DAILY_LIMIT: "32", TRUST_PROXY: "127.0.0.1" };
    const limited = await startTestService({ ...mailSettings(await findFreePort()), ...limits });
    const ask = async (number: number, address: string) => {
      const { credentials } = await limited.newUser();
      const body = new URLSearchParams({ ...credentials, to: `stranger${number}@example.org` });
      const headers = { "x-forwarded-for": address };
      return (await fetch(`${limited.baseUrl}/app/mail/ask`, { method: "POST", body, headers })).headers.get("x-error");
    };
    for (let number = 1; number <= 30; number++) expect(await ask(number, "203.0.113.1")).toBeNull();
    expect(await ask(31, "203.0.113.1")).toContain("your network can request at most 30 codes a day");
    expect(await ask(31, "203.0.113.2")).toBeNull();
    expect(await ask(32, "203.0.113.2")).toBeNull();
    expect(await ask(33, "203.0.113.2")).toContain("all users together have sent 32 mails today");
    expect(mail.mails).toHaveLength(32);
  });
});

describe("a mail server", () => {
  test("that refuses an address, or takes nothing, is named, and counts nothing", async () => {
    const user = await newReader();
    expect(await post("ask", user.credentials, { to: "unknown@example.com" })).toMatchObject({
      status: 400,
      error: "to: the mail server rejected the address (550)",
    });
    mail.isFull = true;
    for (let asked = 0; asked < 22; asked++) {
      expect(await post("ask", user.credentials, { to })).toMatchObject({ status: 503, code: "busy" });
    }
    mail.isFull = false;
    expect((await post("ask", user.credentials, { to })).status).toBe(200);
  });

  test.each([
    [{ SMTP_URL: "https://mail.example.com" }, "SMTP_URL: must be an smtps, smtp or smtp+insecure URL"],
    [{ SMTP_URL: "smtp://mail.example.com", BASE_URL: "https://list.example.com" }, "MAIL_FROM: must be set"],
    [{ SMTP_URL: "smtp://mail.example.com", MAIL_FROM: "a@example.com" }, "BASE_URL: must be set"],
  ])("that is not set right ends the start: %o", (env, message) => {
    expect(() => readLocalSettings(env)).toThrow(message);
  });

  test("is announced in the settings of the reader, and without one the routes do not exist", async () => {
    const configOf = async ({ baseUrl }: { baseUrl: string }) => (await fetch(`${baseUrl}/app/config.json`)).json();
    expect(await configOf(service)).toMatchObject({ sendsMail: true });
    const without = await startTestService();
    expect(await configOf(without)).toMatchObject({ sendsMail: false });
    expect((await fetch(`${without.baseUrl}/app/mail/ask`, { method: "POST" })).status).toBe(404);
  });
});

describe("operator/mail", () => {
  async function newOperator(of: TestService) {
    const user = await of.newUser();
    await of.operator.administration?.setOperator(user.credentials.username, true);
    return async (parameters = {}) => {
      const answer = await user.call("operator/mail", parameters);
      return answer.status === 200 ? JSON.parse(answer.body) : answer.headers.get("x-error");
    };
  }

  test("sends a test mail for an administrator, and says why the mail server has not taken it", async () => {
    const ask = await newOperator(service);
    expect(await ask()).toEqual({ status: "1", configured: "1", error: "" });
    expect(mail.mails).toEqual([]);
    expect(await ask({ to })).toEqual({ status: "1", configured: "1", error: "" });
    expect(mail.mails).toMatchObject([
      { to: [to], content: expect.stringContaining("Your reading list can send mail") },
    ]);
    expect(await ask({ to: "unknown@example.com" })).toMatchObject({
      error: "the mail server rejected the address: 550 unknown",
    });
  });

  test("counts accepted mails as mails of the user", async () => {
    const ask = await newOperator(service);
    for (let sent = 0; sent < 20; sent++) {
      await ask({ to: "unknown@example.com" });
      expect((await ask({ to })).error).toBe("");
    }
    expect(await ask({ to })).toBe("mail: you have sent 20 mails today");
    expect(mail.mails).toHaveLength(20);
  });

  test("without a mail server says so", async () => {
    const ask = await newOperator(await startTestService());
    expect(await ask()).toEqual({ status: "1", configured: "0", error: "" });
    expect(await ask({ to })).toBe("operator/mail: to needs the setting SMTP_URL");
  });
});

describe("readinglist mail test", () => {
  const base = { MAIL_FROM: "list@example.com", BASE_URL: "https://list.example.com" };
  const run = (SMTP_URL: string, address = to, env = {}) =>
    runCommand(["mail", "test", address], { ...base, SMTP_URL, ...env });

  test("sends a mail, and says why the mail server has not taken it", async () => {
    expect(await run(mail.url)).toMatchObject({
      code: 0,
      out: `The mail server accepted a mail from list@example.com to ${to}.\n`,
    });
    expect(mail.mails).toMatchObject([
      { to: [to], content: expect.stringContaining("Your reading list can send mail") },
    ]);
    const errorOf = async (...args: Parameters<typeof run>) => (await run(...args)).err;
    expect(await errorOf(mail.url, "unknown@example.com")).toContain("rejected the address: 550 unknown");
    // The mail server repeats the password.
    expect(await errorOf(mail.url.replace("secret", "wrong"))).toMatch(
      /the mail server does not accept the name and password in SMTP_URL: 535 no …\n$/,
    );
    expect(await errorOf(`smtp://127.0.0.1:${await findFreePort()}`)).toContain("the mail server cannot be reached");
    expect(await errorOf(mail.url, to, { SMTP_CA_FILE: "/nowhere.pem" })).toContain(
      "SMTP_CA_FILE: /nowhere.pem cannot be read",
    );
    expect((await runCommand(["mail", "test", to], {})).err).toContain("set SMTP_URL, MAIL_FROM and BASE_URL");
  });

  // An address of this machine that does not look like a loopback address.
  const elsewhere = () => mail.url.replace("127.0.0.1", "0.0.0.0");

  test("without TLS: smtp: is refused but on this machine, with the remedy; smtp+insecure: is taken", async () => {
    const { code, err } = await run(elsewhere());
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("does not offer STARTTLS, which smtp: requires; use smtps:, or smtp+insecure:"),
    ]);
    expect(mail.mails).toEqual([]);
    expect((await run(elsewhere().replace("smtp:", "smtp+insecure:"))).code).toBe(0);
    expect(mail.mails).toHaveLength(1);
  });

  test("with a certificate of a private authority needs SMTP_CA_FILE, or smtp+insecure:", async () => {
    const folder = temporaryFolder();
    const [key, certificate] = [path.join(folder, "key.pem"), path.join(folder, "certificate.pem")];
    const about = ["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    expect(spawnSync("openssl", ["req", "-x509", ...curve, "-keyout", key, "-out", certificate, ...about]).status).toBe(
      0,
    );
    const secure = await startMailServer({ key: readFileSync(key), cert: readFileSync(certificate) });
    expect((await run(secure.url)).err).toContain(
      "the mail server's certificate is not trusted; set SMTP_CA_FILE to the certificate of its certificate authority",
    );
    expect((await run(secure.url, to, { SMTP_CA_FILE: certificate })).code).toBe(0);
    expect((await run(secure.url.replace("smtp:", "smtp+insecure:"))).code).toBe(0);
    expect(secure.mails).toHaveLength(2);
  });
});
