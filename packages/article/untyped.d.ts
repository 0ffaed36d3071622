// SPDX-License-Identifier: MIT

declare module "html-encoding-sniffer" {
  /** The name of the encoding of a page by the WHATWG rules, or the default where nothing declares one. */
  export default function sniffEncoding(
    bytes: Uint8Array,
    options: {
      xml: boolean;
      transportLayerEncodingLabel: string | undefined;
      defaultEncoding: string;
      maxPrescanBytes: number | undefined;
    },
  ): string;
}

declare module "pdfjs-dist/legacy/build/pdf.min.mjs" {
  export * from "pdfjs-dist";
}

declare module "pdfjs-dist/legacy/build/pdf.worker.min.mjs" {
  export const WorkerMessageHandler: unknown;
}
