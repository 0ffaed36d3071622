// SPDX-License-Identifier: MIT

import { closestOf, contains, type DomElement, elementsOf, lettersOf, visibleText } from "../document/dom.ts";
import { isNamed } from "../document/element-names.ts";
import { linkDensity } from "../document/prose.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes short paragraphs that repeat on every page of a site: pointers to other stories, requests to subscribe, to share
 * or to follow, publication times, tags, names of contributors and copyright. Only a whole paragraph or list item is removed,
 * or a small heading.
 */
export const boilerplateLines: Rule = {
  name: "boilerplate-lines",
  *apply(article) {
    for (const line of elementsOf(article, lines)) {
      const isInline = /^(?:span|a|i)$/i.test(line.localName);
      if (contains(line, blocks) || (isInline && !isWholeBlock(line))) continue;
      const text = visibleText(line);
      const isLabel = [advertisement, contents, kicker, announcement].some((pattern) => pattern.test(text));
      if (!isLabel && (/^(?:h[23]|summary)$/i.test(line.localName) || contains(line, "img"))) continue;
      const isJunk = text.length <= maxLineLength ? isBoilerplate(text, line) : isListOfPointers(line);
      const isControl = control.test(text);
      if ((isControl || isJunk) && closestOf(line, isControl ? "pre" : "pre,blockquote,table") === null)
        yield line.localName === "figcaption" ? (closestOf(line, "figure") ?? line) : line;
    }
  },
};

const lines = "p,li,div,section,h2,h3,h4,h5,h6,summary,figcaption,span,a,i";
const blocks = new Set("p,li,div,section,table,pre,ul,h1,h2,h3".split(","));
const maxLineLength = 320;

/** Whether an inline element is beside blocks, as all the text of a line. */
function isWholeBlock(element: DomElement): boolean {
  const parent = element.parentElement;
  return parent !== null && /^(?:div|section|article|li)$/i.test(parent.localName) && contains(parent, blocks);
}

function isBoilerplate(text: string, line: DomElement): boolean {
  const next = line.nextElementSibling ?? line.parentElement?.nextElementSibling;
  if (language.test(text)) return next?.localName === "pre";
  if (contents.test(text)) return next?.querySelector("a,li") == null;
  if (announcement.test(text)) return line.nextElementSibling?.querySelector("a") == null;
  if (text.length <= maxButtonLength && isButton(line)) return true;
  if (advertisement.test(text) || kicker.test(text) || whole.some((pattern) => pattern.test(text))) return true;
  if (![pointer, tagged, bracketed, request].some((pattern) => pattern.test(text))) return false;
  return line.querySelector("a") !== null || linkDensity(line.parentElement ?? line) > 0.5;
}

/** Whether a line has only links that look like buttons. */
function isButton(line: DomElement): boolean {
  const buttons = line.localName === "a" ? [line] : elementsOf(line, "a");
  const text = buttons.map((button) => lettersOf(button.textContent)).join("");
  return text !== "" && text === lettersOf(line.textContent) && buttons.every((button) => isNamed(button, buttonNames));
}

const buttonNames = new Set(["btn", "button", "cta"]);
const maxButtonLength = 40;

/** A line such as "Don't miss", a line break, and links to other stories on lines of the same paragraph. */
function isListOfPointers(line: DomElement): boolean {
  const label = line.querySelector("br")?.previousSibling ?? null;
  return label !== null && pointer.test(visibleText(label)) && linkDensity(line) > mostlyLinks;
}

const mostlyLinks = 0.6;

