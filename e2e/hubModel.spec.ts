/** Models by name, from a server with the Hub's paths: looked up, loaded, kept, gone on with, deleted, trained, taken along, sent there. */
import type { Page } from '@playwright/test';
import {
  huggingFaceSpecs,
  sizeOf,
  parseModelConfig,
  RANGE_BYTES,
  safetensorsHeader,
} from '@rl-playground/engine/parts';
import { startHub, type HubServer } from '@rl-playground/engine/testing/hubServer';
import { starterFiles, unzipped } from './checkpoint.ts';
import { sha256 } from '@rl-playground/base/testing/sha256';
import { expect, NO_HURRY, slowTest, test } from './fixtures.ts';
import {
  reachLoaded,
  download,
  fileBehind,
  openFold,
  press,
  reachPhase,
  snapshotOf,
  textsOf,
} from './page.ts';
import { starterAdapter } from './starterAdapter.ts';

const COMMIT = 'd'.repeat(40);
const SETTINGS = {
  task: 'reverse_digits',
  problemsPerStep: 1,
  rolloutsPerProblem: 2,
  maxTokens: 8,
  evalSamples: 1,
  evalEvery: 0,
  numGenerators: 1,
  numSteps: 2,
};

/** The starter's tokenizer on a model of three ranges, all of whose weights are 0. */
function largeModel(): Map<string, Uint8Array> {
  const files = starterFiles();
  const json = {
    ...(JSON.parse(new TextDecoder().decode(files.get('config.json'))) as object),
    hidden_size: 1024,
    intermediate_size: 1024,
    num_attention_heads: 8,
    num_key_value_heads: 4,
    head_dim: 128,
    num_hidden_layers: 3,
  };
  const specs = huggingFaceSpecs(parseModelConfig(json)).map(
    ({ name, shape }) => [name, { shape, dtype: 'BF16' }] as const,
  );
  const header = safetensorsHeader(specs);
  const bytes = 2 * specs.reduce((sum, [, { shape }]) => sum + sizeOf(shape), 0);
  const weights = new Uint8Array(header.length + bytes);
  weights.set(header);
  files.set('config.json', new TextEncoder().encode(JSON.stringify(json)));
  return files.set('model.safetensors', weights);
}

let hub: HubServer;
test.beforeAll(async () => {
  hub = await startHub({
    'test/starter': { commit: COMMIT, files: starterFiles() },
    'test/adapter': { commit: COMMIT, files: starterAdapter({ name: 'test/starter', revision: COMMIT }) },
    'test/gated': { commit: COMMIT, files: starterFiles(), token: 'hf_right' },
    'test/large': { commit: COMMIT, files: largeModel() },
  });
});
test.afterAll(() => hub.close());
test.beforeEach(async ({ allowServers }) => {
  await allowServers(hub.url, hub.storageUrl);
  hub.accounts.set('hf_write', { namespaces: ['me'], mayWrite: true });
  hub.accounts.set('hf_read', { namespaces: ['me'], mayWrite: false });
  hub.ranges.splice(0);
});

const weightRanges = () =>
  hub.ranges.filter(({ path }) => path === 'model.safetensors').map(({ begin }) => begin);

async function openPicker(page: Page): Promise<void> {
  await page.getByTestId('model-picker-button').click();
  const picker = page.getByTestId('model-picker');
  await expect(picker).toBeVisible();
  await picker.getByText('Token and server').click();
  await page.getByTestId('hub-url').fill(hub.url);
}

async function lookUp(page: Page, name: string): Promise<void> {
  await page.getByTestId('model-name').fill(name);
  await page.getByTestId('model-look-up').click();
}

const failed = (page: Page) => page.getByTestId('model-failed');

