// SPDX-License-Identifier: MIT

import { request as httpRequest } from "node:http";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { form, type TestUser } from "@reading-list/testing/client.ts";
import { articlePage, page, servePages } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

let service: TestService;
let user: TestUser;

beforeAll(async () => {
  service = await startTestService();
  user = await service.newUser();
});

const urlencoded = "application/x-www-form-urlencoded";
const post = (endpoint: string, body: NonNullable<RequestInit["body"]>, type?: string, query = "") =>
  service.fetch(`${service.urlOf(endpoint)}${query}`, {
    method: "POST",
    body,
    ...(type !== undefined && { headers: { "content-type": type } }),
  });
const asUser = () => form({ apikey: service.apiKey, ...user.credentials }).toString();

describe("parameters", () => {
  test("are read from a browser's FormData", async () => {
    const body = new FormData();
    for (const [name, value] of new URLSearchParams(asUser())) body.set(name, value);
    expect((await post("auth", body)).status).toBe(200);
  });

  test("keep the earlier value if a later one is empty, because empty is the same as absent", async () => {
    const format = "&format=xml&format=";
    const { headers } = await service.fetch(`${service.urlOf("stats")}?${asUser()}${format}`);
    expect(headers.get("content-type")).toContain("xml");
    expect(
      (await post("stats", "format=", urlencoded, `?${asUser()}&format=xml`)).headers.get("content-type"),
    ).toContain("xml");
  });

  test("are read after a leading &, with a charset in the Content-Type, and with unescaped braces, quotes and newlines", async () => {
    const body = `&${asUser()}&new={"0":{\n"url":"http://example.com/raw","title":"a\\n{b}"}}`;
    expect((await post("send", body, "application/x-www-form-urlencoded;charset=UTF-8")).status).toBe(200);
    expect((await user.items())[0]).toMatchObject({ url: "http://example.com/raw", title: "a\n{b}" });
  });

  test("do not include one line break at the end of a urlencoded body", async () => {
    for (const end of ["\r\n", "\n"]) expect((await post("auth", asUser() + end, urlencoded)).status).toBe(200);
    for (const end of ["\n\n", "\r\n\r\n", "%0A", "\r"]) {
      expect((await post("auth", asUser() + end, urlencoded)).status).not.toBe(200);
    }
    expect((await post("auth", "\r\n", urlencoded, `?${asUser()}`)).status).toBe(200);
  });

  test("that are empty are the same as absent", async () => {
    const answer = await user.call("get", { since: "", count: "", page: "", state: "", tags: "", format: "" });
    expect(answer.status).toBe(200);
    expect((await user.call("add", { url: "http://example.com/e", ref_id: "", title: "" })).status).toBe(200);
    expect((await user.call("add", { url: "" })).headers.get("x-error")).toBe("add: url is missing");
  });

  test("that are unknown are ignored, even if they are not UTF-8", async () => {
    const unknown = "&ms=1&locale=en&timezone=x&email=a%40b&delete=1&position=2&__proto__=x&junk=%ff%fe";
    expect((await post("auth", asUser() + unknown, urlencoded)).status).toBe(200);
  });

  test("are UTF-8, also unescaped", async () => {
    await post("add", Buffer.from(`${asUser()}&url=http://example.com/u&title=żółć 漢字 😀`), urlencoded);
    expect((await user.items())[0]?.title).toBe("żółć 漢字 😀");
  });

  test.each([
    ["100%+of+1%2B1", "100% of 1+1"],
    ["%", "%"],
    ["%%41%4", "%A%4"],
    ["%2525", "%25"],
    ["\xc3\xbc%\xc3\xbc%zz", "ü%ü%zz"],
    ["%C3\xbc%c3%bc\xc3%bc", "üüü"],
    ["%EF%BF%BD\xef\xbf\xbd", "\ufffd\ufffd"],
  ])("take a + for a space and a stray %% for itself: %s", async (sent, title) => {
    const body = Buffer.from(`${asUser()}&url=http://example.com/%25&title=${sent}`, "latin1");
    expect((await post("add", body, urlencoded)).status).toBe(200);
    expect((await user.items())[0]).toMatchObject({ url: "http://example.com/%", title });
  });

  test.each([
    [
      "in the query string",
      () => service.fetch(`${service.urlOf("add")}?${asUser()}&url=http://example.com/&title=%E9t%E9`),
    ],
    ["in a body", () => post("add", `${asUser()}&url=http://example.com/&title=%C3%28`, urlencoded)],
    [
      "as raw bytes",
      () => post("add", Buffer.concat([Buffer.from(`${asUser()}&title=`), Buffer.from([0xe9])]), urlencoded),
    ],
    [
      "beside a genuine replacement character",
      () => post("add", `${asUser()}&url=http://example.com/%EF%BF%BD&title=%E9`, urlencoded),
    ],
    ["beside a stray %", () => post("add", `${asUser()}&url=http://example.com/&title=%E9%`, urlencoded)],
  ])("that are not UTF-8 %s are 400, named", async (_where, call) => {
    const answer = await call();
    expect(answer.status).toBe(400);
    expect(answer.headers.get("x-error")).toBe("add: title is not valid UTF-8");
  });

  test.each(["application/json", "text/plain", "application/octet-stream", ""])(
    "in a body of type '%s' are 400",
    async (type) => {
      const answer = await post("auth", Buffer.from(asUser()), type);
      expect(answer.status).toBe(400);
      expect(answer.headers.get("x-error")).toContain("Content-Type");
    },
  );

  test("in a JSON body that is sent as a form are 400, and the error says so", async () => {
    for (const body of [JSON.stringify({ apikey: service.apiKey, ...user.credentials }), " \n[]"]) {
      const answer = await post("auth", body, urlencoded, `?${asUser()}`);
      expect(answer.status).toBe(400);
      expect(answer.headers.get("x-error")).toBe(
        "auth: the POST body is JSON; send parameters as name=value&name=value",
      );
    }
  });

  test("are read from the query string if the body is empty, whatever its type", async () => {
    expect((await post("auth", "", "application/json", `?${asUser()}`)).status).toBe(200);
  });

  test("in a broken multipart body are 400", async () => {
    for (const body of ["no boundary here", '--x\r\nContent-Disposition: form-data; name="apikey"\r\n\r\nabc']) {
      const answer = await post("auth", Buffer.from(body), "multipart/form-data; boundary=x");
      expect(answer.status).toBe(400);
    }
    expect((await post("auth", Buffer.from("abc"), "multipart/form-data")).status).toBe(400);
  });
});

