// SPDX-License-Identifier: MIT

import { useRef } from "preact/hooks";
import { narrowest, widest } from "../../kit/display-fields.tsx";
import type { Observable } from "../../kit/observable.ts";
import type { Settings } from "../../kit/settings.ts";

/** The two edges of the text, which a mouse drags. By keyboard and on a touch screen the display menu has the width. */
export function Margins({ settings }: { settings: Observable<Settings> }) {
  /** Changes the width for the place of the mouse. */
  const drag = useRef<((x: number) => void) | undefined>(undefined);
  function begin(event: PointerEvent) {
    const edge = event.currentTarget as HTMLElement;
    const column = edge.parentElement;
    if (!column || event.button !== 0) return;
    // Or the frame of the article would take the moves.
    edge.setPointerCapture(event.pointerId);
    const { fontSize, paddingLeft, paddingRight } = getComputedStyle(column);
    const em = Number.parseFloat(fontSize);
    const width = (column.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)) / em;
    const { left, right } = column.getBoundingClientRect();
    const fromMiddle = (x: number) => Math.abs(x - (left + right) / 2);
    const begun = fromMiddle(event.clientX);
    drag.current = (x) => {
      const wanted = Math.round(width + (2 * (fromMiddle(x) - begun)) / em);
      const chosen = Math.min(widest, Math.max(narrowest, wanted));
      if (chosen !== settings.value.width) settings.value = { ...settings.value, width: chosen };
    };
  }
  const end = () => {
    drag.current = undefined;
  };
  return ["left", "right"].map((side) => (
    <div
      key={side}
      class={`margin ${side}`}
      aria-hidden="true"
      onPointerDown={begin}
      onPointerMove={({ clientX }) => drag.current?.(clientX)}
      onLostPointerCapture={end}
    />
  ));
}