/** The language of the code below. */
const language =
  /^(?:jsx?|tsx?|javascript|typescript|html|s?css|json|ya?ml|xml|bash|sh|shell|console|python|java|c|c\+\+|cpp|c#|csharp|go|rust|ruby|php|sql|kotlin|swift|(?:plain ?)?text|diff|toml|graphql|powershell|markdown)(?: ?copy)?$/i;

/** The label of a table of contents, which was a menu if no list follows. */
const contents = /^(?:table of contents?|on this page|in this (?:article|guide)|jump to (?:a )?section)\W*$/i;

/** A heading that says only how new the story is. */
const kicker = /^breaking(?: news)?\W*$/i;

/** "[VIDEO]" after a linked headline. */
const tagged = /^.{24,}\[\p{Lu}{4,}\]\W*$/u;

/** A pointer in brackets. */
const bracketed = /^[[(]\s*(?:(?:also )?read|related|see also|(?:want )?more|watch)\b.{0,200}[\])]$/i;

/** Words before a link to another story. */
export const pointer =
  /^\W*(?:more(?=\s*:)|(?:also )?(?:read|see|watch|listen)(?: (?:more|also|next|now|this))?|read (?:more|also|next)\b.{0,20}|related(?: (?:stories|articles?|news|content|reading|reads|posts?))?|more (?:on|from|about) .{1,40}|(?:more|full|top) stor(?:y|ies)|more great .{2,30} stories|recommended(?: reading)?|you (?:may|might) (?:also )?(?:like|be interested in)|don['’]t miss|(?:lesen sie|mehr zum thema|auch interessant|lesetipp).{0,20}|(?:à )?lire aussi|voir aussi|sur le même sujet|(?:lea|lee|ver|mira|vea) (?:también|más|además)|(?:te|le) puede interesar|leggi anche|(?:leia|veja|saiba) (?:também|mais)|lees ook|(?:czytaj|zobacz|przeczytaj) (?:też|także|również|więcej)|читайте (?:также|еще|ещё)|читать (?:также|далее)|(?:ilgili|ayrıca) .{0,12}|関連記事|あわせて読みたい|相关阅读|延伸閱讀|관련기사|اقرأ أيضا.?|قد يهمك|läs (?:också|även|mer)|les også|læs også|lue myös|přečtěte si|čtěte také|olvasta már)\s*(?:[:：|>»–-]|\.{3}|…|$)/iu;

/** The label of other stories. If they are still there, "link-lists" removes both. */
const announcement =
  /^(?:read next|up next|you (?:may|might) (?:also )?(?:like|enjoy)|recommended for you|more (?:in this category|like this)|related(?: (?:news|stories|articles?|posts?|content|questions?|coverage))?|.{0,30} news (?:e-?mails?|alerts?))\W*$/i;

/** Requests with a link. */
const request =
  /^\W*(?:(?:read|see|view|watch|get|check(?: out)?) (?:(?:the|our|my|full|entire|complete|whole) ){1,3}(?:review|story|article|post|report|series|guide|recipe|transcript|interview)s?\W*$|(?:please |to )?(?:click|tap) here to (?:subscribe|sign up|donate|join|follow|get our)\b.*|(?:subscribe|sign up|register)\b.*\b(?:newsletter|e-?mail|inbox|updates?|alerts?)|(?:get|receive)\b.*\b(?:inbox|newsletter|e-?mail(?:ed)?)\b|(?:follow|like|find) (?:us|me|him|her|them) on\b.*|follow @.*|(?:follow|like) .{1,60} on (?:facebook|twitter|instagram|x|linkedin|youtube|telegram|google)|join (?:our|the) (?:newsletter|telegram|whatsapp|facebook|mailing|discord|conversation).*|download (?:our|the) .{0,30}app\b|support (?:us|our|independent)\b.*|donate\b.*|(?:folgen sie uns|abonnieren sie|abonnez-vous|suivez-nous|suscríbete|síguenos|iscriviti|seguici|assine|siga-nos|подписывайтесь|подпишитесь)\b.*)/iu;

/** The label of a box, which may contain an image. */
const advertisement =
  /^(?:advertisement|advert|sponsored(?: content)?|anzeige|werbung|publicité|publicidad|pubblicità|advertentie|реклама|広告|广告|廣告|annons|reklama|reklam)\W*$/i;

/** Labels of controls, which boards also show in quotations. */
const control =
  /^(?:click to (?:expand|enlarge)|(?:scroll|swipe) (?:for|to (?:see|view))(?: more)?|(?:show|hide) caption)\W*$/i;

/** A disclosure of commissions. */
const affiliate =
  /^(?=.*\b(?:affiliate|commissions?|compensat\w+)\b)(?=.*\b(?:we|i|us|this (?:post|article|page|site|blog|website)|our (?:site|links|readers))\b)(?=.*\b(?:links?|purchases?|buy|click)\b)(?=.*\b(?:may|might|can|could|will|contains?|earns?|receives?|supports?|get)\b).{20,320}$/i;

/** Complete lines without a link. */
const whole = [
  /^(?:skip|jump) (?:directly )?to .{2,40}$/i,
  /^(?:(?:download|print|share|save|e-?mail|pdf|bookmark|listen|copy(?: link)?|facebook|twitter|whatsapp|linkedin|drucken|teilen|merken|speichern|herunterladen|anhören|imprimer|partager|enregistrer|imprimir|compartir|guardar|this|page|article|as|to|on|x)[\s&|/·,•+-]*){1,8}$/i,
  /^(?:and|or|by|(?:edited|reviewed|written) by|posted|updated|published|source|via|tags?|in|on|von|und)\s*[:|·•]?$/i,
  /^(?:purchase licensing rights|our standards: the thomson reuters).*$/i,
  /^(?:first |last |originally )?(?:published|updated|posted|modified|edited|reviewed)(?: (?:on|at|by))?\s*:?\s.{0,50}\d{1,4}.{0,30}$/i,
  /^(?:(?:© ?)?copyright (?:©|@|\d)|© ?\d|\(c\) ?(?:19|20)\d\d).{0,200}$/i,
  /^except (?:as|where) otherwise (?:noted|stated),.{0,120}\blicen[cs]ed under\b.{0,200}$/i,
  /^.{0,60}\ball rights reserved\b.{0,80}$/i,
  /^(?:share|share this|share this (?:article|story|post|page).{0,30}|tweet|tweet this|print|print this (?:page|article)|email this|scroll to continue(?: with content)?|article continues (?:below|after).{0,40}|story continues below.{0,40}|continue reading below|loading\b.{0,20})\W*$/i,
  /^(?:click here to (?:subscribe|sign up|join|donate)|(?:like|enjoyed?) (?:this|what you).{0,30}\? ?(?:share|subscribe|follow|join|sign up|support)|tell us what you think|have your say|this document is subject to copyright)\b.*$/i,
  /^(?:this (?:article|story|post) (?:first|originally) appeared|this (?:article|story|post) was (?:originally|first) published)\b.*$/i,
  /^(?:(?:view|read|show|post|leave|add) )?(?:a |all )?(?:\d+ )?comments?(?: \(?[\d+]+\)?)?$/i,
  /^(?:.+ contributed (?:reporting\b|to this (?:report|story|article)\b).{0,60}|\(?(?:(?:additional )?reporting|writing|editing) by .+)$/i,
  /^(?:read|learn|see|show|view|find out) more\W*$/i,
  /^\W*(?:previous|prev|next)(?: (?:page|post|article|chapter|lesson|section))?\W*$/i,
  /^(?:add to (?:cart|bag|basket|compare|wish ?list|list|favou?rites)|quick view|view all|shop now|continue shopping|sort(?: by)?:.{0,40})$/i,
  /^(?:showing )?(?:all )?\(?(?:\d+ ?[–-] ?\d+ of )?[\d,]+ (?:products|items|results)\)?$/i,
  /^(?:tags|filed under|posted in): .{2,120}$/i,
  /^(?:all )?comments (?:for .{1,40} )?(?:are|have been) (?:now )?(?:closed|disabled|turned off|moderated)\b.*$/i,
  /^(?:was|is|did) this(?: \w+)? (?:helpful|useful|help(?: you)?|forwarded to you)\b.{0,80}$/i,
  /^(?:image|photo|slide|bild|foto|page|seite|página) \d+ (?:of|von|de) \d+$/i,
  /^\D{0,60}\b\d+[ -]?min(?:ute)?s?\.? read(?:ing time)?$|^(?:(?:estimated )?reading time|lesezeit|temps de lecture|tiempo de lectura)\b.{0,30}$/i,
  /^by (?:signing up|subscribing|submitting|registering|entering your|clicking|providing your)\b.*\b(?:agree|accept|consent|acknowledge)\b.*$/i,
  /^(?:thank you for|thanks for|please|read) .{0,60}\bcomment(?:s|ing)? (?:policy|guidelines)\b.*$/i,
  /^(?:\W*thank you for (?:submitting|completing|subscribing|signing up)|please enter a valid|(?:no spam|unsubscribe)\b.*\b(?:unsubscribe|at any ?time)).{0,60}$/i,
  /^(?:our|this) (?:journalism|reporting|newsroom|story|article|work) (?:is|was) (?:free|funded|supported|powered|made possible)\b.*\b(?:readers?|members?|donat\w+|supporters)\b.*$/i,
  /^(?:media playback is (?:un|not )supported|your browser does not support|(?:please enable|this page needs) javascript)\b.{0,80}$/i,
  /^more on [^.!?]{1,40}$/i,
  /^(?:subscribe|sign up)(?: now| today| here)?\W*$/i,
  /^(?:back to top|nach oben|retour en haut|volver arriba)\W*$/i,
  /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?$/,
  /^(?:(?:want|need) more .{1,30}\? ?)?(?:subscribe|get a subscription) (?:to|of) our (?:sister )?.{0,30}\b(?:title|publication|magazine|channel|podcast)\b.*$/i,
  /^\(?visited [\d.,]+ times\b.{0,40}$/i,
  /^\{\{[^{}]*\}\}$|^\[[a-z_]+ [a-z]+=[^\]]*\].{0,80}$/,
  /^[+×✕✖−.·|▲▼▾▸►]$/,
  affiliate,
  /^(?:have a (?:news )?tip|got a (?:news )?tip|what do you think\?|let us know (?:what you think )?in the comments).*$/i,
];
