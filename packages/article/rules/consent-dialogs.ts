import { elementsOf, visibleText } from "../document/dom.ts";
import { isNamed } from "../document/element-names.ts";
import type { PageRule } from "./rule.ts";

/**
 * Removes the dialogs of consent managers: by the names of their vendors, and by the role of a dialog or names about cookies
 * if the text is about cookies. Such a dialog is often the longest prose of a page.
 */
export const consentDialogs: PageRule = {
  name: "consent-dialogs",
  apply(document) {
    for (const element of document.body.querySelectorAll(vendors)) {
      if (element.querySelector("h1,article,main") === null) element.remove();
    }
    for (const element of elementsOf(document.body, boxes)) {
      const isDialog = /dialog$/.test(element.getAttribute("role") ?? "");
      if (!isDialog && !isNamed(element, consentNames)) continue;
      if (element.querySelector("h1,article,main") !== null || element.closest("article,main") !== null) continue;
      if (
        /cookie|consent|gdpr|rgpd|dsgvo|lgpd|traceurs|datenschutz|einwilligung|privacidad|privacidade|クッキー|隐私|쿠키|файлы? куки/i.test(
          visibleText(element),
        )
      )
        element.remove();
    }
  },
};

const boxes = new Set(["div", "section", "aside", "form"]);
const vendors = [
  ...["#onetrust-consent-sdk", "#onetrust-pc-sdk", "#onetrust-banner-sdk", "#CybotCookiebotDialog", "#didomi-host"],
  ...["#usercentrics-root", "#uc-main-dialog", ".osano-cm-window", "#truste-consent-track", "#consent_blackbar"],
  ...["#cookie-law-info-bar", "#cmplz-cookiebanner-container", "#iubenda-cs-banner", "#BorlabsCookieBox", "#klaro"],
  ...["#qc-cmp2-container", "[id^=sp_message_container]", "#cmpbox", "#cmpwrapper", ".cky-consent-container"],
  ...[".cky-modal", ".cc-window", "#cookiescript_injected", "#gdpr-consent-tool-wrapper", ".fc-consent-root"],
  ...["#moove_gdpr_cookie_modal", "#ccc", "#hs-eu-cookie-confirmation", "#tarteaucitronRoot", "#axeptio_overlay"],
].join(",");
const consentNames = new Set(
  "cookie cookies consent gdpr ccpa cookiebanner cookieconsent cookiebar cookienotice rgpd dsgvo lgpd".split(" "),
);
