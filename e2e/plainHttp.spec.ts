/** A generator's page that came by plain http from another machine, where browsers withhold GPU, threads and SHA-256. */
import { hostname } from 'node:os';
import { findBrowser, launchArguments } from '../src/cli/browser.ts';
import { expect, test } from './fixtures.ts';
import { useHub } from './natsHub.ts';
import { openFold, reachPhase } from './page.ts';
import { ISOLATED_PORT } from './ports.ts';

// A browser takes this machine for another one under a name other than localhost.
const executablePath = findBrowser();
test.use({
  launchOptions: {
    ...(executablePath === null ? {} : { executablePath }),
    args: [...launchArguments('webgpu'), `--host-resolver-rules=MAP ${hostname()} 127.0.0.1`],
  },
  expectedErrors: /Cross-Origin-Opener-Policy header has been ignored/,
});

const hub = useHub();
const { token } = hub;

test('says so, answers on one thread, and is the same to the bit', async ({
  page,
  context,
  openPage,
  allowServers,
}) => {
  const local = `ws://127.0.0.1:${hub.port()}`;
  await allowServers(local, `ws://${hostname()}:${hub.port()}`);
  await openPage({ task: 'reverse_digits', problemsPerStep: 2, evalSamples: 2, numSteps: 1, maxTokens: 16 });
  await openFold(page, 'Invite generators');
  await page.getByTestId('invite-address').fill(`ws://${token}@127.0.0.1:${hub.port()}`);
  await page.getByRole('checkbox', { name: 'This page’s own generators answer too' }).uncheck();
  await page.getByTestId('invite-button').click();
  await expect(page.getByTestId('server-line')).toBeVisible();
  await page.getByTestId('invitation-page').fill('https://play.example.org/');
  await expect(page.getByTestId('invitation-problem')).toContainText(
    'can’t reach this address of the server',
  );
  await page.getByTestId('invitation-page').fill('nonsense');
  await expect(page.getByText('Write http:// or https://')).toBeVisible();
  await expect(page.getByTestId('invitation-link')).toBeHidden();

  const tab = await context.newPage();
  await tab.goto(`http://${hostname()}:${ISOLATED_PORT}/#join=ws://${token}@${hostname()}:${hub.port()}`);
  expect(await tab.evaluate(() => [isSecureContext, 'gpu' in navigator, 'subtle' in crypto])).toEqual([
    false,
    false,
    false,
  ]);
  await expect(tab.getByTestId('plain-http')).toContainText('a library checks its downloads');
  await tab.getByTestId('join-button').click();
  await expect(tab.getByTestId('generator-state')).toContainText('Waiting for a run');
  await page.bringToFront();
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  await expect(tab.getByTestId('generator-answers')).toHaveText(/^[1-9]/);
  await expect(tab.getByTestId('generator-device')).toContainText('one thread');
  await expect(tab.getByTestId('generator-alike')).toHaveText('identical in every bit');
});
