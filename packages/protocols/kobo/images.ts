// SPDX-License-Identifier: MIT

import { createHmac, timingSafeEqual } from "node:crypto";
import * as z from "@reading-list/core/contract/bounded.ts";
import { replaceImages } from "@reading-list/core/domain/article-pictures.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { unixTime } from "@reading-list/core/ports/clock.ts";
import type { Dependencies } from "@reading-list/core/ports/dependencies.ts";
import { readKeptJpeg } from "@reading-list/core/use-cases/articles/kept-jpegs.ts";
import type { AnyCaller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import type { ApiPorts } from "../ports.ts";
import { ofSameOrigin } from "./answers.ts";
import * as fields from "./fields.ts";

/** Images of an article; further ones are left out, as in books. */
const maxImages = 100;
/** A device loads the images with the article. */
const addressSeconds = 86_400;

type SigningPorts = Pick<Dependencies, "clock" | "signatureKey">;

/** An image of a page, and the picture that a user keeps of it, if there is one. */
interface KoboImage {
  url: string;
  user?: string | undefined;
  picture?: string | undefined;
}

const createSignature = ({ signatureKey }: SigningPorts, { url, user, picture }: KoboImage, expires: number) =>
  createHmac("sha256", signatureKey("kobo image"))
    .update(JSON.stringify(picture === undefined ? [url, expires] : [url, expires, user, picture]))
    .digest("base64url");

/** The query string of an image that this service shows to whoever has it. */
export function signImage(deps: SigningPorts, image: KoboImage): string {
  const expires = unixTime(deps.clock) + addressSeconds;
  const { url, user = "", picture } = image;
  return String(
    new URLSearchParams({
      url,
      ...(picture !== undefined && { user, picture }),
      expires: String(expires),
      signature: createSignature(deps, image, expires),
    }),
  );
}

/** An article with comments instead of its images, and the URLs of the images. */
export interface ImagesOut {
  html: string;
  urls: string[];
}

/** Takes the images out of a text view. */
export function takeImagesOut(html: string, max = maxImages): ImagesOut {
  const urls: string[] = [];
  const without = replaceImages(html, (url) => (urls.length >= max ? "" : `<!--IMG_${urls.push(url) - 1}-->`));
  return { html: without, urls };
}

const input = z.object({
  url: fields.url,
  user: z.string(100).optional(),
  picture: z.string(100).optional(),
  expires: fields.wholeNumber,
  signature: z.string(100, "is missing"),
});

/** An image as JPEG. Throws `notFound` without a valid signature, and if the image cannot be shown. */
const readImage: UseCase<z.output<typeof input>, Uint8Array, ApiPorts, AnyCaller> = {
  begin:
    (deps, { expires = 0, signature, ...image }) =>
    async ({ address }) => {
      const [given, expected] = [signature, createSignature(deps, image, expires)].map((text) => Buffer.from(text));
      const isSigned = given?.length === expected?.length && timingSafeEqual(given as Buffer, expected as Buffer);
      if (!isSigned || expires <= unixTime(deps.clock) || !deps.pictures)
        throw new ServiceError("notFound", "the address of the image is wrong or has expired; load the article again");
      const { url, user, picture } = image;
      const kept = picture === undefined ? undefined : await readKeptJpeg(deps, user ?? "", picture, { address });
      return kept ?? deps.pictures.jpeg(url, { address });
    },
};

const imageRoute = (route: "GET /image" | "HEAD /image") =>
  defineRoute({
    route,
    caller: "application",
    isUncounted: true,
    input,
    useCase: readImage,
    present: (jpeg) => ({
      status: 200,
      headers: { "Content-Type": "image/jpeg", "Cache-Control": `private, max-age=${addressSeconds}`, ...ofSameOrigin },
      body: Buffer.from(jpeg),
    }),
  });

export const imageRoutes = [imageRoute("GET /image"), imageRoute("HEAD /image")];
