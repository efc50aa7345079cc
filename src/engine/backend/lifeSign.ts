/** What a worker says between two rounds of long work, so that whoever waits for it knows it lives. */

/** Milliseconds between two of them at the least. */
const APART = 100;

let send: (() => void) | null = null;
let last = -Infinity;

/** Who hears of life signs in this thread; nobody by default. */
export function onLifeSign(hear: () => void): void {
  send = hear;
}

/** After each layer or chunk of work. */
export function lifeSign(): void {
  if (send === null || performance.now() - last < APART) return;
  last = performance.now();
  send();
}
