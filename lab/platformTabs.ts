/** A tab of Chromium, and one of another browser. */
import { launchBrowser } from './builtPage.ts';
import { BadInput } from '@rl-playground/base/errors';
import { BidiBrowser, findFirefox } from './bidi.ts';
import { WebDriverBrowser } from './webdriver.ts';

export const BROWSERS = ['firefox', 'webkit', 'webkit-threads'] as const;

/** A tab of any browser; `name` is the browser's, if its pages do not know it. */
export interface Tab {
  readonly name?: string;
  open(url: string): Promise<void>;
  evaluate(expression: string): Promise<unknown>;
  close(): Promise<void>;
}

/** The flag that makes V8 round a product and its sum one after the other, as WebKit does, which lacks relaxed SIMD. */
const ROUNDED_TWICE = '--js-flags=--no-enable-fma3';

export async function chromiumTab(roundedTwice: boolean): Promise<Tab> {
  const browser = await launchBrowser('none', ...(roundedTwice ? [ROUNDED_TWICE] : []));
  const page = await browser.newPage();
  return {
    open: async (url) => void (await page.goto(url)),
    evaluate: (expression) => page.evaluate(expression),
    close: () => browser.close(),
  };
}

export async function otherTab(browser: (typeof BROWSERS)[number]): Promise<Tab> {
  if (browser !== 'firefox') return WebDriverBrowser.webkit(browser === 'webkit-threads');
  if (typeof WebSocket === 'undefined')
    throw new BadInput(
      'This Node has no WebSocket: take Node 22, or `node --experimental-websocket` with Node 20.',
    );
  const executable = findFirefox();
  if (executable === null)
    throw new BadInput(
      'There is no Firefox here. Install one (Debian: apt-get install firefox-esr), or set FIREFOX_PATH to its executable.',
    );
  return BidiBrowser.firefox(executable);
}
