// SPDX-License-Identifier: MIT

import { useEffect, useState } from "preact/hooks";

/** A value that components show, and that changes outside of them. */
export class Observable<T> {
  #value: T;
  readonly #listeners = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set value(value: T) {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of this.#listeners) listener(value);
  }

  /** Calls `listener` at each change, until the function that it returns is called. */
  subscribe(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The value; the component is rendered again when it changes. */
export function useObservable<T>(observable: Observable<T>): T {
  const [, setShown] = useState<unknown>();
  const { value } = observable;
  useEffect(() => {
    const show = (value: T) => setShown({ value });
    // It may have changed between the rendering and this effect.
    if (observable.value !== value) show(observable.value);
    return observable.subscribe(show);
  }, [observable]);
  return value;
}
