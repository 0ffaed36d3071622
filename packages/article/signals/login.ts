// SPDX-License-Identifier: MIT

import {
  closestThat,
  type DomDocument,
  type DomElement,
  findClosest,
  findElements,
  visibleText,
} from "../document/dom.ts";
import { isNamed, readNameWords } from "../document/element-names.ts";
import type { Page } from "../document/page.ts";
import { proseLength } from "../document/prose.ts";
import { isHidden, isShown } from "../document/visibility.ts";

/**
 * Whether a page appears to contain a login form: a form with one password that is not a registration, a form that asks
 * for the user name only, or a login wall. A login box beside a readable article does not count. The rule is in
 * docs/decisions/text-extraction.md.
 */
export function findLogin(page: Page): boolean {
  const { document } = page;
  // A hidden form may open on a click. Hidden fields outside a form belong to other dialogs.
  const fields = passwordsIn(document.body).filter((field) => field.closest("form") !== null || isShown(field));
  const passwordForms = [...new Set(fields.map((field) => findForm(field, document)))];
  const logins = [
    ...passwordForms.filter((form) => passwordsIn(form).length === 1 && isForLogin(form) && !isRegistration(form)),
    ...findElements(document.body, "form").filter(isFirstStep),
  ];
  return isLoginWall(page) || (logins.length > 0 && !(showsArticle(page) && logins.every(isBeside)));
}

/** A page that asks to log in, and either is declared not free or has little prose and a link to the login. */
function isLoginWall({ document, structuredData }: Page): boolean {
  const links = findElements(document.body, "a");
  const isClosed =
    structuredData.some(({ isAccessibleForFree }) => /^false$/i.test(String(isAccessibleForFree))) ||
    (proseLength(document.body) < wallProse && links.some((link) => loginName.test(link.getAttribute("href") ?? "")));
  if (!isClosed || !wallPhrase.test(visibleText(document.body))) return false;
  const lines = findElements(document.body, "p,div,h1,h2,h3,h4,span,a,button,label,strong,li,td").map(visibleText);
  return lines.some((line) => line.length <= maxWallLineLength && wallPhrase.test(line));
}

/** Characters. A longer block is an article that mentions logins. */
const maxWallLineLength = 200;
const wallPhrase =
  /you (?:must|need to|have to) (?:be )?(?:logg?(?:ed)?|sign(?:ed)?)[ -]?(?:in|on)\b(?! to (?:post|comment|reply|vote|leave|write))|(?:log|sign) ?in to (?:continue|read|view|access|see)\b|melden sie sich an, um|connectez-vous pour (?:lire|continuer)|inicia sesión para (?:leer|continuar)/i;
/** Characters. A page with more is readable without a login. */
const wallProse = 600;

/** Whether the page is an article of at least 1,500 characters, so that it is not behind a login wall. */
function showsArticle(page: Page): boolean {
  if (page.type !== "article" && findElements(page.document.documentElement, "article").length !== 1) return false;
  return proseLength(page.main) >= articleProse;
}

/** Characters. The text that a login wall leaves is shorter. */
const articleProse = 1500;

/** The form of a field; without a form, the smallest element with at least two fields. */
function findForm(field: DomElement, document: DomDocument): DomElement {
  const hasTwoFields = (around: DomElement) => findElements(around, "input").length >= 2;
  return findClosest(field, "form") ?? closestThat(field, hasTwoFields) ?? document.body;
}

const fieldsIn = (element: DomElement, type: RegExp) =>
  findElements(element, "input").filter((field) => type.test(field.getAttribute("type") ?? ""));
const passwordsIn = (element: DomElement) => fieldsIn(element, /^password$/i);
const textFieldsIn = (form: DomElement) => fieldsIn(form, /^(?:text|email|tel|url|number|date)?$/i);

const loginButton =
  /^(?:log ?in|sign ?in|log on|login now|continue to log ?in|einloggen|anmelden|se connecter|connexion|iniciar sesión|ingresar|acceder|entrar|accedi|inloggen|aanmelden|logga in|logg inn?|log ind|kirjaudu(?: sisään)?|přihlásit(?: se)?|prihlásiť(?: sa)?|bejelentkezés|belépés|autentificare|conectare|giriş(?: yap)?|вход|войти|увійти|zaloguj(?: się)?|σύνδεση|đăng nhập|masuk|เข้าสู่ระบบ|تسجيل الدخول|ورود|כניסה|התחברות|ログイン|登录|登入|로그인)$/;

