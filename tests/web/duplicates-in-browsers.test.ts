// SPDX-License-Identifier: MIT

import { launchBrowser } from "@reading-list/testing/browser.ts";
import type { ItemAnswer, TestUser } from "@reading-list/testing/client.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import type { Browser } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { Device, useDevices } from "./device.ts";
import { unreachable } from "./unreachable.ts";

describe.skipIf(!chromiumFor("duplicates in the web reader"))("possible duplicates", () => {
  let service: TestService;
  let browser: Browser;
  const devices = useDevices();

  beforeAll(async () => {
    service = await startTestService();
    browser = await launchBrowser();
  });

  const [clean, tracked, other] = [
    "https://paper.example/owls",
    "https://www.paper.example/owls/?utm_source=feed",
    "https://paper.example/2024/owls",
  ] as const;

  async function deviceWithDuplicates(options: Parameters<typeof Device.signedIn>[3] = {}) {
    const user = await service.newUser();
    await user.add(clean, { title: "Owls", tags: "birds" });
    await user.add(tracked, { title: "Owls at night", tags: "night,birds" });
    await user.add(other, { title: "owls" });
    const mark = { id: crypto.randomUUID(), url: tracked, quote: "Owls hunt" };
    await user.ok("highlights", { save: JSON.stringify([mark]) });
    const device = await Device.signedIn(browser, `${service.baseUrl}/app/`, user, options);
    devices.push(device);
    await device.shows("owls", "Owls at night", "Owls");
    return { user, device };
  }

  const listOf = async (user: TestUser) =>
    Object.values<ItemAnswer>((await user.ok("get", { tags: 1 })).json().list)
      .map(({ url, tags }) => [url, (tags ?? "").split(",").toSorted().join()])
      .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));

  test("the menu leads to them; the page with highlights is kept with all tags, and one undo brings all back", async () => {
    const { user, device } = await deviceWithDuplicates();
    const { page } = device;
    const before = await listOf(user);
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("button", { name: "Possible duplicates" }).click();
    const group = page.getByRole("group", { name: "Owls at night" });
    await group.getByText("Same address", { exact: true }).waitFor();
    await group.getByText("1 highlight").waitFor();
    expect(await group.getByRole("radio").first().isChecked()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await group.getByRole("button", { name: "Keep the selected page, delete 1 other" }).click();
    await page.getByText("1 duplicate moved to the trash").waitFor();
    await expect
      .poll(() => listOf(user))
      .toEqual([
        [other, ""],
        [tracked, "birds,night"],
      ]);
    await page.getByText("No duplicates found").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => listOf(user)).toEqual(before);
    await group.waitFor();
  });

  test("another page can be kept; what goes to the trash is restored from there with its highlights", async () => {
    const { user, device } = await deviceWithDuplicates();
    const { page } = device;
    await page.goto(`${service.baseUrl}/app/#unread?duplicates=1`);
    const group = page.getByRole("group").filter({ hasText: /Same address/ });
    await group.getByRole("radio").last().check();
    await group.getByRole("button", { name: /^Keep the selected page/ }).click();
    await expect
      .poll(() => listOf(user))
      .toEqual([
        [other, ""],
        [clean, "birds,night"],
      ]);
    // The page that is kept has the title of the third one.
    await page.getByText("Same title and site").waitFor();
    const marks = async () => Object.keys((await user.ok("highlights", {})).json().list);
    await expect.poll(marks).toEqual([]);
    await page.goto(`${service.baseUrl}/app/#unread?trash=1`);
    await page.getByRole("button", { name: "Restore “Owls at night”" }).click();
    await expect.poll(async () => (await listOf(user)).length).toBe(3);
    await expect.poll(async () => (await marks()).length).toBe(1);
  });

  test("a group that is marked as no duplicates stays away on this device until it has another page", async () => {
    const { user, device } = await deviceWithDuplicates();
    const { page } = device;
    await page.goto(`${service.baseUrl}/app/#unread?duplicates=1`);
    const dismiss = page.getByRole("button", { name: "Not duplicates" });
    await dismiss.click();
    await page.getByText("Group marked as not duplicates").waitFor();
    await page.getByText("No duplicates found").waitFor();
    await page.keyboard.press("z");
    await dismiss.waitFor();
    await dismiss.click();
    await page.getByText("No duplicates found").waitFor();
    await page.reload();
    await page.getByText("No duplicates found").waitFor();
    expect(await listOf(user)).toHaveLength(3);
    await user.add(`${clean}?gclid=1`);
    await page.keyboard.press("Escape");
    await device.sync();
    await page.goto(`${service.baseUrl}/app/#unread?duplicates=1`);
    await page.getByText("Same address", { exact: true }).waitFor();
  });

  test("they are found and merged without a connection, and sent later; keys undo and go back", async () => {
    const { user, device } = await deviceWithDuplicates();
    const { page } = device;
    const before = await listOf(user);
    await page.route("**/v2/*", (route) => route.abort());
    await page.goto(`${service.baseUrl}/app/#unread?duplicates=1`);
    const merge = page.getByRole("button", { name: /^Keep the selected page/ });
    await merge.click();
    // Until then the change is not stored, and nothing can be undone.
    await page.getByText("1 duplicate moved to the trash").waitFor();
    await page.keyboard.press("z");
    await merge.click();
    await page.getByText("No duplicates found").waitFor();
    expect(await listOf(user)).toEqual(before);
    await page.keyboard.press("Escape");
    await device.shows("owls", "Owls at night");
    await page.unroute("**/v2/*");
    await device.sync();
    expect(await listOf(user)).toEqual([
      [other, ""],
      [tracked, "birds,night"],
    ]);
  });

  test("groups with the same address, and no highlights to lose, are cleaned up at once", async () => {
    const { user, device } = await deviceWithDuplicates();
    const { page } = device;
    for (const name of ["a", "b"])
      for (const query of ["", "?gclid=1", "?gclid=2"]) await user.add(`https://many.example/${name}${query}`);
    await device.sync();
    await page.goto(`${service.baseUrl}/app/#unread?duplicates=1`);
    await page.getByRole("button", { name: "Clean up 3 groups with the same address" }).click();
    await page.getByText("5 duplicates moved to the trash").waitFor();
    await expect.poll(async () => (await listOf(user)).length).toBe(4);
    await page.keyboard.press("z");
    await expect.poll(async () => (await listOf(user)).length).toBe(9);
  });

  test.each([
    [320, 640],
    [740, 340],
  ])("every control is in reach on %i × %i pixels", async (width, height) => {
    const { device } = await deviceWithDuplicates({ viewport: { width, height } });
    const { page } = device;
    await page.goto(`${service.baseUrl}/app/#unread?duplicates=1`);
    await page.getByText("Same address", { exact: true }).waitFor();
    expect(await unreachable(page)).toEqual([]);
  });
});
