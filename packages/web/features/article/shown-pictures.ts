// SPDX-License-Identifier: MIT

import { readPicture } from "../../data/pictures.ts";
import { toPictureKey } from "../../kit/picture-key.ts";
import { showMissing } from "./article-copy.ts";

/**
 * Gives images of an article's frame their pictures as `blob:` shortly before they are on the screen: the frame requests
 * nothing itself, and in Firefox no service worker answers it.
 */
export class ShownPictures {
  readonly #origin: string;
  readonly #addresses = new WeakMap<Element, string>();
  readonly #urls: string[] = [];
  #isClosed = false;
  readonly #observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        this.#observer.unobserve(target);
        void this.#load(target as HTMLImageElement);
      }
    },
    // A screen before.
    { rootMargin: "100% 0px" },
  );

  constructor(textUrl: string) {
    this.#origin = new URL(textUrl, location.href).origin;
  }

  /** Shows a picture in an image; false if the picture is not on the service. */
  readonly show = (image: HTMLImageElement, address: string): boolean => {
    if (!toPictureKey(address)?.startsWith(`${this.#origin}/`)) return false;
    this.#addresses.set(image, address);
    this.#observer.observe(image);
    return true;
  };

  close(): void {
    this.#isClosed = true;
    this.#observer.disconnect();
    for (const url of this.#urls) URL.revokeObjectURL(url);
  }

  async #load(image: HTMLImageElement): Promise<void> {
    const blob = await readPicture(this.#addresses.get(image) ?? "");
    if (this.#isClosed) return;
    if (!blob) {
      this.#offerAgain(image);
      return;
    }
    const url = URL.createObjectURL(blob);
    this.#urls.push(url);
    image.src = url;
  }

  /** Shows a button instead of a picture that could not be loaded, for example without a connection. */
  #offerAgain(image: HTMLImageElement): void {
    const button = showMissing(image.ownerDocument.createElement("button"), image.alt);
    button.addEventListener("click", () => {
      button.replaceWith(image);
      void this.#load(image);
    });
    image.dispatchEvent(new Event("error"));
    image.replaceWith(button);
  }
}
