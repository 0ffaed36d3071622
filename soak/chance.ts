/** A whole number from 0, below a limit. */
export const below = (limit: number) => Math.floor(Math.random() * limit);

export const oneOf = <T>(values: readonly T[]) => values[below(values.length)] as T;

/** None to `most` of the values, in any order; one may come twice. */
export const someOf = <T>(values: readonly T[], most: number) =>
  Array.from({ length: below(most + 1) }, () => oneOf(values));

/** One of the names, each as often as its share of all. */
export function oneByShare<Name extends string>(shares: Record<Name, number>): Name {
  const names = Object.keys(shares) as Name[];
  const all = names.reduce((sum, name) => sum + shares[name], 0);
  let left = all * Math.random();
  for (const name of names) {
    left -= shares[name];
    if (left < 0) return name;
  }
  return names[0] as Name;
}
