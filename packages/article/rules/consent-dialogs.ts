// SPDX-License-Identifier: MIT

import { contains, type DomElement, elementsWith, findClosest, findElements, visibleText } from "../document/dom.ts";
import { isNamed, readClass } from "../document/element-names.ts";
import { isShort } from "../document/lines.ts";
import type { Rule } from "./rule.ts";

const consentWords =
  /cookie|consent|gdpr|rgpd|dsgvo|lgpd|traceurs|datenschutz|einwilligung|privacidad|privacidade|クッキー|隐私|쿠키|файлы? куки/gi;
/** A text is about cookies if it has one of these words in so many characters. */
const charactersPerWord = 600;

/**
 * Removes the dialogs of consent managers: by the names of their vendors, and by the role of a dialog, names about cookies or
 * a button that accepts if the text is about cookies. Such a dialog is often the longest prose of a page.
 */
export const consentDialogs: Rule = {
  name: "consent-dialogs",
  isCertain(element) {
    const text = visibleText(element);
    return [...text.matchAll(consentWords)].length * charactersPerWord >= text.length;
  },
  *apply(body) {
    for (const element of elementsWith(body, "id,class")) {
      const isVendor = vendorId.test(element.id) || vendorClass.test(readClass(element));
      if (isVendor && element.querySelector("h1,article,main") === null) yield element;
    }
    for (const element of findElements(body, "div,section,aside,form,dialog")) {
      const isDialog = element.localName === "dialog" || /dialog$/.test(element.getAttribute("role") ?? "");
      if (!isDialog && !isNamed(element, consentNames)) continue;
      if (element.querySelector("h1,article,main") !== null || element.closest("article,main") !== null) continue;
      if (visibleText(element).search(consentWords) >= 0) yield element;
    }
    const texts = new Map<DomElement, string | undefined>();
    for (const button of findElements(body, "button,a,input")) {
      const label = visibleText(button) || (button.getAttribute("value") ?? "");
      if (!accepts.test(label) || findClosest(button, content) !== null) continue;
      const notice = findNotice(button, texts);
      if (notice !== undefined) yield notice;
    }
  },
};

/** The largest box around a button that has a notice about cookies and hardly any other text. */
function findNotice(button: DomElement, texts: Map<DomElement, string | undefined>): DomElement | undefined {
  let notice: DomElement | undefined;
  let length = 0;
  for (let box = button.parentElement; box !== null && box.localName !== "body"; box = box.parentElement) {
    if (!texts.has(box))
      texts.set(box, isShort(box, maxDialog) && !contains(box, content) ? visibleText(box) : undefined);
    const text = texts.get(box);
    if (text === undefined || (text.length > maxNotice && !isDense(text))) break;
    if (notice !== undefined && text.length > length + maxLabel) break;
    if (text.length < minNotice || text.search(consentWords) < 0) continue;
    notice = box;
    length = text.length;
  }
  return notice;
}

/** Whether a longer text is about cookies throughout, such as one with the purposes of each kind. */
const isDense = (text: string) => [...text.matchAll(consentWords)].length * charactersPerWordOfDialog >= text.length;

const content = new Set(["h1", "article", "main", "img", "table", "pre"]);
/** Characters. */
const minNotice = 60;
const maxNotice = 1200;
const maxDialog = 6000;
const charactersPerWordOfDialog = 200;
const maxLabel = 60;
const accepts =
  /^(?:i |yes,? i |ich |j['’]|tout |alle[ns]? (?:cookies )?|allow |ok,? )?(?:accept|agree|allow|consent|got it|ok(?:ay)?$|understand|akzeptier|zustimm|einverstanden|verstanden|erlaub|accept|autoris|d['’]accord|acept|de acuerdo|entendido|concord|accett|akceptuj|zgadzam|akkoord|godkänn|godta|tillad|hyväksy|souhlas|elfogad|kabul|прин(?:ять|имаю)|соглас|同意|接受|동의|許可|了解)/i;

const vendorId =
  /^(?:onetrust-consent-sdk|onetrust-pc-sdk|onetrust-banner-sdk|CybotCookiebotDialog|didomi-host|usercentrics-root|uc-main-dialog|truste-consent-track|consent_blackbar|cookie-law-info-bar|cmplz-cookiebanner-container|iubenda-cs-banner|BorlabsCookieBox|klaro|qc-cmp2-container|sp_message_container.*|cmpbox|cmpwrapper|cookiescript_injected|gdpr-consent-tool-wrapper|moove_gdpr_cookie_modal|ccc|hs-eu-cookie-confirmation|tarteaucitronRoot|axeptio_overlay)$/;
const vendorClass = /(?:^| )(?:osano-cm-window|cky-consent-container|cky-modal|cc-window|fc-consent-root)(?: |$)/;
const consentNames = new Set(
  "cookie cookies consent gdpr ccpa cookiebanner cookieconsent cookiebar cookienotice rgpd dsgvo lgpd".split(" "),
);