test('from the picker to the downloaded adapter', async ({ page, openPage }) => {
  await openPage({ ...SETTINGS, loraRank: 4 });
  await openPicker(page);
  await expect(page.getByRole('row', { name: /SmolLM2-135M-Instruct/ })).toContainText('135');
  await page.getByTestId('model-name').fill('start');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('button', { name: 'Look up test/starter' }).click();
  const found = page.getByTestId('found-model');
  await expect(found).toContainText(COMMIT);
  await expect(found.getByTestId('plan')).toHaveAttribute('data-fits', 'true');
  // Configs and a header, no weights.
  expect(hub.ranges.reduce((sum, { begin, end }) => sum + end - begin, 0)).toBeLessThan(2 ** 20);
  await page.getByTestId('model-load').click();
  await expect(page.getByTestId('model-picker')).toBeHidden();
  expect((await snapshotOf(page)).modelName).toBe('test/starter');

  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  const files = unzipped(await download(page));
  const adapter = JSON.parse(new TextDecoder().decode(files.get('adapter/adapter_config.json'))) as object;
  await page.getByTestId('reset-button').click();
  await reachPhase(page, 'idle');
  expect(await snapshotOf(page)).toMatchObject({ modelName: 'test/starter', step: 0, metrics: [] });
  expect(adapter).toMatchObject({ r: 4, base_model_name_or_path: 'test/starter', revision: COMMIT });

  // It is kept: after a reload nothing of it is fetched again.
  await page.reload();
  await reachLoaded(page);
  hub.ranges.splice(0);
  await page.getByTestId('model-picker-button').click();
  await page.getByRole('button', { name: 'Load test/starter' }).click();
  await expect(page.getByTestId('model-picker')).toBeHidden();
  expect((await snapshotOf(page)).modelName).toBe('test/starter');
  expect(hub.ranges).toEqual([]);
});

test.describe('what can’t be had', () => {
  test.use({ expectedErrors: /status of 40[134]/ });

  test('is said with what to do, and what is loaded stays; an adapter brings its base along, and a run begins from it', async ({
    page,
    openPage,
  }) => {
    await openPage({ ...SETTINGS, numSteps: 1 });
    const before = (await snapshotOf(page)).modelName;
    await openPicker(page);
    await lookUp(page, 'nothing');
    await expect(failed(page)).toContainText('org/name');
    await lookUp(page, 'test/nothing');
    await expect(failed(page)).toContainText('private or gated, or there is none of this name');
    await lookUp(page, 'test/gated');
    await expect(failed(page)).toContainText('Give a token');
    await page.getByTestId('hub-token').fill('hf_right');
    await page.getByTestId('model-look-up').click();
    await expect(page.getByTestId('found-model')).toBeVisible();

    const quota = await page.context().newCDPSession(page);
    await quota.send('Storage.overrideQuotaForOrigin', {
      origin: new URL(page.url()).origin,
      quotaSize: 100_000,
    });
    await page.getByTestId('model-load').click();
    await expect(failed(page)).toContainText(/no more room for it|are needed and this browser gives/);
    expect((await snapshotOf(page)).modelName).toBe(before);
    await quota.send('Storage.overrideQuotaForOrigin', { origin: new URL(page.url()).origin });

    await lookUp(page, 'test/adapter');
    const found = page.getByTestId('found-model');
    await expect(found).toContainText(`test/starter@${COMMIT}`);
    await expect(found).toContainText('test/adapter: rank 3, α 6, on q_proj, up_proj');
    await page.getByTestId('model-load').click();
    await expect(page.getByTestId('model-picker')).toBeHidden();
    await expect(page).toHaveURL(/loraRank=3/);
    await page.getByTestId('train-button').click();
    await reachPhase(page, 'finished');
    const { config, metrics } = await snapshotOf(page);
    expect(config).toMatchObject({ loraRank: 3, loraAlpha: 6, loraTargets: ['q_proj', 'up_proj'] });
    // KL is measured against the model with the adapter as it came.
    expect(metrics[0]?.kl).toBeLessThan(1e-6);

    // Kept, it is listed as what it is, and looked up with its base.
    await page.getByTestId('model-picker-button').click();
    await expect(page.getByTestId('kept-model').filter({ hasText: 'test/adapter, adapter' })).toBeVisible();
    await page.getByRole('button', { name: 'Load test/adapter' }).click();
    await expect(found).toContainText(`test/starter@${COMMIT}`);
  });
});

