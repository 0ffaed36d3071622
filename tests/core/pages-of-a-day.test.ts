// SPDX-License-Identifier: MIT

import { pagesOfDay } from "@reading-list/core/domain/kept-page.ts";
import type { PageKeeper } from "@reading-list/core/use-cases/articles/keep-pages.ts";
import { servePages } from "@reading-list/testing/page-server.ts";
import { startTestService } from "@reading-list/testing/test-service.ts";
import { expect, test } from "vitest";

const day = 86_400;

test(`keeping in the background reads ${pagesOfDay} pages of a user in a day, and continues the next day`, async () => {
  let requests = 0;
  const origin = await servePages((_, response) => {
    requests += 1;
    response.writeHead(404).end();
  });
  let keeper: PageKeeper | undefined;
  const service = await startTestService({ TEXT_ALLOWED_ORIGINS: origin }, { takeKeeper: (each) => (keeper = each) });
  const user = await service.newUser();
  const kept = async () => JSON.parse((await user.ok("kept", { count: 1 })).body);
  /** Lets the keeper do all that is due now. */
  const work = async () => {
    await keeper?.round();
    await keeper?.finish();
  };
  const urls = Array.from({ length: pagesOfDay + 1 }, (_, page) => `${origin}/${page}`);
  await user.send({ new: urls.map((url) => ({ url })) });
  service.clock.advance(day - (service.clock.seconds() % day));
  for (let page = 0; page < pagesOfDay; page++) {
    await work();
    service.clock.advance(2);
  }
  await work();
  expect(requests).toBe(pagesOfDay);
  expect(await kept()).toMatchObject({ stopped: "day_full", count_waiting: "1" });
  service.clock.advance(day - (service.clock.seconds() % day));
  await work();
  expect(requests).toBe(pagesOfDay + 1);
  expect((await kept()).stopped).toBe("");
});
