// SPDX-License-Identifier: MIT

import { type EndpointContract, userFields } from "@reading-list/core/contract/endpoint.ts";
import type { Dependencies } from "@reading-list/core/ports/dependencies.ts";
import type { ArticlePorts } from "@reading-list/core/use-cases/articles/keep-article.ts";
import { defineEndpoint, noOperation, type UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { expect, test } from "vitest";
import * as z from "zod";

// `tsc` checks this file: an error that is expected and not there fails `npm run check`.

type Live = typeof import("../../packages/lambda/compose/live.ts");

const contract = {
  name: "sample",
  section: "",
  summary: "",
  description: "",
  tag: "list",
  host: "main",
  caller: "user",
  changes: false,
  adds: false,
  counted: true,
  answer: { kind: "status" },
  input: z.object(userFields),
  example: { parameters: {}, mistake: { change: {}, error: "" } },
} as const satisfies EndpointContract;

const showArticle: UseCase<unknown, unknown, ArticlePorts> = {
  begin:
    ({ articles }) =>
    ({ user }) =>
      articles.find(user, "1"),
};

test("a use case that needs the articles compiles only if its contract keeps articles", () => {
  // @ts-expect-error The contract grants no articles.
  defineEndpoint({ contract, useCase: showArticle });
  // @ts-expect-error It may delete articles, and not read them.
  defineEndpoint({ contract: { ...contract, articles: "delete" } as const, useCase: showArticle });
  defineEndpoint({ contract: { ...contract, articles: "keep" } as const, useCase: showArticle });
});

test("a use case without declared needs has no ports", () => {
  const useCase: UseCase<unknown, unknown> = {
    // @ts-expect-error It declares no `articles`.
    begin: ({ articles }) => articles,
  };
  defineEndpoint({ contract, useCase });
});

test("a use case that needs a user compiles only if users call its endpoint", () => {
  const showUser: UseCase<unknown, string> = {
    begin:
      () =>
      async ({ user }) =>
        user.username,
  };
  defineEndpoint({ contract, useCase: showUser });
  // @ts-expect-error Its callers are applications.
  defineEndpoint({ contract: { ...contract, caller: "application" } as const, useCase: showUser });
});

test("a function compiles only with all parts that its contract grants", () => {
  const auth = defineEndpoint({ contract, useCase: noOperation });
  const article = defineEndpoint({ contract: { ...contract, articles: "keep" } as const, useCase: showArticle });
  // Not called: the module reads the settings of a Lambda function.
  const compose = ({ composeLive }: Live, { passwords, reader, articles }: Dependencies) => [
    composeLive(auth, { passwords }),
    // @ts-expect-error It verifies the passwords of its callers.
    composeLive(auth, {}),
    composeLive(article, { passwords, reader, articles }),
    // @ts-expect-error Its contract keeps articles.
    composeLive(article, { passwords, reader }),
  ];
  expect(compose).toBeTypeOf("function");
});
