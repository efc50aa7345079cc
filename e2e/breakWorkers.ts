/** Generators that fail as they do when memory runs out. */
import type { Page } from '@playwright/test';
import { fetchedAnswer } from '@rl-playground/base/testing/fetchedAnswer';

/** Code put before the program of a generator: its first report of progress throws an error that nothing in the worker catches. */
const FAULT = `{
  const post = globalThis.postMessage.bind(globalThis);
  globalThis.postMessage = (message, ...rest) => {
    if (message.type !== 'progress') return post(message, ...rest);
    setTimeout(() => {
      throw new RangeError('Array buffer allocation failed');
    });
  };
}
`;

/** Breaks the next `count` generators that the page starts, each as soon as it answers a request. */
export async function breakWorkers(page: Page, count: number): Promise<void> {
  let left = count;
  await page.route(/\/worker-[^/]*\.js$/, async (route) => {
    if (left === 0) return route.continue();
    left -= 1;
    const response = await fetchedAnswer(route);
    return route.fulfill({ response, body: `${FAULT}${await response.text()}` });
  });
}
