// SPDX-License-Identifier: MIT

/** A route with the parameters of the path as sent, percent-encoded. */
interface Found<Route> {
  route: Route;
  parameters: Record<string, string>;
}

/**
 * Finds the route of a method and a path. A pattern is both, such as `PATCH /api/bookmarks/{id}`, in which a parameter
 * stands for one part of the path, `{path+}` for the rest of it, and `ANY` for every method. Paths without parameters go
 * first; a slash at the end is ignored.
 */
export function createRouter<Route extends { route: string }>(routes: readonly Route[]) {
  const patterns = routes.map((route) => ({ route, pattern: new RegExp(`^${toPattern(route.route)}$`) }));
  const isFixed = ({ route }: Route) => !route.includes("{");
  const ordered = [
    ...patterns.filter(({ route }) => isFixed(route)),
    ...patterns.filter(({ route }) => !isFixed(route)),
  ];
  return (method: string, path: string): Found<Route> | undefined => {
    const called = `${method} ${path.replace(/\/$/, "") || "/"}`;
    for (const { route, pattern } of ordered) {
      const match = pattern.exec(called);
      if (match) return { route, parameters: { ...match.groups } };
    }
    return undefined;
  };
}

const toPattern = (route: string) =>
  route
    .replace(/^ANY /, "[A-Z]+ ")
    .split(/(\{\w+\+?\})/)
    .map((part) => {
      const [, name, isRest] = /^\{(\w+)(\+?)\}$/.exec(part) ?? [];
      return name === undefined ? part.replaceAll(".", "\\.") : `(?<${name}>${isRest ? ".*" : "[^/]+"})`;
    })
    .join("");
