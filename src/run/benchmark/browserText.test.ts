import { expect, it } from 'vitest';
import { browserText } from './browserText.ts';

const MOZILLA = 'Mozilla/5.0';
const KHTML = 'AppleWebKit/537.36 (KHTML, like Gecko)';

it.each([
  [`${MOZILLA} (X11; Linux x86_64) ${KHTML} HeadlessChrome/150.0.0.0 Safari/537.36`, 'Chrome 150, Linux'],
  [
    `${MOZILLA} (Windows NT 10.0; Win64; x64) ${KHTML} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0`,
    'Edge 141, Windows',
  ],
  [`${MOZILLA} (Linux; Android 10; K) ${KHTML} Chrome/141.0.0.0 Mobile Safari/537.36`, 'Chrome 141, Android'],
  [`${MOZILLA} (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0`, 'Firefox 145, Linux'],
  [
    `${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15`,
    'Safari 26.1, macOS',
  ],
  [
    `${MOZILLA} (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1`,
    'Safari 26.0, iOS',
  ],
  ['', 'Unknown browser, unknown system'],
])('names browser and system of %s', (userAgent, text) => {
  expect(browserText(userAgent)).toBe(text);
});
