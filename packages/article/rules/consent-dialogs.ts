// SPDX-License-Identifier: MIT

import { elementsOf, visibleText } from "../document/dom.ts";
import { classOf, isNamed } from "../document/element-names.ts";
import type { Rule } from "./rule.ts";

const consentWords =
  /cookie|consent|gdpr|rgpd|dsgvo|lgpd|traceurs|datenschutz|einwilligung|privacidad|privacidade|クッキー|隐私|쿠키|файлы? куки/gi;
/** A text is about cookies if it has one of these words in so many characters. */
const charactersPerWord = 600;

/**
 * Removes the dialogs of consent managers: by the names of their vendors, and by the role of a dialog or names about cookies
 * if the text is about cookies. Such a dialog is often the longest prose of a page.
 */
export const consentDialogs: Rule = {
  name: "consent-dialogs",
  isCertain(element) {
    const text = visibleText(element);
    return [...text.matchAll(consentWords)].length * charactersPerWord >= text.length;
  },
  *apply(body) {
    for (const element of body.querySelectorAll("[id],[class]")) {
      const isVendor = vendorId.test(element.id) || vendorClass.test(classOf(element));
      if (isVendor && element.querySelector("h1,article,main") === null) yield element;
    }
    for (const element of elementsOf(body, "div,section,aside,form")) {
      const isDialog = /dialog$/.test(element.getAttribute("role") ?? "");
      if (!isDialog && !isNamed(element, consentNames)) continue;
      if (element.querySelector("h1,article,main") !== null || element.closest("article,main") !== null) continue;
      if (visibleText(element).search(consentWords) >= 0) yield element;
    }
  },
};

const vendorId =
  /^(?:onetrust-consent-sdk|onetrust-pc-sdk|onetrust-banner-sdk|CybotCookiebotDialog|didomi-host|usercentrics-root|uc-main-dialog|truste-consent-track|consent_blackbar|cookie-law-info-bar|cmplz-cookiebanner-container|iubenda-cs-banner|BorlabsCookieBox|klaro|qc-cmp2-container|sp_message_container.*|cmpbox|cmpwrapper|cookiescript_injected|gdpr-consent-tool-wrapper|moove_gdpr_cookie_modal|ccc|hs-eu-cookie-confirmation|tarteaucitronRoot|axeptio_overlay)$/;
const vendorClass = /(?:^| )(?:osano-cm-window|cky-consent-container|cky-modal|cc-window|fc-consent-root)(?: |$)/;
const consentNames = new Set(
  "cookie cookies consent gdpr ccpa cookiebanner cookieconsent cookiebar cookienotice rgpd dsgvo lgpd".split(" "),
);
