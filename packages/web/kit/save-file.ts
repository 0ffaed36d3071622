// SPDX-License-Identifier: MIT

/** Has the browser save a file. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // After the browser has taken the file.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
