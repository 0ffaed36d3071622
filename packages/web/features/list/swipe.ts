// SPDX-License-Identifier: MIT

import { readStored, store } from "../../kit/browser-storage.ts";

/** Pixels after which letting go acts. */
const threshold = 96;
/** Pixels at the edges of the screen, from which phones swipe to go back. */
const edge = 24;

/** Shows once on each device what a swipe does: the first row moves a little to the side. */
export function hintAtSwipes(): void {
  const row = document.querySelector<HTMLElement>(".row");
  const isTouched = matchMedia("(hover: none) and (prefers-reduced-motion: no-preference)").matches;
  if (!row || !isTouched || readStored(hinted)) return;
  store(hinted, "1");
  Object.assign(row.dataset, { swipe: "right", far: "" });
  const frames = [
    { translate: "0" },
    { translate: "5rem", offset: 0.3 },
    { translate: "5rem", offset: 0.7 },
    { translate: "0" },
  ];
  row.animate(frames, { duration: 1800, easing: "ease-in-out" }).onfinish = () => {
    row.dataset.swipe = "";
    row.removeAttribute("data-far");
  };
}

const hinted = "hinted-at-swipes";

/**
 * Makes a row follow a finger that moves sideways; calls back when it is let go far enough to the right or the left.
 * Returns a function that ends it. Works by touch only: a mouse selects text.
 */
export function followSwipes(row: HTMLElement, onSwipe: (direction: "left" | "right") => void): () => void {
  let start: Touch | undefined;
  let distance = 0;
  const move = (pixels: number) => {
    distance = pixels;
    row.style.translate = pixels === 0 ? "" : `${pixels}px`;
    row.dataset.swipe = pixels === 0 ? "" : pixels > 0 ? "right" : "left";
    row.toggleAttribute("data-far", Math.abs(pixels) > threshold);
  };
  const end = new AbortController();
  const options = { signal: end.signal, passive: true };
  row.addEventListener(
    "touchstart",
    ({ touches }) => {
      const [touch] = touches;
      const isAtEdge = touch && (touch.clientX < edge || touch.clientX > innerWidth - edge);
      start = touches.length === 1 && !isAtEdge ? touch : undefined;
    },
    options,
  );
  row.addEventListener(
    "touchmove",
    ({ touches: [touch] }) => {
      if (!start || !touch) return;
      const across = touch.clientX - start.clientX;
      // A finger that scrolls is not swiping.
      if (distance === 0 && Math.abs(touch.clientY - start.clientY) > Math.abs(across)) start = undefined;
      else if (Math.abs(across) > 10) move(across);
    },
    options,
  );
  row.addEventListener(
    "touchend",
    () => {
      const swiped = distance;
      move(0);
      if (Math.abs(swiped) > threshold) onSwipe(swiped > 0 ? "right" : "left");
    },
    options,
  );
  row.addEventListener("touchcancel", () => move(0), options);
  return () => end.abort();
}
