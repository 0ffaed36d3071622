// SPDX-License-Identifier: MIT

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { IconButton } from "../../kit/icons.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { firstTexts } from "../../kit/texts.ts";

/** Pixels; smaller ones are icons. */
const smallest = 64;

type Picture = Pick<HTMLImageElement, "src" | "alt">;

/** Shows a picture of an article as large as the screen, after a click on it. One within a link is that link. */
export function PictureView({ content }: { content: Document | undefined }) {
  const [picture, setPicture] = useState<Picture>();
  useEffect(() => {
    const open = ({ target }: Event) => {
      const image = target as HTMLImageElement;
      if (image.localName !== "img" || image.closest("a") || !image.naturalWidth || image.width < smallest) return;
      setPicture({ src: image.src, alt: image.alt });
    };
    content?.addEventListener("click", open);
    return () => content?.removeEventListener("click", open);
  }, [content]);
  return picture ? <PictureDialog picture={picture} onClose={() => setPicture(undefined)} /> : null;
}

function PictureDialog({ picture: { src, alt }, onClose }: { picture: Picture; onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const close = () => dialog.current?.close();
  return (
    // The keyboard has Escape.
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click anywhere closes it
    <dialog
      ref={dialog}
      class="picture"
      aria-label={alt || laterTexts.article.picture}
      onClose={onClose}
      onClick={close}
    >
      <IconButton icon="close" class="close-picture" name={firstTexts.close} onClick={close} />
      <img class="large-picture" src={src} alt={alt} />
    </dialog>
  );
}
