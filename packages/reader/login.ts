import { type DomDocument, type DomElement, visibleText } from "./dom.ts";
import { nameWordsOf } from "./element-names.ts";
import { mainContainer } from "./main-container.ts";
import { declaresArticle } from "./page-type.ts";
import { proseLength } from "./prose.ts";
import { type Thing, thingsOf } from "./structured-data.ts";
import { isHidden, isShown } from "./visibility.ts";

/**
 * Whether a page appears to hold a login form: one that asks for one password and is not a registration, or for a name
 * to log in with, or a wall that says to log in. A box beside an article that can be read without it does not count. docs/decisions/reader-login.md
 * states the rule.
 */
export function findLogin(document: DomDocument): boolean {
  // A form that is not shown yet opens on a click; loose fields that are not shown are parts of other dialogs.
  const fields = [...document.querySelectorAll("input[type=password i]")].filter(
    (field) => field.closest("form") !== null || isShown(field),
  );
  const passwordForms = [...new Set(fields.map((field) => formOf(field, document)))];
  const logins = [
    ...passwordForms.filter((form) => asksForOnePassword(form) && isForLogin(form) && !isRegistration(form)),
    ...[...document.querySelectorAll("form")].filter(isFirstStep),
  ];
  if (isLoginWall(document)) return true;
  if (logins.length === 0) return false;
  return !showsArticle(document) || logins.some((form) => !isBeside(form));
}

/** A page that says to log in, and either shows little else and links to the login, or is declared not to be free. */
function isLoginWall(document: DomDocument): boolean {
  const text = visibleText(document.body);
  if (!wallPhrase.test(text)) return false;
  if (thingsOf(document).some(isKeptBack)) return true;
  return (
    proseLength(document.body) < wallProse &&
    [...document.querySelectorAll("a[href]")].some((link) => loginName.test(link.getAttribute("href") ?? ""))
  );
}

const wallPhrase =
  /you (?:must|need to|have to) (?:be )?(?:logg?(?:ed)?|sign(?:ed)?)[ -]?(?:in|on)\b(?! to (?:post|comment|reply|vote|leave|write))|(?:log|sign) ?in to (?:continue|read|view|access|see)\b|melden sie sich an, um|connectez-vous pour (?:lire|continuer)|inicia sesión para (?:leer|continuar)/i;
/** Characters; more is a page of its own, of which a part is for members. */
const wallProse = 600;

function isKeptBack({ isAccessibleForFree }: Thing): boolean {
  return /^false$/i.test(String(isAccessibleForFree));
}

/** Whether the page is an article, and so much of it is there that it was not kept back. */
function showsArticle(document: DomDocument): boolean {
  if (!declaresArticle(document, thingsOf(document)) && document.querySelectorAll("article").length !== 1) return false;
  return proseLength(mainContainer(document)) >= articleProse;
}

/** Characters; what a login wall leaves to read is shorter. */
const articleProse = 1500;

/** The form of a field; without one, what surrounds the field and at least one other. */
function formOf(field: DomElement, document: DomDocument): DomElement {
  const form = field.closest("form");
  if (form !== null) return form;
  let around = field.parentElement;
  while (around !== null && around.querySelectorAll("input").length < 2) around = around.parentElement;
  return around ?? document.body;
}

function asksForOnePassword(form: DomElement): boolean {
  return form.querySelectorAll("input[type=password i]").length === 1;
}

const loginButton =
  /^(?:log ?in|sign ?in|log on|continue to log ?in|einloggen|se connecter|iniciar sesión|entrar|accedi|inloggen|войти|zaloguj się|ログイン|登录|로그인)$/;

const loginName = /log[-_ ]?[io]n|sign[-_ ]?in|auth|session|account/i;

const loginWording = /\b(?:log|sign)[ -]?in\b/i;

/** A form of nothing but a password may as well unlock a file or measure how strong it is. */
function isForLogin(form: DomElement): boolean {
  if ([...form.querySelectorAll("input")].some((field) => isTextField(field) && !isHidden(field))) return true;
  const names = [...nameWordsOf(form), form.getAttribute("action") ?? ""].join(" ");
  return loginName.test(names) || loginButton.test(submitText(form).trim()) || loginWording.test(visibleText(form));
}

/** A login that asks for the name alone, and for the password on its next page. */
function isFirstStep(form: DomElement): boolean {
  if (form.querySelector("input[type=password i]") !== null) return false;
  const textFields = [...form.querySelectorAll("input")].filter(isTextField);
  const names = [...nameWordsOf(form), form.getAttribute("action") ?? ""].join(" ");
  return textFields.length === 1 && loginName.test(names) && loginButton.test(submitText(form).trim());
}

const registrationWord = /^(?:regist|signup$|anmeld.*neu|inscri|cadastr|rejestr|зарег|регистр|登録|注册)/;
const registrationPhrase =
  /sign[\s_-]*up|create (?:an |your |my )?account|join now|konto erstellen|crear cuenta|créer un compte/;
/** A login asks for a name and at times one thing more; a registration for the person. */
const mostLoginFields = 3;

function isRegistration(form: DomElement): boolean {
  const textFields = [...form.querySelectorAll("input")].filter((field) => isTextField(field) && !isHidden(field));
  if (textFields.length > mostLoginFields) return true;
  const texts = [nameWordsOf(form).join(" "), submitText(form)];
  return texts.some(
    (text) => registrationPhrase.test(text) || text.split(/[^\p{L}]+/u).some((word) => registrationWord.test(word)),
  );
}

function isTextField(field: DomElement): boolean {
  return /^(?:text|email|tel|url|number|date)?$/i.test(field.getAttribute("type") ?? "");
}

/** The text of the form's first button; a second one often leads to the registration. */
function submitText(form: DomElement): string {
  const button = form.querySelector("button,input[type=submit i],input[type=button i]");
  return button === null ? "" : (button.getAttribute("value") ?? visibleText(button)).toLowerCase();
}

/** In the page's header, navigation or side bar, in a dialog, or not shown. */
function isBeside(form: DomElement): boolean {
  for (let around: DomElement | null = form; around !== null; around = around.parentElement) {
    if (
      isHidden(around) ||
      besideElements.has(around.localName) ||
      nameWordsOf(around).some((word) => besideNames.has(word))
    ) {
      return true;
    }
  }
  return false;
}

const besideElements = new Set(["header", "nav", "aside", "footer", "dialog", "noscript"]);
const besideNames = new Set([
  ...["header", "top", "topbar", "nav", "navbar", "menu", "sidebar", "aside", "footer", "modal", "popup", "dropdown"],
  ...["overlay", "dialog", "lightbox", "offcanvas", "drawer", "widget", "comments", "respond"],
]);
