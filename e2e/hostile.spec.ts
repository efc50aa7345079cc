/** Files and links of strangers: each is refused in little memory, and the run beside it keeps every byte. What readers take of time, `npm run lab -- fuzz` measures. */
import type { Browser, Locator } from '@playwright/test';
import {
  hostileLink,
  hostileSettings,
  hostileTables,
  hostileZips,
  type HostileFile,
} from '@rl-playground/bridges/testing/hostileFiles';
import { provenBy } from '@rl-playground/base/testing/proofs';
import { expect, test } from './fixtures.ts';
import { choose, chooseSettings, download, notice, openFold, reachPhase, reachStep } from './page.ts';
import { watchGrowth } from './pageGrowth.ts';

/** Bytes that the page may grow by, from the choice of a file to the message. */
const MOST_MEMORY = 512 * 2 ** 20;

/**
 * One file for each way to do harm, such as sizes that lie, zips in zips, loops in a vocabulary.
 * `src/bridges/testing/hostileFiles.test.ts` reads every file in Node.
 */
const FEW: ReadonlySet<string> = new Set([
  'lies.zip',
  'layers.zip',
  'loop.zip',
  'token.zip',
  'wide.csv',
  'counts.parquet',
  'aliases.yaml',
]);
const chosen = <T extends { readonly name: string }>(all: readonly T[]): readonly T[] =>
  provenBy(
    all,
    all.filter(({ name }) => FEW.has(name)),
  );

/** Gives a file to the page, which is to refuse it in little memory. */
async function refuse(
  browser: Browser,
  file: HostileFile,
  give: () => Promise<void>,
  message: Locator,
  dismiss: () => Promise<void>,
): Promise<void> {
  const grownBy = await watchGrowth(browser);
  await give();
  await expect(message).toContainText(file.says);
  expect(grownBy() ?? 0, `bytes for ${file.name}`).toBeLessThan(MOST_MEMORY);
  await dismiss();
}

test('settings; zips and tables beside a paused run, whose checkpoint stays as it is to the byte; nobody else is asked; and a link', async ({
  page,
  context,
  browser,
  openPage,
}) => {
  const asked: string[] = [];
  context.on('request', (request) => asked.push(request.url()));
  await openPage({
    task: 'reverse_digits',
    problemsPerStep: 2,
    rolloutsPerProblem: 2,
    maxTokens: 12,
    evalSamples: 2,
  });
  for (const file of chosen(hostileSettings())) {
    const message = notice(page, `${file.name} was not loaded`);
    const give = (): Promise<void> => chooseSettings(page, file.name, new TextDecoder().decode(file.bytes));
    await refuse(browser, file, give, message, async () => {
      await message.getByRole('button', { name: /^Dismiss/ }).click();
      await expect(message).toBeHidden();
    });
  }

  await page.getByTestId('step-button').click();
  await reachStep(page, 1);
  await reachPhase(page, 'paused');
  const saved = await download(page);

  for (const file of chosen(hostileZips())) {
    const message = notice(page, `${file.name} was not loaded`);
    await refuse(
      browser,
      file,
      () => choose(page, file),
      message,
      async () => {
        await message.getByRole('button', { name: /^Dismiss/ }).click();
        await expect(message).toBeHidden();
      },
    );
  }
  const own = page.getByRole('region', { name: 'Your own task' });
  await openFold(page, 'Your own task');
  await page.getByTestId('own-new').click();
  for (const { name, bytes, says } of chosen(hostileTables())) {
    const give = (): Promise<void> =>
      page
        .getByTestId('own-file')
        .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(bytes) });
    await refuse(browser, { name, bytes, says }, give, own, () => Promise.resolve());
  }
  expect(Buffer.compare((await download(page)).bytes, saved.bytes), 'after all of them').toBe(0);
  await page.getByTestId('step-button').click();
  await reachStep(page, 2);

  const { origin } = new URL(page.url());
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter((url) => new URL(url).origin !== origin && !url.startsWith('data:'))).toEqual([]);

  // A server takes some 16 kB of an address; what takes 10,000 keys is a test of the reader.
  await openPage(Object.fromEntries(new URLSearchParams(hostileLink(1000))));
  const message = notice(page, 'The address of this page has settings that can’t be used');
  await expect(message).toContainText('990 more words of the link');
});
