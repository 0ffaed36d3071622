// SPDX-License-Identifier: MIT

/** The files of pdfjs-dist that read the text of a PDF: the package has 10 MB of others. */
export const pdfjsFiles = ["legacy/build/pdf.min.mjs", "legacy/build/pdf.worker.min.mjs", "cmaps"];
