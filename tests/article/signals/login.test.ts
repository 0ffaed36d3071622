// SPDX-License-Identifier: MIT

import { viewPage } from "@reading-list/article/view/text-view.ts";
import { prose } from "@reading-list/testing/page-server.ts";
import { describe, expect, test } from "vitest";

const hasLogin = (body: string) => viewPage(body, "https://a.example/", { mode: "less", images: false }).loginFound;
const loginForm = '<form id="login"><input name="user"><input type="password"><button>Log in</button></form>';
const article = `<meta property="og:type" content="article"><article>${prose}${prose}</article>`;

describe("a login is found in", () => {
  test.each([
    ["a form with one password", loginForm],
    ["a type in capitals", loginForm.replace("password", "PASSWORD")],
    ["fields without a form", '<div><input name="user"><input type="password"></div>'],
    ["a login beside a registration", `${loginForm}<form><input type=password><input type=password></form>`],
    [
      "a wall after the start of an article",
      `<article><p>The harbour, closed since the storm.</p></article>${loginForm}`,
    ],
    ["a login in the middle of an article's page", article.replace("</article>", `${loginForm}</article>`)],
    ["a front page, in its header", `<header>${loginForm}</header><p>Welcome</p>`],
    [
      "a first step that asks for the name alone",
      '<form action="/session/new"><input type="email"><button> Sign in </button></form>',
    ],
    ["a form whose second button registers", loginForm.replace("</form>", "<button>Create account</button></form>")],
    [
      "a form named login whose first button registers",
      '<form id="login"><input name="user"><input type="password"><button>Register</button><button>Log in</button></form>',
    ],
    ["a wall that links to the login", '<p>You must be logged in to view this page.</p><a href="/login">Log in</a>'],
    [
      "a wall of an article that is not free",
      `<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":"False"}</script>${article}<p>Log in to continue reading.</p>`,
    ],
    ["a second step that asks for the password alone", "<form><input type=password><button>Sign in</button></form>"],
  ])("%s", (_name, body) => {
    expect(hasLogin(body)).toBe(true);
  });
});

describe("no login is found in", () => {
  test.each([
    ["a request for a new password", '<form id="login-reset"><input type="email"><button>Send</button></form>'],
    ["a page without a password", "<form><input name=q></form>"],
    ["a registration with two passwords", "<form><input name=user><input type=password><input type=password></form>"],
    ["a registration that asks for the person", `<form>${"<input>".repeat(4)}<input type=password></form>`],
    ["a registration by name", '<form id="signup-form"><input name=user><input type=password></form>'],
    ["a registration by its button", "<form><input name=user><input type=password><button>Sign up</button></form>"],
    ["a whole article with a login in its header", `<header>${loginForm}</header>${article}`],
    ["a whole article with a login in a dialog", `${article}<div class="login-modal">${loginForm}</div>`],
    ["a measure of a password", "<form><input type=password><button>Check its strength</button></form>"],
    [
      "a file to unlock",
      '<form action="/pdf"><input type=file><input type=password><button>Unlock PDF</button></form>',
    ],
    [
      "an article with comments for members",
      `${article}<p>You must be logged in to reply.</p><a href="/login">Log in</a>`,
    ],
    ["a short page with comments for members", '<p>You must be logged in to post.</p><a href="/login">Log in</a>'],
    ["a free article that speaks of it", `${article}<p>Log in to continue reading.</p><a href="/login">Log in</a>`],
    [
      "a registration by its button in Japanese",
      "<form><input name=user><input type=password><button>会員登録</button></form>",
    ],
    [
      "a registration by its button in Turkish",
      "<form><input name=u><input type=password><button>Kayıt ol</button></form>",
    ],
    [
      "running text that says to log in",
      `<p>${"The old site was slow, and visitors had to wait. ".repeat(5)}They were told to log in to continue, and left.</p><a href="/login">Log in</a>`,
    ],
    ["loose fields that are not shown", '<div hidden><input name="user"><input type="password"></div>'],
  ])("%s", (_name, body) => {
    expect(hasLogin(body)).toBe(false);
  });
});
