// SPDX-License-Identifier: MIT

/** Characters of a pattern for which one integer has a bit each. */
const blockLength = 32;

/** The number of character comparisons that one step of a block, or the work outside blocks, counts as. */
const costOfBlock = 5;
const costOfStep = 10;

/**
 * Reads a text, character by character, and returns for each the fewest errors (missing, added or different characters)
 * with which a pattern ends there. It keeps the differences between the rows of a column of the matrix of edit
 * distances as bits (G. Myers, A fast bit-vector algorithm for approximate string matching, J. ACM 46(3), 1999), and
 * leaves out the blocks of rows with more errors than the caller allows.
 */
export class SimilarityMatcher {
  /** Passages with more errors are not asked for; it may be lowered. */
  maxErrors: number;
  /** The work so far, in comparisons of characters. */
  work = 0;
  /** The most work of one character. */
  readonly maxWork: number;
  /** By character: the places that have it in each block of the pattern, as bits. */
  readonly #places = new Map<number, Int32Array>();
  readonly #noPlaces: Int32Array;
  /** By block: the rows with one error more, and with one error less, than the row before. */
  readonly #more: Int32Array;
  readonly #less: Int32Array;
  /** By block: the errors in its last row, and the number of that row. */
  readonly #errors: Int32Array;
  readonly #lastRows: Int32Array;
  /** The last block that is not left out. */
  #active: number;

  constructor(pattern: string, maxErrors: number) {
    this.maxErrors = maxErrors;
    const blocks = Math.ceil(pattern.length / blockLength);
    this.maxWork = blocks * costOfBlock + costOfStep;
    this.#noPlaces = new Int32Array(blocks);
    this.#more = new Int32Array(blocks).fill(-1);
    this.#less = new Int32Array(blocks);
    this.#errors = new Int32Array(blocks).map((_, block) => Math.min(pattern.length, (block + 1) * blockLength));
    this.#lastRows = this.#errors.map((errors) => (errors - 1) % blockLength);
    this.#active = Math.max(0, Math.ceil(maxErrors / blockLength) - 1);
    for (let i = 0; i < pattern.length; i++) {
      const code = pattern.charCodeAt(i);
      const places = this.#places.get(code) ?? new Int32Array(blocks);
      this.#places.set(code, places);
      const block = Math.floor(i / blockLength);
      places[block] = (places[block] as number) | (1 << (i % blockLength));
    }
  }

  /** The fewest errors of a passage that ends with this character, the next one of the text; Infinity above the maximum. */
  advance(code: number): number {
    const places = this.#places.get(code) ?? this.#noPlaces;
    const errors = this.#errors;
    const last = errors.length - 1;
    let active = this.#active;
    let difference = 0;
    for (let block = 0; block <= active; block++) {
      difference = this.#step(block, places[block] as number, difference);
      errors[block] = (errors[block] as number) + difference;
    }
    this.work += costOfStep + costOfBlock * active;
    const before = (errors[active] as number) - difference;
    if (active < last && before <= this.maxErrors && (difference < 0 || ((places[active + 1] as number) & 1) === 1)) {
      active++;
      this.#more[active] = -1;
      this.#less[active] = 0;
      const rows = (this.#lastRows[active] as number) + 1;
      errors[active] = before + rows + this.#step(active, places[active] as number, difference);
    } else {
      while (active > 0 && (errors[active] as number) >= this.maxErrors + blockLength) active--;
    }
    this.#active = active;
    const found = errors[active] as number;
    return active === last && found <= this.maxErrors ? found : Number.POSITIVE_INFINITY;
  }

  /**
   * The next column of a block. Given, and returned: the difference between this column and the one before, in the last
   * row of the block above, and of this one: 1, 0 or -1.
   */
  #step(block: number, places: number, above: number): number {
    const more = this.#more[block] as number;
    const less = this.#less[block] as number;
    const isLess = above >>> 31;
    const equal = places | isLess;
    const vertical = equal | less;
    const horizontal = ((((equal & more) + more) | 0) ^ more) | equal;
    const added = less | ~(horizontal | more);
    const removed = more & horizontal;
    const row = this.#lastRows[block] as number;
    const shifted = (added << 1) | (-above >>> 31);
    this.#more[block] = (removed << 1) | isLess | ~(vertical | shifted);
    this.#less[block] = shifted & vertical;
    return ((added >>> row) & 1) - ((removed >>> row) & 1);
  }
}