describe("the API for browsers", () => {
  test("answers the preflight of any origin", async () => {
    const { status, headers } = await service.fetch(service.urlOf("add"), {
      method: "OPTIONS",
      headers: { origin: "https://app.example", "access-control-request-method": "POST" },
    });
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-methods")).toBe("GET,POST,PATCH,DELETE");
  });

  test("exposes the headers of every response, also of errors", async () => {
    const { headers } = await service.fetch(service.urlOf("auth"), { headers: { origin: "https://app.example" } });
    expect(headers.get("access-control-allow-origin")).toBe("*");
    const exposed = headers.get("access-control-expose-headers")?.split(",") ?? [];
    for (const name of [
      "Status",
      "X-Error",
      "Retry-After",
      "X-Limit-User-Reset",
      "X-Limit-Key-Limit",
      "X-Title",
      "X-Next",
    ]) {
      expect(exposed).toContain(name);
    }
  });

  test("exposes every X-* header of a text view", async () => {
    const origin = await servePages(page(articlePage));
    const texts = await startTestService({ TEXT_ALLOWED_ORIGINS: origin });
    const target = `${texts.urlOf("text")}?${form({ apikey: texts.apiKey, url: origin })}`;
    const { status, headers } = await texts.fetch(target, { headers: { origin: "https://app.example" } });
    expect(status).toBe(200);
    const exposed = headers.get("access-control-expose-headers")?.toLowerCase().split(",");
    const sent = [...headers.keys()].filter((name) => name.startsWith("x-"));
    expect(sent).toContain("x-content-type-options");
    expect(exposed).toEqual(expect.arrayContaining(sent));
  });
});

describe("a path or method that no endpoint has", () => {
  const pathsOf = (wanted: string) => endpoints.filter(({ host }) => host === wanted).map(({ name }) => `/v2/${name}`);
  const anyEndpoint = `no such path; the main host ({base_url}) has ${pathsOf("main").join(", ")}`;

  test.each([
    ["GET", "/v2/nothing", anyEndpoint],
    ["GET", `/v2/auth${encodeURIComponent("?password=SECRET")}`, anyEndpoint],
    ["GET", "/v2/add/", "no such path; call /v2/add, without a slash at the end"],
    ["GET", "/v3/add", "no such path; call /v2/add"],
    ["GET", "/add", "no such path; call /v2/add"],
    ["GET", "/v2//get", "no such path; call /v2/get"],
    ["GET", "/V2/Get", "no such path; call /v2/get"],
    ["GET", "/v2/text", "/v2/text is on the text host ({text_url}), not on the main host ({base_url})"],
    ["PUT", "/text/", "/v2/text is on the text host ({text_url}), not on the main host ({base_url})"],
    ["HEAD", "/v2/add", "/v2/add accepts only GET and POST"],
    ["PUT", "/v2/add", "/v2/add accepts only GET and POST"],
    ["DELETE", "/v2/get", "/v2/get accepts only GET and POST"],
    ["PATCH", "/v2/send", "/v2/send accepts only GET and POST"],
    ["OPTIONS", "/v2/add", "/v2/add accepts only GET and POST"],
  ])("is 404 with all headers, and X-Error says what to call: %s %s", async (method, path, message) => {
    const answer = await service.fetch(service.baseUrl + path, { method });
    expect(answer.status).toBe(404);
    expect(answer.headers.get("status")).toBe("404 Not Found");
    expect(answer.headers.get("x-error")).toBe(message);
    expect(answer.headers.get("x-limit-user-limit")).toBe("100000");
    expect(answer.headers.get("x-limit-key-limit")).toBe("0");
  });

  test("of the main host is not on the text host", async () => {
    const answer = await service.fetch(`${service.textUrl}/v2/auth`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get("x-error")).toBe(
      "/v2/auth is on the main host ({base_url}), not on the text host ({text_url})",
    );
    const unknown = await service.fetch(`${service.textUrl}/v2/nothing`);
    expect(unknown.headers.get("x-error")).toBe(
      `no such path; the text host ({text_url}) has ${pathsOf("text").join(", ")}`,
    );
  });
});

describe("limits of the platform", () => {
  test("a request just below 10 MB is read", async () => {
    const body = Buffer.concat([Buffer.from(`${asUser()}&junk=`), Buffer.alloc(9 * 1024 * 1024, "a")]);
    expect((await post("send", body, urlencoded)).status).toBe(200);
  });
});

test("a client that disconnects in the middle of its request does not affect other clients", async () => {
  await new Promise<void>((resolve) => {
    const request = httpRequest(service.urlOf("auth"), { method: "POST", headers: { "content-length": 1000 } });
    request.on("error", () => resolve());
    request.write("apikey=");
    setImmediate(() => request.destroy(new Error("gone")));
  });
  expect((await user.call("auth")).status).toBe(200);
});
