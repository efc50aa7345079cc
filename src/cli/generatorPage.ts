/**
 * The generator's page in a headless browser, which reaches the server by its WebSocket or by a bridge. It serves machines whose GPU a
 * program under Node can't use.
 */
import type { Browser } from 'playwright';
import { messageOf } from '@rl-playground/base/errors';
import {
  addressWithToken,
  type ServerAddress,
  invitationLink,
  parsePageAddress,
} from '@rl-playground/machines';
import { ensureBuilt } from './build.ts';
import { launchBrowser, patientPage } from './enginePage.ts';
import { serve } from './serve.ts';
import { bridgeTo } from './webSocketBridge.ts';

/** @throws Error with a sentence for people if no server answers, the token is wrong, or there is no browser. */
export async function openGeneratorBrowser(server: ServerAddress) {
  await ensureBuilt();
  const host = await serve({ port: 0 });
  try {
    // A page reaches a WebSocket by itself.
    const bridge = server.webSocket
      ? { address: addressWithToken(server), close: () => undefined }
      : await bridgeTo(server, host);
    const browser = await launchBrowser();
    return {
      /** Opens the page in a tab and joins. `run` is null for the first run. */
      open: (name: string, backend: 'webgpu' | 'wasm', run: string | null = null) =>
        openTab(
          browser,
          invitationLink(host.url, { server: parsePageAddress(bridge.address), run, task: null }),
          name,
          backend,
        ),
      async close(): Promise<void> {
        await browser.close();
        bridge.close();
        await host.close();
      },
    };
  } catch (error) {
    await host.close();
    throw error;
  }
}

async function openTab(browser: Browser, link: string, name: string, backend: 'webgpu' | 'wasm') {
  const page = await patientPage(browser);
  const address = new URL(link);
  address.searchParams.set('backend', backend);
  await page.goto(address.href).catch((error: unknown) => {
    // The message contains the link, and the link contains the token.
    const [words = ''] = messageOf(error)
      .replaceAll(link, 'the page')
      .replaceAll(address.href, 'the page')
      .split('\n');
    throw new Error(`The generator's page could not be opened: ${words}`);
  });
  await page.getByTestId('join-name').fill(name);
  await page.getByTestId('join-button').click();
  await page.waitForFunction(() => window.rlPlaygroundGenerator !== undefined);
  return {
    page,
    state: () =>
      page.evaluate(() => {
        const now = window.rlPlaygroundGenerator?.snapshot();
        if (now === undefined) throw new Error('The page was reloaded.');
        return now;
      }),
    /** Leaves in order: the request that is being answered goes to another machine. */
    async leave(): Promise<void> {
      await page.evaluate(() => window.rlPlaygroundGenerator?.leave());
      await page.waitForFunction(() => window.rlPlaygroundGenerator?.snapshot().state === 'left');
    },
  };
}
