import type { DomDocument } from "./dom.ts";

/** Whether a page appears to hold a login form: a form with one password field (two are a registration). */
export function findLogin(document: DomDocument): boolean {
  return [...document.querySelectorAll("input[type=password]")].some((field) => {
    const form = field.closest("form") ?? document.body;
    return form.querySelectorAll("input[type=password]").length === 1;
  });
}
