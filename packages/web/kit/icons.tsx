// SPDX-License-Identifier: MIT

import type { ButtonHTMLAttributes } from "preact";

/** 24 by 24, stroked with the colour of the text. */
const paths = {
  add: "M12 5v14M5 12h14",
  archive: "M4 5h16v4H4zM6 9v10h12V9M10 13h4",
  back: "M15 5l-7 7 7 7",
  bookmark: "M6 4h12v16l-6-4-6 4z",
  check: "M5 13l4 4L19 7",
  contents: "M4 7h.01M8 7h12M4 12h.01M8 12h12M4 17h.01M8 17h12",
  close: "M6 6l12 12M18 6L6 18",
  delete: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  download: "M12 4v11M8 11l4 4 4-4M5 17v3h14v-3",
  edit: "M4 20l1-5L16 4l4 4L9 19zM14 6l4 4",
  filter: "M4 6h16M7 12h10M10 18h4",
  forward: "M9 5l7 7-7 7",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  listen: "M4 10v4h4l5 4V6l-5 4zM16 9a4 4 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11",
  mail: "M4 6h16v12H4zM4 7l8 6 8-6",
  menu: "M4 7h16M4 12h16M4 17h16",
  more: "M4.5 12h1M11.5 12h1M18.5 12h1",
  offline: "M3 3l18 18M8 8a7 7 0 0 0-3 10h11M10 6a6 6 0 0 1 9 5 4 4 0 0 1 2 5",
  original: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  pause: "M8 5v14M16 5v14",
  play: "M7 4l13 8-13 8z",
  search: "M16 16l4.5 4.5M18 11a7 7 0 1 1-14 0 7 7 0 0 1 14 0z",
  select: "M4 6l2 2 3-4M4 15l2 2 3-4M13 7h7M13 16h7",
  share: "M12 15V4M8 8l4-4 4 4M5 13v7h14v-7",
  star: "M12 4l2.5 5.2 5.7.8-4.1 4 1 5.7-5.1-2.7-5.1 2.7 1-5.7-4.1-4 5.7-.8z",
  sync: "M20 11a8 8 0 0 0-14-4L4 9M4 4v5h5M4 13a8 8 0 0 0 14 4l2-2M20 20v-5h-5",
  tag: "M4 4h8l8 8-8 8-8-8zM8 8h.01",
  unread: "M12 19V5M6 11l6-6 6 6",
  warning: "M12 4L2 20h20zM12 10v5M12 17.5v.01",
};

interface IconProps {
  name: keyof typeof paths;
  isFilled?: boolean | undefined;
}

/** Decoration: the element around it, or beside it, has the name. */
export function Icon({ name, isFilled }: IconProps) {
  return (
    <svg class={isFilled ? "icon filled" : "icon"} viewBox="0 0 24 24" data-icon={name} aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "icon"> {
  icon: IconProps["name"];
  isFilled?: boolean;
  /** Its tooltip, which screen readers read. */
  name: string;
}

/** A button that shows only an icon. */
export function IconButton({ icon, isFilled, name, ...button }: IconButtonProps) {
  return (
    <button type="button" class="plain" aria-label={name} title={name} {...button}>
      <Icon name={icon} isFilled={isFilled} />
    </button>
  );
}
