/** Tabs that answer a LoRA run beside a frozen base: it comes from the run's server, or from a hub that the tab may ask, once for all runs. */
import type { BrowserContext, Page } from '@playwright/test';
import { startHub, type HubServer } from '@rl-playground/engine/testing/hubServer';
import { starterFiles } from './checkpoint.ts';
import { expect, slowTest, test } from './fixtures.ts';
import { invite, joinBy, timelessLines, useHub } from './natsHub.ts';
import { reachPhase } from './page.ts';

const COMMIT = 'e'.repeat(40);
const SMALL = {
  task: 'reverse_digits',
  problemsPerStep: 4,
  rolloutsPerProblem: 4,
  evalSamples: 2,
  numSteps: 3,
  maxTokens: 16,
  warmStartSteps: 0,
  loraRank: 4,
  baseFormat: 'q8',
};

const MOST_RUNS = 8;

const hub = useHub();
let models: HubServer;
test.beforeAll(async () => {
  models = await startHub({ 'test/starter': { commit: COMMIT, files: starterFiles() } });
});
test.afterAll(() => models.close());

const weightsFetched = (): number =>
  models.ranges
    .filter(({ path }) => path === 'model.safetensors')
    .reduce((sum, { begin, end }) => sum + end - begin, 0);

/** The model of the hub in place of the page's own. */
async function loadFromHub(page: Page): Promise<void> {
  await page.getByTestId('model-picker-button').click();
  const picker = page.getByTestId('model-picker');
  await picker.getByText('Token and server').click();
  await page.getByTestId('hub-url').fill(models.url);
  await page.getByTestId('model-name').fill('test/starter');
  await page.getByTestId('model-look-up').click();
  await page.getByTestId('model-load').click();
  await expect(picker).toBeHidden();
}

async function train(page: Page): Promise<readonly string[]> {
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  const lines = await timelessLines(page);
  await page.getByTestId('reset-button').click();
  await reachPhase(page, 'idle');
  return lines;
}

/** The run is made again until a tab has taken part: where it is over within a second or two, the tab may not have its weights by then. */
async function trainUntil(
  page: Page,
  alone: readonly string[],
  tookPart: () => Promise<boolean>,
): Promise<void> {
  for (let run = 1; run <= MOST_RUNS; run++) {
    expect(await train(page)).toEqual(alone);
    if (await tookPart()) return;
  }
  throw new Error(`The tab took no part in ${MOST_RUNS} runs.`);
}

/** All that a generator's page has said of its base: it says so during a run alone. */
const saidOfBase = (tab: Page): Promise<string> =>
  tab.evaluate(() => (Reflect.get(window, 'saidOfBase') as string[]).join('\n'));

slowTest(
  'the run is the one that the page makes alone, and who may not ask the hub asks nothing',
  async ({ page, browser, openPage, allowServers }) => {
    // `src/cli/joinFromHub.test.ts` has the same of machines that join under Node.
    await allowServers(hub.address(), models.url, models.storageUrl);
    await openPage(SMALL);
    await loadFromHub(page);
    const alone = await train(page);
    await invite(page, hub, false);
    const link = (await page.getByTestId('invitation-link').textContent()) ?? '';

    // Browsers of their own: they have nothing of what the trainer's keeps.
    const contexts: BrowserContext[] = [];
    const visitor = async (name: string, allowed: readonly string[]): Promise<Page> => {
      const context = await browser.newContext();
      contexts.push(context);
      await context.addInitScript((servers) => {
        localStorage.setItem('rl-playground-servers', JSON.stringify(servers));
        const said: string[] = [];
        Object.assign(window, { saidOfBase: said });
        new MutationObserver(() => {
          const text = document.querySelector('[data-testid=generator-base]')?.textContent;
          if (text !== undefined && text !== said.at(-1)) said.push(text);
        }).observe(document, { childList: true, subtree: true, characterData: true });
      }, allowed);
      const tab = await context.newPage();
      await joinBy(link, tab, name);
      return tab;
    };
    try {
      models.ranges.splice(0);
      const stranger = await visitor('stranger', [hub.address()]);
      await trainUntil(page, alone, async () =>
        /^[1-9]/.test((await stranger.getByTestId('generator-answers').textContent()) ?? ''),
      );
      expect(await saidOfBase(stranger)).toBe('');
      expect(models.ranges).toEqual([]);
      await stranger.getByTestId('generator-leave').click();
      await expect(stranger.getByTestId('generator-state')).toHaveAttribute('data-state', 'left');

      const friend = await visitor('friend', [hub.address(), models.url, models.storageUrl]);
      const friendSaid = (words: string) => async () => (await saidOfBase(friend)).includes(words);
      await trainUntil(page, alone, friendSaid('test/starter at eeeeeeee of'));
      expect(weightsFetched()).toBeGreaterThan(0);
      models.ranges.splice(0);
      await trainUntil(page, alone, friendSaid('here from the run before'));
      expect(models.ranges).toEqual([]);
    } finally {
      for (const context of contexts) await context.close();
    }
  },
);
