/** Generators that fail as one without memory does. */
import type { Page, Worker } from '@playwright/test';

/** Breaks the page's first `count` workers that answer a request, each by an error that nobody catches there. */
export function breakWorkers(page: Page, count: number): void {
  let left = count;
  page.on('worker', (worker: Worker) => {
    if (left === 0) return;
    worker
      .evaluate(
        () =>
          new Promise<void>((resolve) => {
            const post = globalThis.postMessage.bind(globalThis);
            globalThis.postMessage = (message: { type: string }) => {
              if (message.type !== 'progress') return post(message);
              resolve();
              setTimeout(() => {
                throw new RangeError('Array buffer allocation failed');
              });
            };
          }),
      )
      .then(
        () => (left -= 1),
        () => undefined,
      );
  });
}
