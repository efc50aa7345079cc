/** Machines that are invited: the trainer's panel and the generator's page, over a real nats-server. */
import type { Page } from '@playwright/test';
import { freePort } from '../cli/natsServer.ts';
import { everyProof, provenBy } from '../src/testing/proofs.ts';
import { stateOf } from './checkpoint.ts';
import { unreadable } from './contrast.ts';
import { expect, test } from './fixtures.ts';
import { invite, joinBy, PATIENCE, timelessLines, useHub } from './natsHub.ts';
import { download, inScheme, notice, reachPhase, reachStep, snapshotOf } from './page.ts';

const SMALL = {
  task: 'reverse_digits',
  problemsPerStep: 4,
  rolloutsPerProblem: 4,
  evalSamples: 2,
  numSteps: 2,
  maxTokens: 16,
};

const hub = useHub();
const { token, address } = hub;

/** What decides a run: its metrics without times, and its state. */
const outcome = async (page: Page) => ({
  lines: await timelessLines(page),
  state: stateOf(await download(page)),
});

test('a run that tabs answer is the one that the page makes alone, to the bit, and both say what goes on', async ({
  page,
  context,
  openPage,
  allowServers,
}) => {
  // Two runs and three pages.
  test.slow();
  await allowServers(address());
  await openPage(SMALL);
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  const alone = await outcome(page);
  await page.getByTestId('reset-button').click();
  await reachPhase(page, 'idle');

  await invite(page, hub, false);
  await expect(page.getByTestId('what-travels')).toContainText('Whoever has its token can read');
  await expect(page.getByTestId('qr-code')).toBeVisible();
  await expect(page.getByTestId('invitation-problem')).toContainText('npm start -- --host');
  const link = (await page.getByTestId('invitation-link').textContent()) ?? '';
  expect(link).toContain(`#join=ws://${token}@127.0.0.1:${hub.port()}`);

  const [one, two] = [await context.newPage(), await context.newPage()];
  await joinBy(link, one, 'phone');
  await joinBy(link, two, 'laptop');
  await expect(one.getByTestId('generator-state')).toContainText('Waiting for a run');
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  expect(await outcome(page)).toEqual(alone);

  for (const name of ['phone', 'laptop']) {
    const row = page.getByTestId('machine').and(page.locator(`[data-name="${name}"]`));
    await expect(row).toHaveAttribute('data-state', 'here');
    await expect(row).toContainText('wasm, products and sums');
    await expect(row.getByTestId('gap-chart')).toBeVisible();
  }
  await expect(page.getByTestId('server-line')).toContainText(
    /Machines see this run as reverse_digits \(\w{6}\)/,
  );
  await expect(page.getByTestId('payoff')).toContainText('as fast as these would pay');
  await expect(page.getByTestId('machines')).toContainText('%');
  for (const tab of [one, two]) {
    await expect(tab.getByTestId('generator-answers')).toHaveText(/^[1-9]/);
    await expect(tab.getByTestId('generator-alike')).toHaveText('the same to the bit');
    await expect(tab.getByTestId('generator-recent').getByRole('listitem').first()).toContainText(/\d/);
    await expect(tab.getByText(/Its prompts are problems of/)).toBeVisible();
  }
  for (const tab of [page, one])
    for (const scheme of provenBy<'light' | 'dark'>(['light', 'dark'], ['dark'])) {
      await inScheme(tab, scheme);
      await expect.poll(() => tab.evaluate(unreadable)).toEqual([]);
    }
  for (const tab of [page, one]) {
    await tab.setViewportSize({ width: 390, height: 800 });
    // Charts take the new width with their next drawing.
    await expect
      .poll(() => tab.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(390);
  }
  await one.getByTestId('generator-leave').click();
  await expect(one.getByTestId('generator-state')).toHaveAttribute('data-state', 'left', PATIENCE);
  await expect(page.locator('[data-name="phone"]')).toHaveAttribute('data-state', 'gone', PATIENCE);

  await page.getByTestId('uninvite-button').click();
  await expect(page.getByTestId('invite')).toBeVisible(PATIENCE);
  await expect(two.getByTestId('generator-state')).toContainText('Waiting for a run', PATIENCE);
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
  await expect(page.getByTestId('generator-state')).toContainText('Waiting for a run', PATIENCE);
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
    const closed = await freePort();
    await allowServers(address(), `ws://127.0.0.1:${closed}`);
    for (const [link, sentence] of [
      [`ws://wrong-token@127.0.0.1:${hub.port()}`, /does not take this token/],
      [`ws://${token}@127.0.0.1:${closed}`, /There is no NATS server at ws:/],
    ] as const) {
      await page.goto('about:blank');
      await page.goto(`./#join=${link}`);
      await page.getByTestId('join-button').click();
      await expect(page.getByTestId('generator-problem')).toContainText(sentence, PATIENCE);
      await expect(page.getByTestId('generator-problem')).not.toContainText('wrong-token');
    }
    await page.goto('about:blank');
    await page.goto(`./#join=nats://${token}@127.0.0.1:4222`);
    await expect(page.getByRole('alert')).toContainText('A page reaches a server by WebSocket only');
    await page.goto('about:blank');
    await page.goto('./#join=');
    await expect(page.getByRole('alert')).toContainText('not one');
  });

  test('a server that dies is said, the run goes on with its own generators, and a paused run takes new machines', async ({
    page,
    context,
    openPage,
    allowServers,
  }) => {
    // Of a server that dies `cli/join.test.ts` has a run under Node.
    test.skip(!everyProof, 'with PROOFS=all');
    await allowServers(address());
    await openPage({ ...SMALL, numSteps: 500 });
    await page.getByTestId('step-button').click();
    await reachPhase(page, 'paused');
    await invite(page, hub, true);
    const link = (await page.getByTestId('invitation-link').textContent()) ?? '';
    const tab = await context.newPage();
    await joinBy(link, tab, 'tab');
    await page.getByTestId('train-button').click();
    await expect(tab.getByTestId('generator-answers')).toHaveText(/^[1-9]/, PATIENCE);
    expect((await snapshotOf(page)).metrics[0]?.step).toBe(1);

    await hub.server().kill();
    await expect(page.getByTestId('server-gone')).toBeVisible(PATIENCE);
    await expect(notice(page, 'The server of the machines does not answer')).toBeVisible();
    await expect(tab.getByTestId('generator-problem')).toContainText('This page goes on trying', PATIENCE);
    const { step } = await snapshotOf(page);
    await reachStep(page, step + 3);
    await hub.server().restart();
    await expect(page.getByTestId('server-line')).toBeVisible(PATIENCE);
    await expect(tab.getByTestId('generator-problem')).toBeHidden(PATIENCE);
    const before = await tab.getByTestId('generator-answers').textContent();
    await expect(tab.getByTestId('generator-answers')).not.toHaveText(before ?? '', PATIENCE);
    await page.getByTestId('stop-button').click();
    await reachPhase(page, 'stopped');
  });
});