test('a download shows how far it is, is cancelled, and goes on after a reload behind its last whole range', async ({
  page,
  openPage,
}) => {
  const size = hub.models.get('test/large')?.files.get('model.safetensors')?.length ?? 0;
  expect(size).toBeGreaterThan(2 * RANGE_BYTES);
  await openPage(SETTINGS);
  await openPicker(page);
  await lookUp(page, 'test/large');
  await expect(page.getByTestId('found-model')).toContainText('BF16');
  // The first range waits until the page's clock has moved on; the second one is never complete.
  let goOn = (): void => undefined;
  const until = new Promise<void>((resolve) => (goOn = resolve));
  hub.fail('model.safetensors', { kind: 'hold', after: 1e6, from: 0, until });
  hub.fail('model.safetensors', {
    kind: 'hold',
    after: 1e6,
    from: RANGE_BYTES,
    until: new Promise(() => undefined),
  });
  await page.clock.install();
  await page.getByTestId('model-load').click();
  const progress = page.getByTestId('model-progress');
  const done = async (): Promise<number> => Number(await progress.getAttribute('data-done'));
  await expect.poll(done).toBeGreaterThan(0);
  await page.clock.fastForward(1000);
  goOn();
  await expect.poll(done).toBeGreaterThan(RANGE_BYTES);
  await expect(progress).toContainText(/MB of \d+ MB, \d+ MB a second, \d+ s left/);
  await page.getByTestId('model-cancel').click();
  await expect(page.getByText('the downloaded part is kept')).toBeVisible();
  await expect(page.getByTestId('kept-model')).toContainText(/test\/large \d+ MB of \d+ MB/);

  await page.reload();
  await reachLoaded(page);
  hub.ranges.splice(0);
  await page.getByTestId('model-picker-button').click();
  await page.getByRole('button', { name: 'Resume test/large' }).click();
  await page.getByTestId('model-load').click();
  await expect(page.getByTestId('model-picker')).toBeHidden();
  // The header once, then what was missing.
  expect(weightRanges().filter((begin) => begin > 0)).toEqual(
    Array.from({ length: Math.ceil(size / RANGE_BYTES) - 1 }, (_, i) => (i + 1) * RANGE_BYTES),
  );
  expect((await snapshotOf(page)).modelName).toContain('test/large');

  await page.getByTestId('model-picker-button').click();
  await page.getByRole('button', { name: /Delete test\/large/ }).click();
  await expect(page.getByTestId('kept-model')).toHaveCount(0);
});

test.describe('what goes wrong on the way', () => {
  test.use({ expectedErrors: /status of (429|503)|ERR_CONTENT_LENGTH_MISMATCH|ERR_CONNECTION/ });

  // `src/engine/hub/remote/remote.test.ts` has every fault in Node, and what is sent to the Hub (below) goes by the same words on the page.
  slowTest(
    'a connection that says nothing is given up, and a file that has another etag then begins again',
    async ({ page, openPage }) => {
      // Only loading has the short patience here: the page's other waits are those of all tests.
      await page.addInitScript(() => {
        const post = Reflect.get(Worker.prototype, 'postMessage') as (
          this: Worker,
          ...given: unknown[]
        ) => void;
        Worker.prototype.postMessage = function (message: object, ...rest: unknown[]) {
          const loads = 'stallMilliseconds' in message;
          post.call(this, loads ? { ...message, stallMilliseconds: 1000 } : message, ...rest);
        };
      });
      await openPage(SETTINGS);
      await openPicker(page);
      await lookUp(page, 'test/starter');
      await expect(page.getByTestId('found-model')).toBeVisible();
      hub.ranges.splice(0);
      hub.fail('model.safetensors', { kind: 'stall', after: 3000 });
      hub.fail('model.safetensors', { kind: 'etag', etag: '"another"' });
      const said = await textsOf(page, 'model-progress');
      await page.getByTestId('model-load').click();
      await expect(page.getByTestId('model-picker')).toBeHidden();
      expect((await snapshotOf(page)).modelName).toBe('test/starter');
      expect((await said()).join('\n')).toContain('nothing came for 1 s, trying again');
      // The rest behind byte 3,000 was asked for on condition of the etag, so all of it came; none of that was taken.
      expect(weightRanges().slice(0, 3)).toEqual([0, 0, 0]);
    },
  );

  slowTest(
    'busy servers and broken connections are asked again, and nothing that came is lost',
    async ({ page, openPage }) => {
      await openPage(SETTINGS);
      await openPicker(page);
      await lookUp(page, 'test/large');
      await expect(page.getByTestId('found-model')).toBeVisible();
      hub.ranges.splice(0);
      hub.fail('model.safetensors', { kind: 'status', status: 429, retryAfter: 0 });
      hub.fail('model.safetensors', { kind: 'truncate', after: 3_000_000 });
      hub.fail('model.safetensors', { kind: 'status', status: 503, retryAfter: 0 });
      await page.getByTestId('model-load').click();
      await expect(page.getByTestId('model-picker')).toBeHidden();
      expect((await snapshotOf(page)).modelName).toBe('test/large');
      const [first = -1, second = -1] = weightRanges();
      expect(first).toBe(0);
      // The second request begins where the connection broke, not at the beginning of the range.
      expect(second).toBeGreaterThan(0);
      expect(second).toBeLessThan(RANGE_BYTES);
    },
  );
});

