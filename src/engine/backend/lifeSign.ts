/** Life signs of a worker between two rounds of long work, so that the thread that waits for it knows that it is alive. */

/** The least time between two life signs, in milliseconds. */
const APART = 100;

let send: (() => void) | null = null;
let last = -Infinity;

/** Sets the listener to life signs in this thread. There is none by default. */
export function onLifeSign(hear: () => void): void {
  send = hear;
}

/** Gives a life sign. Long work calls it after each layer or chunk. */
export function lifeSign(): void {
  if (send === null || performance.now() - last < APART) return;
  last = performance.now();
  send();
}
