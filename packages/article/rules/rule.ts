import type { DomElement } from "../document/dom.ts";
import type { PageType } from "../document/page-type.ts";
import { proseLength } from "../document/prose.ts";

/** The context of a rule. */
export interface RuleContext {
  title: string;
  /** Names, as the page declares them. */
  authors: readonly string[];
  /** Whether the view shows images. */
  images: boolean;
  type: PageType;
}

/** A rule that prepares a page, or improves an article that was found, which still has its class names and ids. */
export interface Rule {
  name: string;
  /** The subject of the text that the rule removes. Text nodes about it do not count as prose. */
  subject?: RegExp;
  /** Changes the tree below `root`, and yields the elements to remove. A rule itself removes no text. */
  apply(root: DomElement, context: RuleContext): Iterable<DomElement> | undefined;
}

/**
 * Applies rules in their order. The guard against a name or shape that deceives: one rule removes at most half of the prose
 * below `root`, and an element that would be more stays. If there is hardly any prose, all text counts.
 */
export function applyRules(rules: readonly Rule[], root: DomElement, context: RuleContext): void {
  const prose = proseLength(root);
  const minRun = prose < littleProse ? 1 : 25;
  let all = prose < littleProse ? proseLength(root, { counts: () => true }) : prose;
  for (const rule of rules) {
    const counts = (run: string) => run.length >= minRun && !rule.subject?.test(run);
    let left = all * maxShare;
    for (const element of rule.apply(root, context) ?? []) {
      if (!root.contains(element)) continue;
      const size = proseLength(element, { counts });
      if (size > left) continue;
      left -= size;
      all -= size;
      element.remove();
    }
  }
}

/** Characters. */
const littleProse = 200;
const maxShare = 0.5;
