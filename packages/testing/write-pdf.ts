// SPDX-License-Identifier: MIT

import { deflateSync } from "node:zlib";

/** A line of text, placed from the lower left corner of its page, in points. */
export interface TextLine {
  text: string;
  y: number;
  x?: number;
  size?: number;
  font?: "F1" | "F2" | "F3";
}

interface PdfOptions {
  /** Entries of the information dictionary, such as `/Title (A title)`. */
  info?: string;
  /** Entries of each page. */
  page?: string;
  /** Entries of the trailer. */
  trailer?: string;
  compress?: boolean;
  /** Objects besides those of the pages, by their number from 100,000. */
  objects?: (string | Buffer)[];
}

/** A PDF with a page for each list of lines, or for each content stream. F1 is Helvetica, F2 Courier, F3 Japanese without its font. */
export function writePdf(pages: readonly (readonly TextLine[] | string)[], options: PdfOptions = {}): Buffer {
  const { info = "", page = "", trailer = "", compress = false, objects = [] } = options;
  const numbers = pages.map((_, index) => 10 + 2 * index);
  const content = (lines: readonly TextLine[] | string) =>
    typeof lines === "string" ? lines : lines.map(showLine).join("\n");
  const parts = new Map<number, string | Buffer>([
    [1, "<</Type/Catalog/Pages 2 0 R>>"],
    [2, `<</Type/Pages/Count ${pages.length}/Kids[${numbers.map((number) => `${number} 0 R`).join(" ")}]>>`],
    [3, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"],
    [4, "<</Type/Font/Subtype/Type1/BaseFont/Courier>>"],
    [5, "<</Type/Font/Subtype/Type0/BaseFont/Ryumin-Light/Encoding/90ms-RKSJ-H/DescendantFonts[6 0 R]>>"],
    [
      6,
      "<</Type/Font/Subtype/CIDFontType0/BaseFont/Ryumin-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>/FontDescriptor 7 0 R>>",
    ],
    [
      7,
      "<</Type/FontDescriptor/FontName/Ryumin-Light/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 800/Descent -200/CapHeight 700/StemV 80>>",
    ],
    [8, `<<${info}>>`],
    ...numbers.flatMap((number, index): [number, string | Buffer][] => [
      [
        number,
        `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R/F2 4 0 R/F3 5 0 R>>>>/Contents ${number + 1} 0 R ${page}>>`,
      ],
      [number + 1, streamOf(Buffer.from(content(pages[index] ?? []), "latin1"), compress)],
    ]),
    ...objects.map((object, index): [number, string | Buffer] => [100_000 + index, object]),
  ]);
  const chunks = [Buffer.from("%PDF-1.7\n")];
  const offsets = new Map<number, number>();
  let length = chunks[0]?.length ?? 0;
  for (const [number, object] of parts) {
    offsets.set(number, length);
    const chunk = Buffer.concat([
      Buffer.from(`${number} 0 obj\n`),
      Buffer.from(object as string, "latin1"),
      Buffer.from("\nendobj\n"),
    ]);
    chunks.push(chunk);
    length += chunk.length;
  }
  const entries = [...offsets].map(([number, offset]) => `${number} 1\n${String(offset).padStart(10, "0")} 00000 n \n`);
  const size = Math.max(...offsets.keys()) + 1;
  chunks.push(
    Buffer.from(
      `xref\n${entries.join("")}trailer\n<</Size ${size}/Root 1 0 R/Info 8 0 R ${trailer}>>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(chunks);
}

/** A stream object. `entries` are the entries of its dictionary besides the length. */
export function streamOf(data: Buffer, compress = true, entries = ""): Buffer {
  const bytes = compress ? deflateSync(data) : data;
  const filter = compress ? "/Filter/FlateDecode" : "";
  return Buffer.concat([
    Buffer.from(`<<${entries}${filter}/Length ${bytes.length}>>\nstream\n`),
    bytes,
    Buffer.from("\nendstream"),
  ]);
}

const showLine = ({ text, y, x = 72, size = 11, font = "F1" }: TextLine) =>
  `BT /${font} ${size} Tf ${x} ${y} Td (${text.replace(/[\\()]/g, "\\$&")}) Tj ET`;
