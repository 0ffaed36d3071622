// SPDX-License-Identifier: MIT

import { useState } from "preact/hooks";
import type { TextFacts } from "../../data/cached-text.ts";
import { useReader } from "../../data/reader.ts";
import { useObservable } from "../../kit/observable.ts";
import { toPictureKey } from "../../kit/picture-key.ts";
import { findSite } from "../../kit/web-address.ts";

/** The image that the page declares, if the service keeps it, or a letter. */
export function Thumbnail({ url, facts }: { url: string; facts: TextFacts | undefined }) {
  const { settings } = useReader();
  const { images } = useObservable(settings);
  const [failed, setFailed] = useState("");
  const { imageUrl = "" } = facts ?? {};
  return (
    <span class="thumbnail" aria-hidden="true">
      {images && toPictureKey(imageUrl) && imageUrl !== failed ? (
        <img
          key={imageUrl}
          src={imageUrl}
          alt=""
          loading="lazy"
          draggable={false}
          referrerPolicy="no-referrer"
          onError={() => setFailed(imageUrl)}
        />
      ) : (
        findSite(url).slice(0, 1)
      )}
    </span>
  );
}
