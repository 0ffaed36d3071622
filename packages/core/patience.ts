/** Milliseconds in which a call tries again what another one was in the way of. */
const patience = 4000;
const firstPause = 10;
const longestPause = 200;

/**
 * Attempts at something that others may be in the way of, until patience ends: the first at once, the others after
 * pauses of random, growing length, so that those who wait for each other find their turns.
 */
export async function* attempts(): AsyncGenerator<number> {
  const end = performance.now() + patience;
  let pause = firstPause;
  for (let attempt = 1; performance.now() < end; attempt++) {
    yield attempt;
    await new Promise((resolve) => setTimeout(resolve, Math.random() * pause));
    pause = Math.min(2 * pause, longestPause);
  }
}
