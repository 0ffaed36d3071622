// SPDX-License-Identifier: MIT

import { useId } from "preact/hooks";
import { signInTexts } from "../../kit/sign-in-texts.ts";

const text = signInTexts.account;

export const StaySignedIn = () => {
  const explanation = useId();
  return (
    <>
      <label class="check">
        <input type="checkbox" name="stay" aria-describedby={explanation} />
        {text.stay}
      </label>
      <p class="hint" id={explanation}>
        {text.stayExplained}
      </p>
    </>
  );
};
