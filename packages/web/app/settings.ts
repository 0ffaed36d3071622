import { Observable } from "./observable.ts";

/** How this device shows lists and articles. */
export interface Settings {
  theme: "system" | "light" | "sepia" | "dark";
  order: "newest" | "oldest";
  /** Of articles: CSS pixels of the text, its width, its typeface, and whether it has images. */
  fontSize: number;
  width: "narrow" | "medium" | "wide";
  font: "serif" | "sans";
  images: boolean;
}

const defaults: Settings = {
  theme: "system",
  order: "newest",
  fontSize: 19,
  width: "medium",
  font: "serif",
  images: true,
};
const key = "reading-list.settings";

/** The settings in `localStorage`; the page has the theme's name as `data-theme`. */
export function openSettings(): Observable<Settings> {
  const settings = new Observable<Settings>({ ...defaults, ...parse(localStorage.getItem(key)) });
  const apply = ({ theme }: Settings) => {
    document.documentElement.dataset.theme = theme;
  };
  apply(settings.value);
  settings.subscribe((changed) => {
    localStorage.setItem(key, JSON.stringify(changed));
    apply(changed);
  });
  return settings;
}

function parse(text: string | null): Partial<Settings> {
  try {
    return JSON.parse(text ?? "{}");
  } catch {
    return {};
  }
}
