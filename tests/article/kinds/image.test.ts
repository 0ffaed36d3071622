// SPDX-License-Identifier: MIT

import { describe, expect, test } from "vitest";
import { serveKinds } from "./read-served.ts";

const { site, serve, viewOf, refusalOf, readArticle } = serveKinds();

describe("an image", () => {
  const path = "/media/Boats_in-the%20harbour.jpg?size=large&x=1";
  const caption = () =>
    `<figcaption><a href="${site.origin}${path.replace("&", "&amp;")}">Boats_in-the harbour.jpg</a></figcaption>`;

  test("is a view with that image", async () => {
    const view = await viewOf(path, "not even looked at", "image/jpeg", { images: true });
    expect(view.html).toBe(
      `<figure><img src="${site.origin}${path.replace("&", "&amp;")}" alt="Boats in the harbour" />${caption()}</figure>`,
    );
    expect(view).toMatchObject({ title: "Boats in the harbour", imageUrl: site.origin + path });
  });

  test("is its description and a link without images", async () => {
    expect((await viewOf(path, "", "image/svg+xml")).html).toBe(`<figure>${caption()}</figure>`);
  });

  test("is recognised by its bytes if its type is unknown", async () => {
    const png = Buffer.from("\x89PNG\r\n\x1a\n\0\0", "latin1");
    expect((await viewOf("/blob", png, "application/octet-stream")).title).toBe("blob");
    expect(await refusalOf("/blob", Buffer.from("\0\0PNG"), "application/octet-stream")).toBe(
      "url is not text, HTML, a PDF, an image or a feed",
    );
  });

  test("is the same in both modes", async () => {
    serve("/kept.png", "", "image/png");
    const { less, more } = await readArticle("/kept.png");
    expect(less.html).toContain(`<img src="${site.origin}/kept.png"`);
    expect(more.html).toBe(less.html);
  });
});
