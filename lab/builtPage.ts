/** The built page, served on this machine, and a headless browser beside it. */
import { chromium, type Browser } from 'playwright';
import { launchArguments, type GraphicsMode } from '../src/cli/browser.ts';
import { ensureBrowser } from '../src/cli/enginePage.ts';
import { ensureBuilt } from '../src/cli/build.ts';
import { serve } from '../src/cli/serve.ts';

export const launchBrowser = (graphics: GraphicsMode, ...more: readonly string[]): Promise<Browser> =>
  chromium.launch({ executablePath: ensureBrowser(), args: [...launchArguments(graphics), ...more] });

/** Does the work on the page's address, and closes its host afterwards. */
export async function onServedPage<T>(work: (url: string) => Promise<T>): Promise<T> {
  await ensureBuilt();
  const host = await serve({ port: 0 });
  try {
    return await work(host.url);
  } finally {
    await host.close();
  }
}

/** Does the work in a browser, beside the served page, and closes both afterwards. */
export const onBuiltPage = <T>(
  graphics: GraphicsMode,
  work: (url: string, browser: Browser) => Promise<T>,
): Promise<T> =>
  onServedPage(async (url) => {
    const browser = await launchBrowser(graphics);
    try {
      return await work(url, browser);
    } finally {
      await browser.close();
    }
  });