/** Fills in where the model is to go, and asks for the list of what would. */
async function reviewPush(page: Page, repo: string, token: string): Promise<void> {
  await page.getByTestId('push-repo').fill(repo);
  await page.getByTestId('hub-url').fill(hub.url);
  await page.getByTestId('hub-token').fill(token);
  await page.getByTestId('push-review').click();
}

test.describe('sent to the Hub', () => {
  // The server is asked whether there is such a repository.
  test.use({ expectedErrors: /status of (403|404|409)/ });

  test('the export arrives byte for byte, and is loaded again by its name', async ({ page, openPage }) => {
    await openPage(SETTINGS);
    await press(page, 'export-button');
    const exported = unzipped(await fileBehind(page, 'export-download'));
    await openFold(page, 'Send to the Hub');
    await reviewPush(page, 'me/trained', 'hf_read');
    const confirmation = page.getByTestId('push-confirmation');
    await expect(confirmation).toContainText('to me/trained on http');
    await expect(confirmation).toContainText('The repository will be created: private.');
    for (const [name, { length }] of exported) {
      const row = { name: `${name} ${length.toLocaleString('en-US')}`, exact: true };
      await expect(confirmation.getByRole('row', row)).toBeVisible();
    }
    await page.getByTestId('push-send').click();
    await expect(page.getByTestId('export-problem')).toContainText('"This token has no write access".');
    expect(hub.models.has('me/trained')).toBe(false);

    await confirmation.getByRole('button', { name: 'Back' }).click();
    await reviewPush(page, 'me/trained', 'hf_write');
    const weights = `/lfs/${sha256(exported.get('model.safetensors'))}`;
    const reachStall = (): Promise<void> => expect.poll(() => hub.faultsLeft(weights)).toBe(0);
    hub.fail(weights, { kind: 'stall', after: 0 });
    await page.getByTestId('push-send').click();
    const progress = page.getByTestId('export-progress');
    await reachStall();
    await expect(progress).toContainText('Sending');
    await page.getByTestId('export-cancel').click();
    await expect(progress).toBeHidden();
    expect(hub.models.get('me/trained')?.files.size).toBe(0);
    hub.fail(weights, { kind: 'stall', after: 0 });
    await page.clock.install();
    const said = await textsOf(page, 'export-progress');
    await page.getByTestId('push-send').click();
    await reachStall();
    const givenUp = `Sending: nothing was taken for ${NO_HURRY.deadline} s, trying again`;
    await expect
      .poll(async () => {
        const isSaid = (await said()).some((text) => text.includes(givenUp));
        // Once more where the upload was heard of since.
        if (!isSaid) await page.clock.fastForward(1000 * NO_HURRY.deadline);
        return isSaid;
      })
      .toBe(true);
    await expect(page.getByTestId('push-sent').getByRole('link')).toHaveAttribute(
      'href',
      `${hub.url}/me/trained`,
    );
    const there = hub.models.get('me/trained');
    expect(there?.token).toBe('hf_write');
    expect([...(there?.files.keys() ?? [])].toSorted()).toEqual([...exported.keys()].toSorted());
    for (const [name, bytes] of exported)
      expect(sha256(there?.files.get(name)), `${name}`).toBe(sha256(bytes));
    expect(hub.uploads.map(({ token }) => token)).not.toContain('hf_write');

    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByTestId('model-picker-button').click();
    await lookUp(page, 'me/trained');
    await expect(page.getByTestId('found-model')).toContainText(there?.commit ?? 'none');
    await page.getByTestId('model-load').click();
    await expect(page.getByTestId('model-picker')).toBeHidden();
    expect((await snapshotOf(page)).modelName).toBe('me/trained');
  });
});
