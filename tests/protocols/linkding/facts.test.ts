// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { LinkdingDevice, type LinkdingPage } from "@reading-list/testing/linkding-device.ts";
import { type PageServer, prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

/**
 * The expectations of linkding's own tests of its API (`bookmarks/tests/test_bookmarks_api.py` and `test_tags_api.py` of version
 * 1.46.2, by the names that they have there without `test_`), as calls. A test whose fact does not hold here has the
 * reason instead of a call; `partly` says which part of the others does not hold.
 */

let pages: PageServer;
let service: TestService;
let user: TestUser;
let device: LinkdingDevice;

beforeAll(async () => {
  const article = `<title>Website title</title><article><h1>Website title</h1>${prose}</article>`;
  pages = await startPageServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end(article));
  service = await startTestService({ TEXT_ALLOWED_ORIGINS: pages.origin, PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
});
afterAll(() => pages.stop());
beforeEach(async () => {
  service.clock.advance(1);
  user = await service.newUser();
  device = await LinkdingDevice.signIn(user);
});

const noPage = "http://127.0.0.1:1";
const save = (fields: object = {}, path = "bookmarks/?disable_scraping") =>
  device.ok("POST", path, { url: `${noPage}/${crypto.randomUUID()}`, ...fields }, 201);
/** Bookmarks of titles with a number. */
async function saveSome(count: number, fields: object = {}, prefix = "") {
  const saved = [];
  for (let n = 1; n <= count; n++) {
    service.clock.advance(1);
    saved.push(await save({ title: `${prefix} ${n}`.trim(), ...fields }));
  }
  return saved;
}
const list = (query = "", path = "bookmarks/") => device.ok<LinkdingPage>("GET", `${path}${query}`);
const idsOf = ({ results }: LinkdingPage) => results.map(({ id }) => id).sort();
const read = (id: number) => device.ok("GET", `bookmarks/${id}/`);
const statusOf = async (method: string, path: string, fields?: object) =>
  (await device.call(method, path, fields)).status;

/** The calls of the fact, or why it does not hold. */
type Fact = (() => Promise<void>) | string;

const shared = "Nothing is shared: `shared` is false, and the list of shared bookmarks is empty.";
const bundles = "There are no bundles: the parameter is ignored.";
const autoTags = "There is no automatic tagging.";
const differentUrl = "An item has the id of its URL, so another URL is another bookmark: 400.";

const lists: Record<string, Fact> = {
  list_bookmarks: async () => {
    const saved = await saveSome(5);
    const { results, ...page } = await list();
    expect(page).toEqual({ count: 5, next: null, previous: null });
    expect(results).toEqual(saved.reverse());
  },
  list_bookmarks_with_more_details: async () => {
    const saved = await saveSome(3, { tag_names: ["b", "a"], notes: "a note" });
    expect((await list()).results).toEqual(saved.reverse());
  },
  list_bookmarks_returns_none_for_website_title_and_description: async () => {
    await save();
    expect((await list()).results).toMatchObject([{ website_title: null, website_description: null }]);
  },
  list_bookmarks_does_not_return_archived_bookmarks: async () => {
    const saved = await saveSome(2);
    await saveSome(2, { is_archived: true });
    expect(idsOf(await list())).toEqual(saved.map(({ id }) => id).sort());
  },
  list_bookmarks_should_filter_by_query: async () => {
    const saved = await saveSome(3, {}, "searchvalue");
    await saveSome(2);
    expect(idsOf(await list("?q=searchvalue"))).toEqual(saved.map(({ id }) => id).sort());
  },
  list_bookmarks_should_filter_by_bundle: bundles,
  list_bookmarks_filter_unread: async () => {
    // Unread is the opposite of archived, and archived bookmarks have a list of their own.
    const saved = await saveSome(2);
    await saveSome(1, { is_archived: true });
    expect(idsOf(await list("?unread=yes"))).toEqual(saved.map(({ id }) => id).sort());
    expect((await list("?unread=no")).results).toEqual([]);
    expect((await list("?unread=no", "bookmarks/archived/")).count).toBe(1);
  },
  list_bookmarks_filter_shared: async () => {
    await saveSome(2);
    expect([(await list("?shared=no")).count, (await list("?shared=yes")).count]).toEqual([2, 0]);
  },
  list_bookmarks_should_respect_sort: async () => {
    const saved = await saveSome(4);
    expect((await list("?sort=title_desc")).results).toEqual(saved.reverse());
  },
  list_archived_bookmarks_does_not_return_unarchived_bookmarks: async () => {
    await saveSome(2);
    const saved = await saveSome(2, { is_archived: true });
    expect(idsOf(await list("", "bookmarks/archived/"))).toEqual(saved.map(({ id }) => id).sort());
  },
  list_archived_bookmarks_with_more_details: async () => {
    const saved = await saveSome(2, { is_archived: true, tag_names: ["a"], notes: "a note" });
    expect((await list("", "bookmarks/archived/")).results).toEqual(saved.reverse());
  },
  list_archived_bookmarks_should_filter_by_query: async () => {
    const saved = await saveSome(2, { is_archived: true }, "searchvalue");
    await saveSome(2, { is_archived: true });
    expect(idsOf(await list("?q=searchvalue", "bookmarks/archived/"))).toEqual(saved.map(({ id }) => id).sort());
  },
  list_archived_bookmarks_should_filter_by_bundle: bundles,
  list_archived_bookmarks_should_respect_sort: async () => {
    const saved = await saveSome(3, { is_archived: true });
    expect((await list("?sort=title_desc", "bookmarks/archived/")).results).toEqual(saved.reverse());
  },
  list_shared_bookmarks: shared,
  list_shared_bookmarks_with_more_details: shared,
  list_only_publicly_shared_bookmarks_when_not_logged_in: async () => {
    const { status, body } = await device.send("GET", "bookmarks/shared/", {});
    expect([status, JSON.parse(body).results]).toEqual([200, []]);
  },
  list_shared_bookmarks_should_filter_by_query_and_user: shared,
  list_shared_bookmarks_should_respect_sort: shared,
};

const creations: Record<string, Fact> = {
  create_bookmark: async () => {
    const fields = { title: "Test title", notes: "Test notes", is_archived: false, shared: false };
    const saved = await save({ ...fields, unread: false, tag_names: ["tag1", "tag2"] });
    // `unread` is the opposite of `is_archived`, and ignored here. `description` is the excerpt of the page.
    expect(saved).toMatchObject({ ...fields, unread: true, tag_names: ["tag1", "tag2"] });
    const described = await save({ description: "Test description" }, "bookmarks/");
    expect([described.description, described.notes]).toEqual(["", "Test description"]);
  },
  create_bookmark_enhances_with_metadata_by_default: async () => {
    const { title, description } = await save({ url: `${pages.origin}/a` }, "bookmarks/");
    expect(title).toBe("Website title");
    expect(description).toMatch(/^Paragraph 0 of the article says/);
  },
  create_bookmark_does_not_enhance_with_metadata_if_scraping_is_disabled: async () => {
    expect(await save({ url: `${pages.origin}/a` })).toMatchObject({ title: "", description: "" });
  },
  create_bookmark_creates_html_snapshot_by_default: async () => {
    const url = `${pages.origin}/snapshot`;
    await save({ url }, "bookmarks/");
    expect((await user.ok("article", { url })).body).toContain("Paragraph 0");
  },
  create_bookmark_does_not_create_html_snapshot_if_disabled:
    "Pages are kept in the background, or not at all, as the account says.",
  create_bookmark_with_same_url_updates_existing_bookmark: async () => {
    const original = await save();
    const fields = { title: "Updated title", notes: "Updated notes", tag_names: ["tag1", "tag2"] };
    const updated = await save({ url: original.url, ...fields, is_archived: true, shared: true }, "bookmarks/");
    expect(updated).toMatchObject({ ...fields, id: original.id, is_archived: false });
    expect((await list()).count).toBe(1);
  },
  create_bookmark_replaces_whitespace_in_tag_names:
    "Tags keep their blanks, because other apps of the same list show them. An edit with `tag-1` leaves `tag 1`.",
  create_bookmark_minimal_payload: async () => {
    const texts = { title: "", description: "", notes: "" };
    // An item that is not archived is unread.
    expect(await save()).toMatchObject({ ...texts, is_archived: false, unread: true, shared: false, tag_names: [] });
  },
  create_archived_bookmark: async () => {
    const saved = await save({ title: "Test title", is_archived: true, tag_names: ["tag1", "tag2"] });
    expect(saved).toMatchObject({ title: "Test title", is_archived: true, tag_names: ["tag1", "tag2"] });
  },
  create_bookmark_is_not_archived_by_default: async () => {
    expect((await save()).is_archived).toBe(false);
  },
  create_unread_bookmark: async () => {
    expect((await save({ unread: true })).unread).toBe(true);
  },
  create_bookmark_is_not_unread_by_default: "An item that is not archived is unread.",
  create_shared_bookmark: shared,
  create_bookmark_is_not_shared_by_default: async () => {
    expect((await save()).shared).toBe(false);
  },
  create_bookmark_should_add_tags_from_auto_tagging: autoTags,
  create_bookmark_should_set_default_dates: async () => {
    const now = new Date(service.clock.seconds() * 1000).toISOString().replace(".000", "");
    expect(await save()).toMatchObject({ date_added: now, date_modified: now });
  },
  create_bookmark_with_date_added: async () => {
    const date_added = "2024-01-15T12:00:00+00:00";
    expect((await save({ date_added })).date_added).toBe("2024-01-15T12:00:00Z");
  },
  create_bookmark_with_date_modified:
    "`date_modified` is the time of the last change in this list, by which apps sync.",
};

const singles: Record<string, Fact> = {
  get_bookmark: async () => {
    const saved = await save();
    expect(await read(saved.id)).toEqual(saved);
  },
  get_bookmark_with_more_details: async () => {
    const saved = await save({ tag_names: ["a"], title: "T", notes: "N" });
    expect(await read(saved.id)).toEqual(saved);
  },
  get_bookmark_returns_fallback_webarchive_url: async () => {
    const { web_archive_snapshot_url: address } = await save({
      url: "https://example.invalid/",
      date_added: "2023-08-11T21:45:11Z",
    });
    expect(address).toBe("https://web.archive.org/web/20230811214511/https://example.invalid/");
  },
  update_bookmark: differentUrl,
  update_bookmark_ignores_readonly_fields: async () => {
    const { id, url } = await save();
    const fields = { url, web_archive_snapshot_url: "test", website_title: "test", website_description: "test" };
    const { web_archive_snapshot_url: address, ...updated } = await device.ok("PUT", `bookmarks/${id}/`, fields);
    expect(updated).toMatchObject({ website_title: null, website_description: null });
    expect(address).not.toBe("test");
  },
  update_bookmark_fails_without_required_fields: async () => {
    const { id } = await save();
    const { status, body } = await device.call("PUT", `bookmarks/${id}/`, { title: "https://example.com/" });
    expect([status, Object.keys(JSON.parse(body))]).toEqual([400, ["url"]]);
  },
  update_bookmark_with_minimal_payload_does_not_modify_bookmark: async () => {
    const saved = await save({ is_archived: true, tag_names: ["a b"], title: "T", notes: "N" });
    expect(await device.ok("PUT", `bookmarks/${saved.id}/`, { url: saved.url })).toEqual(saved);
  },
  update_bookmark_unread_flag: async () => {
    const { id, url } = await save();
    expect((await device.ok("PUT", `bookmarks/${id}/`, { url, unread: true })).unread).toBe(true);
  },
  update_bookmark_shared_flag: shared,
  update_bookmark_adds_tags_from_auto_tagging: autoTags,
  update_bookmark_should_prevent_duplicate_urls: async () => {
    const [edited, existing] = [await save(), await save()];
    expect(await statusOf("PUT", `bookmarks/${edited.id}/`, { url: edited.url })).toBe(200);
    const { status, body } = await device.call("PUT", `bookmarks/${edited.id}/`, { url: existing.url });
    expect([status, JSON.parse(body)]).toEqual([400, { url: ["belongs to another bookmark"] }]);
  },
  patch_bookmark: async () => {
    const { id } = await save();
    const patch = (fields: object) => device.ok("PATCH", `bookmarks/${id}/`, fields);
    for (const fields of [
      { title: "Updated title" },
      { notes: "Updated notes" },
      { unread: false },
      { unread: true },
      { unread: false },
      { is_archived: false },
      { tag_names: ["updated-tag-1", "updated-tag-2"] },
    ])
      expect(await patch(fields)).toMatchObject(fields);
    // A description other than the excerpt becomes the note if the page has no note, and another URL is refused.
    expect(await patch({ notes: "", description: "Updated description" })).toMatchObject({
      notes: "Updated description",
    });
    expect(await statusOf("PATCH", `bookmarks/${id}/`, { url: "https://example.com" })).toBe(400);
  },
  patch_ignores_readonly_fields: async () => {
    const saved = await save();
    const fields = { web_archive_snapshot_url: "test", website_title: "test", website_description: "test" };
    expect(await device.ok("PATCH", `bookmarks/${saved.id}/`, fields)).toEqual(saved);
  },
  patch_with_empty_payload_does_not_modify_bookmark: async () => {
    const saved = await save({ is_archived: true, tag_names: ["a"], notes: "N" });
    expect(await device.ok("PATCH", `bookmarks/${saved.id}/`, {})).toEqual(saved);
  },
  patch_bookmark_adds_tags_from_auto_tagging: autoTags,
  delete_bookmark: async () => {
    const { id, url } = await save();
    expect(await statusOf("DELETE", `bookmarks/${id}/`)).toBe(204);
    expect(await statusOf("GET", `bookmarks/${id}/`)).toBe(404);
    const { list: trash } = JSON.parse((await user.ok("trash")).body) as { list: Record<string, { url: string }> };
    expect(Object.values(trash).map((each) => each.url)).toEqual([url]);
  },
  archive: async () => {
    const { id } = await save();
    expect(await statusOf("POST", `bookmarks/${id}/archive/`)).toBe(204);
    expect(await read(id)).toMatchObject({ is_archived: true, unread: false });
  },
  unarchive: async () => {
    const { id } = await save({ is_archived: true });
    expect(await statusOf("POST", `bookmarks/${id}/unarchive/`)).toBe(204);
    expect(await read(id)).toMatchObject({ is_archived: false, unread: true });
  },
};

interface Checked {
  bookmark: { id: number; title: string } | null;
  metadata: Record<string, string | null>;
  auto_tags: string[];
}
const check = (url: string, more = "") =>
  device.ok<Checked>("GET", `bookmarks/check/?url=${encodeURIComponent(url)}${more}`);

const checks: Record<string, Fact> = {
  check_returns_no_bookmark_if_url_is_not_bookmarked: async () => {
    expect((await check(`${pages.origin}/a`)).bookmark).toBeNull();
  },
  check_returns_scraped_metadata_if_url_is_not_bookmarked: async () => {
    const url = `${pages.origin}/a`;
    expect((await check(url)).metadata).toEqual({
      url,
      title: "Website title",
      preview_image: null,
      description: expect.stringMatching(/^Paragraph 0 of the article says/),
    });
  },
  check_returns_bookmark_if_url_is_bookmarked: async () => {
    const saved = await save({ url: `${pages.origin}/a`, title: "Example title" });
    expect((await check(saved.url)).bookmark).toEqual(saved);
  },
  check_returns_scraped_metadata_if_url_is_bookmarked: async () => {
    const { url } = await save({ url: `${pages.origin}/a`, title: "Example title" });
    expect((await check(url)).metadata).toMatchObject({ url, title: "Website title" });
  },
  check_returns_bookmark_using_normalized_url: async () => {
    const { id } = await save({ url: "https://EXAMPLE.invalid/path/?a=2&z=1" });
    expect((await check("https://example.invalid/path?a=2&z=1")).bookmark?.id).toBe(id);
  },
  check_returns_no_auto_tags_if_none_configured: async () => {
    expect((await check(`${pages.origin}/a`)).auto_tags).toEqual([]);
  },
  check_returns_matching_auto_tags: autoTags,
  check_ignore_cache: async () => {
    const { metadata } = await check(`${pages.origin}/a`, "&ignore_cache=true");
    expect(metadata.title).toBe("Website title");
  },
};

const others: Record<string, Fact> = {
  can_only_access_own_bookmarks: async () => {
    await save();
    const other = await LinkdingDevice.signIn(await service.newUser());
    const { id, url } = await other.ok("POST", "bookmarks/", { url: `${noPage}/other` }, 201);
    await other.ok("POST", "bookmarks/", { url: `${noPage}/second` }, 201);
    const { id: unknown } = await other.ok("POST", "bookmarks/", { url: `${noPage}/third`, is_archived: true }, 201);
    expect([id, (await list()).count, (await list("", "bookmarks/archived/")).count]).toEqual([id, 1, 0]);
    for (const method of ["GET", "PUT", "PATCH", "DELETE"])
      expect([method, await statusOf(method, `bookmarks/${unknown}/`, method === "PUT" ? { url } : undefined)]).toEqual(
        [method, 404],
      );
    for (const action of ["archive", "unarchive"])
      expect(await statusOf("POST", `bookmarks/${unknown}/${action}/`)).toBe(404);
    expect((await check(url)).bookmark).toBeNull();
  },
  user_profile: async () => {
    const profile = await device.ok<object>("GET", "user/profile/");
    // biome-ignore format: a line holds many short names
    expect(Object.keys(profile).sort()).toEqual(
      [
        "theme", "bookmark_date_display", "bookmark_link_target", "web_archive_integration", "tag_search",
        "enable_sharing", "enable_public_sharing", "enable_favicons", "display_url", "permanent_notes",
        "search_preferences", "version",
      ].sort(),
    );
    expect(profile).toMatchObject({ enable_sharing: false, search_preferences: { unread: "off" } });
  },
  singlefile_upload: async () => {
    const { url } = await save();
    const answer = await upload({ url, file: page });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([201, { message: "Snapshot uploaded successfully." }]);
    expect((await user.ok("article", { url })).body).toContain("Paragraph 0");
  },
  singlefile_creates_bookmark_if_not_exists: async () => {
    const url = `${noPage}/uploaded`;
    expect((await upload({ url, file: page })).status).toBe(201);
    expect((await list()).results).toMatchObject([{ url, title: "Uploaded" }]);
  },
  singlefile_updates_own_bookmark_if_exists: async () => {
    const { id, url } = await save({ is_archived: true });
    await upload({ url, file: page });
    expect(await read(id)).toMatchObject({ is_archived: true, description: expect.stringMatching(/^Paragraph 0/) });
  },
  singlefile_creates_bookmark_without_creating_snapshot: async () => {
    const url = `${noPage}/of-the-browser`;
    await upload({ url, file: page });
    expect((await user.ok("article", { url })).headers.get("x-title")).toBe("Uploaded");
  },
  singlefile_upload_missing_parameters: async () => {
    for (const fields of [{ file: page }, { url: `${noPage}/a` }]) {
      const { status, body } = await upload(fields);
      expect([status, JSON.parse(body)]).toEqual([400, { error: "Both 'url' and 'file' parameters are required." }]);
    }
  },
  singlefile_upload_disabled: "Pages that apps send cannot be switched off.",
};

const page = `<title>Uploaded</title><article><h1>Uploaded</h1>${prose}</article>`;
async function upload({ url, file }: { url?: string; file?: string }) {
  const body = new FormData();
  if (url) body.set("url", url);
  if (file) body.set("file", new Blob([file], { type: "text/html" }), "snapshot.html");
  return device.send("POST", "bookmarks/singlefile/", { body, headers: { authorization: `Token ${device.token}` } });
}

const tagNamed = async (name: string) => {
  const { results } = await device.ok<LinkdingPage<{ id: number; name: string }>>("GET", "tags/?limit=5000");
  return results.find((each) => each.name === name);
};

const tags: Record<string, Fact> = {
  delete_tag: async () => {
    await save({ tag_names: ["gone"] });
    const tag = await tagNamed("gone");
    expect(await device.ok("GET", `tags/${tag?.id}/`)).toEqual(tag);
    expect(await statusOf("DELETE", `tags/${tag?.id}/`)).toBe(204);
    expect([await tagNamed("gone"), await statusOf("GET", `tags/${tag?.id}/`)]).toEqual([undefined, 404]);
  },
  delete_tag_keeps_tagged_bookmarks: async () => {
    const { id } = await save({ tag_names: ["gone", "kept"] });
    await device.call("DELETE", `tags/${(await tagNamed("gone"))?.id}/`);
    expect((await read(id)).tag_names).toEqual(["kept"]);
  },
  can_not_delete_tag_of_other_user: async () => {
    await save({ tag_names: ["mine"] });
    const tag = await tagNamed("mine");
    const other = await LinkdingDevice.signIn(await service.newUser());
    expect((await other.call("DELETE", `tags/${tag?.id}/`)).status).toBe(404);
    expect(await tagNamed("mine")).toEqual(tag);
  },
};

/** The parts of a fact with calls that do not hold, and why. */
const partly: Record<string, string> = {
  list_bookmarks_with_more_details: "There are no icons and no pictures of other sites: both fields are null.",
  list_archived_bookmarks_with_more_details: "There are no icons and no pictures of other sites: both fields are null.",
  list_bookmarks_filter_unread:
    "An item is unread unless it is archived, so `unread=no` finds nothing beside the archive.",
  list_bookmarks_filter_shared: "Nothing is shared, so `shared=yes` finds nothing.",
  list_only_publicly_shared_bookmarks_when_not_logged_in: "Nothing is shared: the list is empty.",
  create_bookmark: "`unread` is the opposite of `is_archived`; another description than the excerpt is the note.",
  create_archived_bookmark: "The description is the excerpt of the page.",
  create_bookmark_with_same_url_updates_existing_bookmark: "The description is the excerpt; nothing is shared.",
  create_bookmark_minimal_payload: "An item that is not archived is unread.",
  create_bookmark_does_not_enhance_with_metadata_if_scraping_is_disabled:
    "An item without a title gets its page's title after a copy is saved in the background.",
  get_bookmark_with_more_details: "The address at the Web Archive follows from URL and time.",
  update_bookmark_with_minimal_payload_does_not_modify_bookmark: "With the URL that the bookmark has.",
  update_bookmark_ignores_readonly_fields: "With the URL that the bookmark has.",
  update_bookmark_unread_flag: "With the URL that the bookmark has.",
  update_bookmark_should_prevent_duplicate_urls: "Another URL is refused whether it is in the list or not.",
  patch_bookmark: "Another URL is refused; the description is the excerpt; nothing is shared.",
  check_returns_bookmark_if_url_is_bookmarked:
    "There are no icons and no pictures of other sites: both fields are null.",
  check_returns_bookmark_using_normalized_url: "Parameters in another order are another URL.",
  check_ignore_cache: "A page that is not kept is read by each call.",
  user_profile: "The settings are linkding's defaults, which nobody can change.",
};

const facts = Object.entries({ ...lists, ...creations, ...singles, ...checks, ...others, ...tags });

test("each of linkding's own tests of bookmarks and tags is here, 71 and 3", () => {
  expect(facts).toHaveLength(74);
  const called = facts.filter(([, fact]) => typeof fact !== "string").map(([name]) => name);
  expect(called).toEqual(expect.arrayContaining(Object.keys(partly)));
  expect([called.length - Object.keys(partly).length, Object.keys(partly).length]).toEqual([36, 20]);
});

test.each(facts.filter(([, fact]) => typeof fact !== "string"))("linkding's test %s holds", async (_, fact) => {
  if (typeof fact !== "string") await fact();
});

test.each(facts.filter(([, fact]) => typeof fact === "string"))("linkding's test %s does not hold: %s", (_, reason) => {
  expect(String(reason)).toMatch(/\w{3,}.*\.$/);
});
