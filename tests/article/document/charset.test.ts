// SPDX-License-Identifier: MIT

import { decodePage } from "@reading-list/article/document/charset.ts";
import { describe, expect, test } from "vitest";

const undeclared = { charset: undefined, xml: false };
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))));

describe("the encoding of a page is", () => {
  test("its byte order mark, with the highest priority", async () => {
    const page = bytes([0xef, 0xbb, 0xbf], "<meta charset=windows-1251>\xc3\xa9");
    expect(await decodePage(page, { charset: "shift_jis", xml: false })).toBe("<meta charset=windows-1251>é");
    expect(await decodePage(bytes([0xff, 0xfe], "h\0i\0"), undeclared)).toBe("hi");
    expect(await decodePage(bytes([0xfe, 0xff], "\0h\0i"), undeclared)).toBe("hi");
  });

  test("its header, with priority over its own declaration", async () => {
    const page = bytes("<meta charset=utf-8>", [0xcf, 0xf0, 0xe8]);
    expect(await decodePage(page, { charset: "windows-1251", xml: false })).toContain("При");
  });

  test("its own declaration, in both forms, even if it is late", async () => {
    const inForm = (meta: string) => decodePage(bytes("<head>", meta, [0xcf, 0xf0, 0xe8]), undeclared);
    expect(await inForm("<meta charset='windows-1251'>")).toContain("При");
    expect(await inForm('<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">')).toContain("При");
    expect(await inForm(`<script>${"x".repeat(3000)}</script><meta charset='windows-1251'>`)).toContain("При");
    expect(await inForm("<meta charset='no-such-thing'><meta charset='windows-1251'>")).toContain("При");
  });

  test("an XML declaration, in XML", async () => {
    const page = bytes('<?xml version="1.0" encoding="windows-1251"?>', [0xcf, 0xf0, 0xe8]);
    expect(await decodePage(page, { charset: undefined, xml: true })).toContain("При");
  });

  test("UTF-8 if its bytes are UTF-8 and it declares nothing", async () => {
    expect(await decodePage(Buffer.from("Žluťoučký kůň"), undeclared)).toBe("Žluťoučký kůň");
  });

  test("UTF-8, even if a byte is broken or the last character is truncated", async () => {
    const page = Buffer.from("Žluťoučký kůň úpěl ďábelské ódy");
    const broken = Buffer.concat([page, Buffer.from([0xff]), page]);
    expect(await decodePage(broken, undeclared)).toContain("\ufffdŽluťoučký kůň");
    expect(await decodePage(Buffer.concat([page, Buffer.from([0xe2, 0x82])]), undeclared)).toContain("ďábelské ódy");
    expect(await decodePage(bytes("Le caf", [0xe9], " de la place est ferm", [0xe9]), undeclared)).not.toContain(
      "\ufffd",
    );
  });

  test("its own declaration, however late, unless its bytes are UTF-8", async () => {
    const late = `${"<script></script>".repeat(5000)}<meta charset=windows-1251>`;
    expect(await decodePage(bytes(late, [0xcf, 0xf0, 0xe8]), undeclared)).toContain("При");
    expect(await decodePage(Buffer.from(`${late}При`), undeclared)).toContain("При");
  });

  test("a guess from its letters otherwise", async () => {
    const russian = Buffer.from(
      "cff0e8e2e5f22c20fdf2ee20f1f2f0e0ede8f6e020ede020f0f3f1f1eaeeec20ff e7fbeae52e".replaceAll(" ", ""),
      "hex",
    );
    expect(await decodePage(Buffer.concat(Array(20).fill(russian)), undeclared)).toContain(
      "Привет, это страница на русском",
    );
  });
});

describe("an encoding label has the same meaning as in browsers", () => {
  test.each([
    ["iso-8859-1", [0x93, 0x80, 0x94], "“€”"],
    ["ascii", [0xe9], "é"],
    ["gb2312", [0xc4, 0xe3, 0xba, 0xc3], "你好"],
    ["gbk", [0x80], "€"],
    ["big5", [0xa7, 0x41, 0xa6, 0x6e], "你好"],
    ["shift_jis", [0x82, 0xb1, 0x83, 0x65], "こテ"],
    ["x-sjis", [0x87, 0x40], "①"],
    ["euc-jp", [0xa4, 0xb3], "こ"],
    ["iso-2022-jp", [0x1b, 0x24, 0x42, 0x24, 0x33, 0x1b, 0x28, 0x42], "こ"],
    ["euc-kr", [0xbe, 0xc8, 0xb3, 0xe7], "안녕"],
    ["ks_c_5601-1987", [0x81, 0x41], "갂"],
    ["koi8-r", [0xf0, 0xd2], "Пр"],
    ["windows-1256", [0xc7], "ا"],
    ["iso-8859-9", [0xfe], "ş"],
    ["tis-620", [0xa1], "ก"],
    ["macintosh", [0x8e], "é"],
    ["utf8", [0xc3, 0xa9], "é"],
    ["unknown-label", [0xc3, 0xa9], "é"],
  ])("%s", async (charset, body, expected) => {
    expect(await decodePage(Buffer.from(body as number[]), { charset, xml: false })).toBe(expected);
  });
});

describe("broken bytes do not make a page fail", () => {
  test.each(["utf-8", "gb18030", "shift_jis", "euc-kr", "big5", "iso-2022-jp", "utf-16le", "replacement", undefined])(
    "in %s",
    async (charset) => {
      const noise = Uint8Array.from({ length: 5000 }, (_, n) => (n * 7919) % 256);
      expect(typeof (await decodePage(noise, { charset, xml: false }))).toBe("string");
      expect(await decodePage(new Uint8Array(), { charset, xml: false })).toMatch(/^\ufffd?$/);
    },
  );
});
