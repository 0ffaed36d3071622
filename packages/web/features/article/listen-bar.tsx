// SPDX-License-Identifier: MIT

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useReader } from "../../data/reader.ts";
import { IconButton } from "../../kit/icons.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { useObservable } from "../../kit/observable.ts";
import { formatNumber } from "../../kit/texts.ts";
import { scrollInFrame } from "./position.ts";
import { firstPartBelow, spokenLanguage, spokenParts, voicesFor } from "./speech.ts";
import type { ShownText } from "./use-mark-layer.ts";

const text = laterTexts.listen;
const rates = [0.75, 1, 1.25, 1.5, 1.75, 2];
/** Pixels from the top of the screen, below the bar, at which a paragraph stands that is read. */
const line = 80;

interface ListenBarProps {
  title: string;
  site: string;
  shown: ShownText;
  /** Begins with the title, wherever the page is scrolled. */
  beginsAtTop: boolean;
  /** Called at the end of the article. */
  onEnd(): void;
  onClose(): void;
}

/** Reads an article aloud from the first paragraph on the screen, and scrolls along. */
export function ListenBar({ title, site, shown, beginsAtTop, onEnd, onClose }: ListenBarProps) {
  const { settings } = useReader();
  const { speechRate, voice } = useObservable(settings);
  const { content, frame } = shown;
  const parts = useMemo(() => spokenParts(title, content), [title, shown]);
  const language = useMemo(() => spokenLanguage(content), [content]);
  const [index, setIndex] = useState(() => (beginsAtTop ? 0 : firstPartBelow(parts, line, frame)));
  const [isPaused, setPaused] = useState(false);
  const voices = useVoices(language);
  const ended = useRef(onEnd);
  ended.current = onEnd;

  useEffect(() => {
    if (isPaused) return;
    const part = parts[index];
    if (!part) return ended.current();
    const utterance = new SpeechSynthesisUtterance(part.text);
    const chosen = voices.find(({ voiceURI }) => voiceURI === voice);
    if (chosen) utterance.voice = chosen;
    if (language) utterance.lang = chosen?.lang ?? language;
    utterance.rate = speechRate;
    let isCurrent = true;
    // Some engines also fire `end` after a cancellation.
    utterance.onend = () => isCurrent && setIndex(index + 1);
    speechSynthesis.speak(utterance);
    return () => {
      isCurrent = false;
      // An engine's own pause cannot be trusted on phones: the part is read again.
      speechSynthesis.cancel();
    };
  }, [parts, index, isPaused, speechRate, voice, voices.length]);

  const block = parts[index]?.block;
  useEffect(() => {
    if (!block) return;
    block.classList.add("spoken");
    const { top, bottom } = block.getBoundingClientRect();
    const offset = frame.getBoundingClientRect().top;
    if (offset + top < line || offset + bottom > innerHeight - line) scrollInFrame(frame, top, line);
    return () => block.classList.remove("spoken");
  }, [block]);

  /** To the paragraph before or after. */
  const move = (by: -1 | 1) => {
    const target = parts.findIndex((part, i) => i > index && part.block !== block);
    const begin = parts.findIndex((part) => part.block === block);
    const before = parts.findIndex((part) => part.block === parts[begin - 1]?.block);
    setIndex(by === 1 ? (target < 0 ? parts.length : target) : Math.max(0, index > begin ? begin : before));
  };
  useMediaKeys({ title, site, isPaused, setPaused, move, onClose });

  const choose = (change: Partial<typeof settings.value>) => {
    settings.value = { ...settings.value, ...change };
  };
  return (
    <section class="listen-bar" aria-label={text.title}>
      <IconButton
        icon={isPaused ? "play" : "pause"}
        name={isPaused ? text.play : text.pause}
        onClick={() => setPaused(!isPaused)}
      />
      <IconButton icon="back" name={text.back} onClick={() => move(-1)} />
      <IconButton icon="forward" name={text.forward} onClick={() => move(1)} />
      <select
        aria-label={text.rate}
        value={speechRate}
        onChange={({ currentTarget }) => choose({ speechRate: Number(currentTarget.value) })}
      >
        {rates.map((rate) => (
          <option key={rate} value={rate}>
            {formatNumber(rate)}×
          </option>
        ))}
      </select>
      {voices.length > 1 && (
        <select
          aria-label={text.voice}
          value={voice}
          onChange={({ currentTarget }) => choose({ voice: currentTarget.value })}
        >
          <option value="">{text.anyVoice}</option>
          {voices.map(({ voiceURI, name }) => (
            <option key={voiceURI} value={voiceURI}>
              {name}
            </option>
          ))}
        </select>
      )}
      <span class="space" />
      <IconButton icon="close" name={text.stop} onClick={onClose} />
    </section>
  );
}

/** Browsers load the voices after the first question for them. */
function useVoices(language: string): SpeechSynthesisVoice[] {
  const [voices, setVoices] = useState(() => voicesFor(language));
  useEffect(() => {
    const read = () => setVoices(voicesFor(language));
    read();
    speechSynthesis.addEventListener("voiceschanged", read);
    return () => speechSynthesis.removeEventListener("voiceschanged", read);
  }, [language]);
  return voices;
}

interface MediaKeys {
  title: string;
  site: string;
  isPaused: boolean;
  setPaused(isPaused: boolean): void;
  move(by: -1 | 1): void;
  onClose(): void;
}

/** The keys of a keyboard or headset, and the controls of the system. */
function useMediaKeys({ title, site, isPaused, setPaused, move, onClose }: MediaKeys): void {
  const session = navigator.mediaSession as MediaSession | undefined;
  useEffect(() => {
    if (!session) return;
    session.metadata = new MediaMetadata({ title, artist: site });
    session.playbackState = isPaused ? "paused" : "playing";
    const handlers: [MediaSessionAction, () => void][] = [
      ["play", () => setPaused(false)],
      ["pause", () => setPaused(true)],
      ["previoustrack", () => move(-1)],
      ["nexttrack", () => move(1)],
      ["stop", onClose],
    ];
    for (const [action, handler] of handlers) session.setActionHandler(action, handler);
    return () => {
      for (const [action] of handlers) session.setActionHandler(action, null);
      session.playbackState = "none";
      session.metadata = null;
    };
  });
}
