import type { GrowthLine } from "./growth.ts";

const width = 920;
const height = 520;
const plot = { left: 70, right: 640, top: 20, bottom: 460 };
const labelLeft = plot.right + 34;
const labelHeight = 17;

/** Colours that are visible on white and on black. */
const colours = [
  "#2f81f7",
  "#d97706",
  "#16a34a",
  "#db2777",
  "#8b5cf6",
  "#0d9488",
  "#dc2626",
  "#a16207",
  "#65a30d",
  "#c026d3",
];
const floorColour = "#7d8590";

const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .paper { fill: #ffffff }
  .grid { stroke: #d1d9e0; stroke-width: 1 }
  .line { fill: none; stroke-width: 2 }
  .floor { stroke-dasharray: 4 4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .paper { fill: #0d1117 }
    .grid { stroke: #30363d }
  }`;

/** Plots the time of each kind of call by the size of the list, as an SVG with logarithmic axes. */
export function plotGrowth(lines: readonly GrowthLine[]): string {
  const points = lines.flatMap((line) => line.points);
  const sizes = [...new Set(points.map(({ items }) => items))].sort((a, b) => a - b);
  const decades = points.map(({ milliseconds }) => Math.log10(milliseconds));
  const [lowest, highest] = [Math.floor(Math.min(...decades)), Math.ceil(Math.max(...decades))];
  const x = scaleOf(Math.log10(sizes[0] ?? 1), Math.log10(sizes.at(-1) ?? 1), plot.left, plot.right);
  const y = scaleOf(lowest, highest, plot.bottom, plot.top);

  const sizeTicks = sizes.map((size) => {
    const at = x(Math.log10(size));
    return `<path class="grid" d="M${at} ${plot.top}V${plot.bottom}"/>${textAt(at, plot.bottom + 20, "middle", size.toLocaleString("en"))}`;
  });
  const timeTicks = Array.from({ length: highest - lowest + 1 }, (_, i) => {
    const at = y(lowest + i);
    const label = textAt(plot.left - 8, at + 4, "end", (10 ** (lowest + i)).toLocaleString("en"));
    return `<path class="grid" d="M${plot.left} ${at}H${plot.right}"/>${label}`;
  });

  const drawn = lines.map(({ name, points }, i) => {
    const corners = points.map((point) => [x(Math.log10(point.items)), y(Math.log10(point.milliseconds))] as const);
    const isFloor = name.startsWith("floor");
    const colour = isFloor ? floorColour : colours[i % colours.length];
    return { name, isFloor, corners, end: corners.at(-1)?.[1] ?? 0, colour };
  });
  drawn.sort((a, b) => a.end - b.end);
  const labelsAt = spread(drawn.map(({ end }) => end));
  const curves = drawn.map(({ name, isFloor, corners, end, colour }, i) => {
    const labelAt = labelsAt[i] ?? end;
    const dots = corners.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`).join("");
    return [
      `<path class="line${isFloor ? " floor" : ""}" stroke="${colour}" d="M${corners.map((corner) => corner.join(" ")).join("L")}"/>${dots}`,
      `<path class="line" stroke="${colour}" d="M${plot.right + 6} ${end}L${labelLeft - 14} ${labelAt}h8"/>`,
      textAt(labelLeft, labelAt + 4, "start", name),
    ].join("");
  });

  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    "<title>Median milliseconds of a call, by the number of items in the list</title>",
    `<style>${style}\n</style>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    ...sizeTicks,
    ...timeTicks,
    textAt((plot.left + plot.right) / 2, plot.bottom + 46, "middle", "items in the list"),
    `<g transform="translate(22 ${(plot.top + plot.bottom) / 2}) rotate(-90)">${textAt(0, 0, "middle", "median milliseconds of a call")}</g>`,
    ...curves,
    "</svg>\n",
  ].join("\n");
}

/** Maps values between `from` and `to` to positions between `start` and `end`, rounded to 0.1. */
const scaleOf = (from: number, to: number, start: number, end: number) => (value: number) =>
  Number((start + ((value - from) / (to - from)) * (end - start)).toFixed(1));

const textAt = (x: number, y: number, anchor: string, text: string) =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;

/** Moves sorted positions apart by the height of a label, and keeps them inside the plot. */
function spread(places: readonly number[]): number[] {
  const apart: number[] = [];
  for (const place of places) apart.push(Math.max(place, (apart.at(-1) ?? Number.NEGATIVE_INFINITY) + labelHeight));
  for (let i = apart.length - 1, lowest = plot.bottom; i >= 0; i--, lowest -= labelHeight) {
    apart[i] = Math.min(apart[i] ?? lowest, lowest);
  }
  return apart;
}
