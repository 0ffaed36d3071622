// SPDX-License-Identifier: MIT

import type { TextView } from "@reading-list/client/main.ts";
import { useEffect, useRef } from "preact/hooks";
import { toPictureKey } from "../../kit/picture-key.ts";
import { copyArticle, type ShowPicture } from "./article-copy.ts";

/** A copy that is printed has no time to wait for a `blob:`. */
const showAtOnce: ShowPicture = (image, address) => {
  if (!toPictureKey(address)) return false;
  image.src = address;
  return true;
};

/** The article as it is printed. A printed frame would be cut between pages without regard to its lines. */
export function PrintedCopy({ views, images }: { views: readonly TextView[]; images: boolean }) {
  const print = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const fill = () =>
      print.current?.replaceChildren(
        ...views.map(({ html }) => copyArticle(html, document, images ? showAtOnce : undefined)),
      );
    const empty = () => print.current?.replaceChildren();
    addEventListener("beforeprint", fill);
    addEventListener("afterprint", empty);
    return () => {
      removeEventListener("beforeprint", fill);
      removeEventListener("afterprint", empty);
    };
  }, [views, images]);
  return <div ref={print} class="article printed" />;
}
