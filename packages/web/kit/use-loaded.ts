import { useEffect, useState } from "preact/hooks";

/** A part of the reader that is loaded after the first rendering, so that this one is early; undefined until then. */
export function useLoaded<T>(load: () => Promise<T>): T | undefined {
  const [loaded, setLoaded] = useState<{ part?: T }>({});
  useEffect(() => {
    void load().then((part) => setLoaded({ part }));
  }, []);
  return loaded.part;
}
