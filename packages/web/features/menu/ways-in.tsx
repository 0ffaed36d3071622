// SPDX-License-Identifier: MIT

import { isLoopback } from "@reading-list/core/domain/hosts.ts";
import qrcode from "qrcode-generator";
import { laterTexts } from "../../kit/later-texts.ts";

const text = laterTexts.menu;
const steps = laterTexts.firstSteps;

/** The address of the reader, for another device. */
const address = location.origin + location.pathname;

/** The text as a QR code, for the camera of a phone. */
function QrCode({ text }: { text: string }) {
  const code = qrcode(0, "M");
  code.addData(text);
  code.make();
  const places = Array.from({ length: code.getModuleCount() }, (_, place) => place);
  const squares = places.flatMap((y) => places.flatMap((x) => (code.isDark(y, x) ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg class="qr" aria-hidden="true" viewBox={`-4 -4 ${places.length + 8} ${places.length + 8}`}>
      <path d={squares.join("")} />
    </svg>
  );
}

/** Opens the dialog that saves the page on which it is clicked. In the reader itself the policy blocks it. */
const bookmarklet = (address: string) =>
  `javascript:open(${JSON.stringify(address)}+"?url="+encodeURIComponent(location.href)+"&title="+encodeURIComponent(document.title))`;

/** A link for the bookmarks, which saves pages. */
function Bookmarklet() {
  return (
    <p class="with-mouse">
      <a class="bookmarklet" href={bookmarklet(address)}>
        {text.bookmarkletName}
      </a>
    </p>
  );
}

/** Asks for a file to import. */
export function ImportButton({ onImport }: { onImport(file: File): void }) {
  return (
    <label class="button">
      {text.import}
      <input
        type="file"
        class="hidden"
        onChange={({ currentTarget: { files } }) => {
          if (files?.[0]) onImport(files[0]);
        }}
      />
    </label>
  );
}

interface WaysToSaveProps {
  /** Opens the form that adds a page. */
  onAdd?: () => void;
  /** Opens the page of the account, where apps get their passwords. */
  onManage(): void;
}

/** How to save pages from this browser, the phone and an e-reader. */
export const WaysToSave = ({ onAdd, onManage }: WaysToSaveProps) => (
  <ol class="first-steps">
    <li>
      <h2>{steps.here}</h2>
      <p>{steps.hereHow}</p>
      {onAdd && (
        <button type="button" class="primary" onClick={onAdd}>
          {steps.add}
        </button>
      )}
      <p class="with-mouse">{steps.bookmarklet}</p>
      <Bookmarklet />
    </li>
    <li>
      <h2>{steps.phone}</h2>
      {/* No other device can open a loopback address. */}
      {isLoopback(location.hostname) ? (
        <p>{steps.phoneHere}</p>
      ) : (
        <div class="with-mouse">
          <p>
            {steps.phoneOpen} <code>{address}</code>
          </p>
          <QrCode text={address} />
        </div>
      )}
      {/* Browsers install nothing from an address without HTTPS. */}
      <p>{location.protocol === "https:" ? steps.phoneHow : steps.phonePlain}</p>
    </li>
    <li>
      <h2>{steps.eReader}</h2>
      <p>{steps.eReaderHow}</p>
      <button type="button" onClick={onManage}>
        {laterTexts.manage.open}
      </button>
    </li>
  </ol>
);
