/** Machines that are invited: the trainer's panel and the generator's page, over a real nats-server. */
import type { Page } from '@playwright/test';
import { stateOf } from './checkpoint.ts';
import { expectReadable } from './contrast.ts';
import { expect, slowTest, test } from './fixtures.ts';
import { invite, joinBy, timelessLines, useHub } from './natsHub.ts';
import { download, notice, reachPhase, reachStep, snapshotOf } from './page.ts';
import { SCHEMES } from './view.ts';

const SMALL = {
  task: 'reverse_digits',
  problemsPerStep: 4,
  rolloutsPerProblem: 4,
  evalSamples: 2,
  evalEvery: 0,
  // More than are ever made.
  numSteps: 100_000,
  maxTokens: 16,
};

const hub = useHub();
const { token, address } = hub;

/** The outcome of a run: its metrics without times, and its state. */
const outcome = async (page: Page) => ({
  lines: await timelessLines(page),
  state: stateOf(await download(page)),
});

async function oneStep(page: Page, step: number): Promise<void> {
  await page.getByTestId('step-button').click();
  await reachStep(page, step);
  await reachPhase(page, 'paused');
}

test('a run that tabs answer is the one that the page makes alone, to the bit, and both say what goes on', async ({
  page,
  context,
  openPage,
  allowServers,
}) => {
  await allowServers(address());
  await openPage(SMALL);
  await invite(page, hub, false);
  await expect(page.getByTestId('what-travels')).toContainText('Anyone who has its token can read');
  await expect(page.getByTestId('qr-code')).toBeVisible();
  await expect(page.getByTestId('invitation-problem')).toContainText('npm start -- --host');
  const link = (await page.getByTestId('invitation-link').textContent()) ?? '';
  expect(link).toContain(`#join=ws://${token}@127.0.0.1:${hub.port()}`);

  const [one, two] = [await context.newPage(), await context.newPage()];
  await joinBy(link, one, 'phone');
  await joinBy(link, two, 'laptop');
  await expect(one.getByTestId('generator-state')).toContainText('Waiting for a run');
  // A tab in the background draws once a second, and every click waits for it.
  await page.bringToFront();
  // The tab that gets its weights last may find the first steps answered.
  const answered = async (tab: Page): Promise<boolean> =>
    /^[1-9]/.test((await tab.getByTestId('generator-answers').textContent()) ?? '');
  const rowOf = (name: string) => page.getByTestId('machine').and(page.locator(`[data-name="${name}"]`));
  const isMeasured = async (name: string): Promise<boolean> =>
    /, mean \d/.test((await rowOf(name).textContent()) ?? '');
  const bothMeasured = async (): Promise<boolean> =>
    (await isMeasured('phone')) && (await isMeasured('laptop'));
  let steps = 0;
  while (!(await answered(one)) || !(await answered(two)) || !(await bothMeasured()))
    await oneStep(page, ++steps);
  const joined = await outcome(page);

  for (const name of ['phone', 'laptop']) {
    const row = rowOf(name);
    await expect(row).toHaveAttribute('data-state', 'here');
    await expect(row).toContainText('wasm, products and sums');
  }
  await expect(page.getByTestId('server-line')).toContainText(
    /Machines see this run as reverse_digits \(\w{6}\)/,
  );
  await expect(page.getByTestId('payoff')).toContainText('as fast as these would pay');
  await expect(page.getByTestId('machines')).toContainText('%');
  for (const tab of [one, two]) {
    await expect(tab.getByTestId('generator-answers')).toHaveText(/^[1-9]/);
    await expect(tab.getByTestId('generator-alike')).toHaveText('identical in every bit');
    await expect(tab.getByTestId('generator-recent').getByRole('listitem').first()).toContainText(/\d/);
    await expect(tab.getByText(/Its prompts are problems of/)).toBeVisible();
  }
  for (const tab of [page, one]) {
    await tab.bringToFront();
    await expectReadable(tab, SCHEMES);
    await tab.setViewportSize({ width: 390, height: 800 });
    // Charts take the new width with their next drawing.
    await expect
      .poll(() => tab.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(390);
  }
  await one.getByTestId('generator-leave').click();
  await expect(one.getByTestId('generator-state')).toHaveAttribute('data-state', 'left');
  await expect(page.locator('[data-name="phone"]')).toHaveAttribute('data-state', 'gone');

  await page.bringToFront();
  await page.getByTestId('uninvite-button').click();
  await expect(page.getByTestId('invite')).toBeVisible();
  await expect(two.getByTestId('generator-state')).toContainText('Waiting for a run');

  await page.getByTestId('reset-button').click();
  await reachPhase(page, 'idle');
  for (let step = 1; step <= steps; step++) await oneStep(page, step);
  expect(await outcome(page)).toEqual(joined);
});

test('a link asks before anything is connected, and then names the server to the page’s policy', async ({
  page,
}) => {
  const sockets: string[] = [];
  page.on('websocket', (socket) => sockets.push(socket.url()));
  await page.goto(`./#join=ws://${token}@127.0.0.1:${hub.port()}`);
  await expect(page.getByTestId('join')).toContainText(address());
  await expect(page.getByTestId('join')).not.toContainText(token);
  expect(sockets).toEqual([]);
  await page.getByTestId('join-button').click();
  await expect(page.getByTestId('generator-state')).toContainText('Waiting for a run');
  expect(sockets.length).toBeGreaterThan(0);
  expect(sockets.join()).not.toContain(token);
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');
  expect(policy).toContain(`connect-src 'self' ${address()};`);
});

test.describe('what goes wrong', () => {
  test.use({ expectedErrors: /WebSocket|ERR_CONNECTION/ });

  test('is a sentence: a wrong token, no server, a server for programs, no server at all in the link', async ({
    page,
    allowServers,
  }) => {
    // Nobody may listen there who is not the system itself.
    const closed = 1023;
    await allowServers(address(), `ws://127.0.0.1:${closed}`);
    for (const [link, sentence] of [
      [`ws://wrong-token@127.0.0.1:${hub.port()}`, /does not take this token/],
      [`ws://${token}@127.0.0.1:${closed}`, /There is no NATS server at ws:/],
    ] as const) {
      await page.goto('about:blank');
      await page.goto(`./#join=${link}`);
      await page.getByTestId('join-button').click();
      await expect(page.getByTestId('generator-problem')).toContainText(sentence);
      await expect(page.getByTestId('generator-problem')).not.toContainText('wrong-token');
    }
    await page.goto('about:blank');
    await page.goto(`./#join=nats://${token}@127.0.0.1:4222`);
    await expect(page.getByRole('alert')).toContainText('A page reaches a server by WebSocket only');
    await page.goto('about:blank');
    await page.goto('./#join=');
    await expect(page.getByRole('alert')).toContainText('not one');
  });

  slowTest(
    'a server that dies is said, the run goes on with its own generators, and a paused run takes new machines',
    async ({ page, context, openPage, allowServers }) => {
      // Of a server that dies `src/cli/join.test.ts` has a run under Node.
      await allowServers(address());
      await openPage(SMALL);
      await page.getByTestId('step-button').click();
      await reachPhase(page, 'paused');
      await invite(page, hub, true);
      const link = (await page.getByTestId('invitation-link').textContent()) ?? '';
      const tab = await context.newPage();
      await joinBy(link, tab, 'tab');
      await page.bringToFront();
      await page.getByTestId('train-button').click();
      await expect(tab.getByTestId('generator-answers')).toHaveText(/^[1-9]/);
      expect((await snapshotOf(page)).metrics[0]?.step).toBe(1);

      await hub.server().kill();
      await expect(page.getByTestId('server-gone')).toBeVisible();
      await expect(notice(page, 'The server of the machines does not answer')).toBeVisible();
      await expect(tab.getByTestId('generator-problem')).toContainText('This page keeps trying');
      const { step } = await snapshotOf(page);
      await reachStep(page, step + 3);
      await hub.server().restart();
      await expect(page.getByTestId('server-line')).toBeVisible();
      await expect(tab.getByTestId('generator-problem')).toBeHidden();
      const before = await tab.getByTestId('generator-answers').textContent();
      await expect(tab.getByTestId('generator-answers')).not.toHaveText(before ?? '');
      await page.getByTestId('stop-button').click();
      await reachPhase(page, 'stopped');
    },
  );
});
