// SPDX-License-Identifier: MIT

import { useEffect, useState } from "preact/hooks";
import { Modal } from "../../kit/dialog.tsx";
import { laterTexts } from "../../kit/later-texts.ts";

/** Pixels; smaller ones are icons. */
const smallest = 64;

const isLoaded = (image: HTMLImageElement) => image.naturalWidth > 0;

/**
 * Shows a picture of an article as large as the screen, after a click on it, as soon as it is loaded. One within a link
 * is that link.
 */
export function PictureView({ content }: { content: Document | undefined }) {
  const [picture, setPicture] = useState<HTMLImageElement>();
  useEffect(() => {
    const open = ({ target }: Event) => {
      const image = target as HTMLImageElement;
      if (image.localName !== "img" || image.closest("a") || (isLoaded(image) && image.width < smallest)) return;
      setPicture(image);
    };
    content?.addEventListener("click", open);
    return () => content?.removeEventListener("click", open);
  }, [content]);
  return picture ? <PictureDialog picture={picture} onClose={() => setPicture(undefined)} /> : null;
}

function PictureDialog({ picture, onClose }: { picture: HTMLImageElement; onClose(): void }) {
  const [, render] = useState({});
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    picture.addEventListener("load", () => render({}), { signal });
    // The article shows a frame instead, which says so.
    picture.addEventListener("error", onClose, { signal });
    return () => ended.abort();
  }, [picture]);
  return (
    <Modal class="picture" label={picture.alt || laterTexts.article.picture} closesOnClick onClose={onClose}>
      {(closeButton) => (
        <>
          {closeButton}
          {isLoaded(picture) ? (
            <img class="large-picture" src={picture.src} alt={picture.alt} />
          ) : (
            <p role="status">{laterTexts.article.loadingPicture}</p>
          )}
        </>
      )}
    </Modal>
  );
}
