/** A nats-server for one test file, at which its pages meet. */
import type { Page } from '@playwright/test';
import { newToken } from '../src/cli/natsServer.ts';
import { lacksServer, startLocalServer, type LocalServer } from '../src/cli/testing/localServer.ts';
import { MACHINE_KEYS } from '@rl-playground/run/metrics';
import { expect, test } from './fixtures.ts';
import { openFold, snapshotOf } from './page.ts';

export interface Hub {
  readonly token: string;
  /** The port of its WebSocket. Like `address` and `server`, it is known once the tests of the file begin. */
  readonly port: () => number;
  /** The address of the WebSocket, without the token. */
  readonly address: () => string;
  readonly server: () => LocalServer;
}

/** Starts a nats-server for the tests of the file that calls it. They are skipped on a machine that has no nats-server. */
export function useHub(): Hub {
  test.skip(() => lacksServer(), 'there is no nats-server on this machine');
  const token = newToken();
  const started: LocalServer[] = [];
  test.beforeAll(async () => {
    started.push(await startLocalServer({ webSocketPort: 0, token }));
  });
  test.afterAll(() => started.at(-1)?.close());
  const server = (): LocalServer => {
    const last = started.at(-1);
    if (last === undefined) throw new Error('The hub has not started yet.');
    return last;
  };
  const port = (): number => server().webSocketPort ?? 0;
  return { token, port, address: () => `ws://127.0.0.1:${port()}`, server };
}

/** Invites generators through the hub. If `own` is true, the page's own generators answer too. */
export async function invite(page: Page, { address, token }: Hub, own: boolean): Promise<void> {
  await openFold(page, 'Invite generators');
  await page.getByTestId('invite-address').fill(address());
  await page.getByTestId('invite-token').fill(token);
  const box = page.getByRole('checkbox', { name: 'This page’s own generators answer too' });
  if (!own) await box.uncheck();
  await page.getByTestId('invite-button').click();
  await expect(page.getByTestId('server-line')).toContainText(`Connected to ${address()}`);
}

/** Opens the link in another tab and joins. */
export async function joinBy(link: string, tab: Page, name: string): Promise<void> {
  await tab.goto(link);
  await expect(tab.getByTestId('prompts')).toContainText('Its prompts are problems of');
  await tab.getByTestId('join-name').fill(name);
  await tab.getByTestId('join-button').click();
  await expect(tab.getByTestId('generator-state')).toHaveAttribute('data-state', /waiting|working/);
}

/** A run's steps and evaluations without what the machine decides, a line each. */
export async function timelessLines(page: Page): Promise<readonly string[]> {
  const { metrics, evaluations } = await snapshotOf(page);
  return [...metrics, ...evaluations].map((record: object) =>
    JSON.stringify(record, (key, value: unknown) =>
      key === 'seconds' || MACHINE_KEYS.some((each) => each === key) ? undefined : value,
    ),
  );
}
