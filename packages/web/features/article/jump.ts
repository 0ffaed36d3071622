// SPDX-License-Identifier: MIT

import type { Passage } from "@reading-list/core/domain/visible-text.ts";
import { scrollInFrame } from "./position.ts";
import type { ShownText } from "./use-mark-layer.ts";

/** Scrolls a passage to the upper third of the screen, once the frame is as high as its content. */
export function jumpTo(passage: Passage, shown: ShownText): void {
  const { content, map, frame, rest } = shown;
  if (!frame.isConnected) return;
  if (frame.clientHeight < Math.floor(content.body.getBoundingClientRect().height)) {
    requestAnimationFrame(() => jumpTo(passage, shown));
    return;
  }
  const { top } = map.rangeOf(passage)?.getBoundingClientRect() ?? { top: 0 };
  rest();
  scrollInFrame(frame, top, innerHeight / 3);
}