const loginName = /log[-_ ]?[io]n|sign[-_ ]?in|auth|session|account/i;
const ownLoginName = /log[-_ ]?[io]n|sign[-_ ]?in/i;
const loginWording = /\b(?:log|sign)[ -]?in\b/i;

/** A form with only a password may also unlock a file or measure the strength of a password. */
function isForLogin(form: DomElement): boolean {
  if (shownTextFields(form) > 0 || isCalledLogin(form)) return true;
  return loginButton.test(submitText(form)) || loginWording.test(visibleText(form));
}

function isCalledLogin(form: DomElement): boolean {
  return loginName.test([...readNameWords(form), form.getAttribute("action") ?? ""].join(" "));
}

function shownTextFields(form: DomElement): number {
  return textFieldsIn(form).filter((field) => !isHidden(field)).length;
}

/** A login that asks for the name first and for the password on the next page. */
function isFirstStep(form: DomElement): boolean {
  if (passwordsIn(form).length > 0) return false;
  return textFieldsIn(form).length === 1 && isCalledLogin(form) && loginButton.test(submitText(form));
}

const registrationWord =
  /^(?:reg[ií]st|signup$|anmeld.*neu|inscri|cadastr|rejestr|zarejestr|registr|regisztr|rekister|kayıt|kaydol|daftar|înregistr|inregistr|εγγραφ|зарег|регистр|реєстр|đăng ?ký|สมัคร|ثبت|إنشاء|הרשמ|登録|注册|註冊|会員登録|회원가입|가입)/;
const registrationPhrase =
  // bounded: the process that reads a page is ended after a fixed time
  /sign[\s_-]*up|create[\s_-]*(?:(?:an|your|my|new) [\s_-]*)?account|join now|konto (?:erstellen|anlegen)|crear (?:una )?cuenta|créer (?:un|mon) compte|criar conta|crea (?:un )?account|account aanmaken|skapa konto|opret|załóż konto|đăng ký|hesap oluştur|新規登録|회원 ?가입|bli medlem|opret bruger|luo (?:tili|tunnus)|создать (?:аккаунт|учетную|учётную)|створити|vytvo[rř]i[tť] [uú][cč]et|fiók létrehoz|creeaz[aă] (?:un )?cont|创建(?:账|帐)|(?:創建|建立)帳|アカウント(?:を)?作成|계정 만들기|δημιουργία|buat akun|free trial|reset (?:my |your )?password|change (?:my |your )?password|generate/;
/** A registration asks for more about the person. */
const maxLoginFields = 3;

function isRegistration(form: DomElement): boolean {
  if (shownTextFields(form) > maxLoginFields) return true;
  // The form's own name is more reliable than its first button, which may lead to the registration.
  const name = `${readNameWords(form).join(" ")} ${form.getAttribute("name")?.toLowerCase() ?? ""}`;
  if (ownLoginName.test(name)) return false;
  return saysRegistration(name) || saysRegistration(submitText(form));
}

function saysRegistration(text: string): boolean {
  return registrationPhrase.test(text) || text.split(/[^\p{L}]+/u).some((word) => registrationWord.test(word));
}

/** The text of the form's first button. A second one often leads to the registration. */
function submitText(form: DomElement): string {
  const button = form.querySelector("button,input[type=submit i],input[type=button i]");
  return button === null ? "" : (button.getAttribute("value") ?? visibleText(button)).toLowerCase().trim();
}

/** Whether a form is hidden, or in a header, navigation, side bar or dialog. */
function isBeside(form: DomElement): boolean {
  const isBox = (box: DomElement) => besideElements.has(box.localName) || isNamed(box, besideNames);
  return closestThat(form, (around) => isHidden(around) || isBox(around)) !== null;
}

const besideElements = new Set(["header", "nav", "aside", "footer", "dialog", "noscript"]);
// biome-ignore format: a line holds many short names
const besideNames = new Set([
  "header", "top", "topbar", "nav", "navbar", "menu", "sidebar", "aside", "footer", "modal", "popup", "dropdown",
  "overlay", "dialog", "lightbox", "offcanvas", "drawer", "widget", "comments", "respond",
]);
