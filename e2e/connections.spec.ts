/** Other servers are asked only where the visitor has said so; the run is there again when the page has been opened anew for it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { startHub, type HubServer } from '@rl-playground/engine/testing/hubServer';
import { starterFiles } from './checkpoint.ts';
import { expect, test } from './fixtures.ts';
import { reachLoaded, reachPhase, reachStep, snapshotOf } from './page.ts';

let hub: HubServer;
test.beforeAll(async () => {
  const starter = { commit: 'd'.repeat(40), files: starterFiles() };
  hub = await startHub({ 'test/starter': starter, 'test/gated': { ...starter, token: 'hf_right' } });
});
test.afterAll(() => hub.close());

async function lookUp(page: Page, server: string): Promise<void> {
  await page.getByTestId('model-picker-button').click();
  const picker = page.getByTestId('model-picker');
  await picker.getByText('Token and server').click();
  if (server !== '') await page.getByTestId('hub-url').fill(server);
  await page.getByTestId('model-name').fill('test/starter');
  await page.getByTestId('model-look-up').click();
}

const question = (page: Page) => page.getByRole('dialog', { name: /^Allow this page to connect to/ });

test('a new server is asked about, the run is offered again, and the answer is taken back; the Hugging Face Hub is asked about too, with where it keeps large files', async ({
  page,
  context,
  openPage,
}) => {
  await context.route('https://huggingface.co/**', (route) => route.fulfill({ status: 404 }));
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const elsewhere = () => asked.filter((url) => url.startsWith(hub.url));
  await openPage({
    task: 'reverse_digits',
    problemsPerStep: 2,
    rolloutsPerProblem: 2,
    maxTokens: 12,
    evalSamples: 2,
    numSteps: 50,
  });
  await page.getByTestId('step-button').click();
  await reachStep(page, 1);
  await reachPhase(page, 'paused');

  await lookUp(page, hub.url);
  await expect(question(page)).toContainText(`Allow this page to connect to ${hub.url}?`);
  await question(page).getByRole('button', { name: 'Don’t allow', exact: true }).click();
  await expect(page.getByTestId('model-failed')).toContainText('was not asked');
  expect(elsewhere()).toEqual([]);

  await page.getByTestId('model-look-up').click();
  await page.getByTestId('connection-allow').click();
  await expect(page.getByTestId('kept-run')).toContainText('at step 1');
  await page
    .getByTestId('kept-run')
    .getByRole('button', { name: /^Continue from step 1/ })
    .click();
  await reachPhase(page, 'paused');
  expect((await snapshotOf(page)).step).toBe(1);

  // Large files lie on another server, which is named by hand: browsers don't say where they are sent on to.
  await page.getByTestId('model-picker-button').click();
  await page.getByTestId('model-picker').getByText('Token and server').click();
  await page.getByTestId('storage-address').fill(`${hub.storageUrl}/files`);
  await page.getByTestId('storage-allow').click();
  await expect(question(page)).toContainText(`Allow this page to connect to ${hub.storageUrl}?`);
  await page.getByTestId('connection-allow').click();
  await expect(page.getByTestId('kept-run')).toBeVisible();

  await lookUp(page, hub.url);
  await expect(page.getByTestId('found-model')).toContainText('d'.repeat(40));
  expect(elsewhere().length).toBeGreaterThan(0);

  await page.getByRole('button', { name: `Remove: ${hub.url}` }).click();
  await page.reload();
  await reachLoaded(page);
  await lookUp(page, hub.url);
  await expect(question(page)).toBeVisible();
  await question(page).getByRole('button', { name: 'Don’t allow', exact: true }).click();

  await page.getByTestId('hub-url').fill('');
  await page.getByTestId('model-look-up').click();
  await expect(question(page)).toContainText('https://huggingface.co');
  await expect(question(page)).toContainText('https://*.hf.co');
  await Promise.all([page.waitForEvent('load'), page.getByTestId('connection-allow').click()]);
  await reachLoaded(page);
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');
  expect(policy).toContain(
    `connect-src 'self' ${hub.storageUrl} https://huggingface.co https://*.huggingface.co https://*.hf.co;`,
  );
});

test.describe('a token', () => {
  test.use({ expectedErrors: /status of 40[14]/ });

  test('goes to the server beside which it was typed, and to no model’s address elsewhere', async ({
    page,
    openPage,
    allowServers,
  }) => {
    const seen: { path: string; authorization: string | undefined }[] = [];
    const stranger = createServer(({ url = '', headers: { authorization } }, response) => {
      seen.push({ path: url, authorization });
      response.writeHead(404, {
        'access-control-allow-origin': '*',
        'access-control-allow-headers': '*',
      });
      response.end();
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
    await allowServers(hub.url, hub.storageUrl, address);
    await openPage();
    await page.getByTestId('model-picker-button').click();
    const picker = page.getByTestId('model-picker');
    await picker.getByText('Token and server').click();
    const server = page.getByTestId('hub-url');
    const token = page.getByTestId('hub-token');
    const ask = async (name: string): Promise<void> => {
      await page.getByTestId('model-name').fill(name);
      await page.getByTestId('model-look-up').click();
    };
    await server.fill(hub.url);
    await token.fill('hf_right');
    await expect(picker).toContainText(`Sent to ${hub.url} only`);
    await ask(`${address}/m/`);
    await expect(page.getByTestId('model-failed')).toBeVisible();
    expect(seen).toContainEqual({ path: '/m/config.json', authorization: undefined });
    // The same token opens what is at the server that it was given for.
    await ask('test/gated');
    await expect(page.getByTestId('found-model')).toBeVisible();

    await server.fill(address);
    await expect(token).toHaveValue('');
    await ask('test/gated');
    await expect(page.getByTestId('model-failed')).toBeVisible();
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
    stranger.close();
  });
});
