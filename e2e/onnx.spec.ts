/** The ONNX download: its files, and that transformers.js gives the same answers with them as the page. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page, Route } from '@playwright/test';
import { isolationHeaders } from '@rl-playground/base/isolationHeaders';
import { provenBy } from '@rl-playground/base/testing/proofs';
import { unzipped } from './checkpoint.ts';
import { expect, slowTest } from './fixtures.ts';
import { downloadOnnx, reachPhase, snapshotOf } from './page.ts';

/** Greedy, so that there is one right answer; few problems and steps, because what is learned does not matter here. */
const SETTINGS = {
  numSteps: 2,
  problemsPerStep: 4,
  evalSamples: 12,
  evalTemperature: 0,
  learningRate: 0.001,
};

const packages = fileURLToPath(new URL('../node_modules/', import.meta.url));

/** The module of the README's only example. */
function exampleIn(readme: string): string {
  const [, code] = /```js\n([\s\S]*?)```/.exec(readme) ?? [];
  if (code === undefined) throw new Error('The README has no example.');
  return code;
}

/** A page of somebody else: the example of the README, the folder as `models/my-model`, packages from where pages get them. */
async function openOtherPage(
  page: Page,
  address: string,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  const library = { '@huggingface/transformers': './transformers.min.js' };
  const html = `<!doctype html><link rel="icon" href="data:,"><script type="importmap">${JSON.stringify({ imports: library })}</script>
    <script type="module">${exampleIn(new TextDecoder().decode(files.get('README.md')))}</script>`;
  const answer = async (route: Route): Promise<void> => {
    const path = new URL(route.request().url()).pathname.split('/other/')[1] ?? '';
    const file = files.get(path.replace('models/my-model/', ''));
    if (path === '') {
      await route.fulfill({ body: html, contentType: 'text/html', headers: isolationHeaders });
    } else if (path === 'transformers.min.js') {
      await route.fulfill({
        path: `${packages}@huggingface/transformers/dist/${path}`,
        headers: isolationHeaders,
      });
    } else if (file) await route.fulfill({ body: Buffer.from(file) });
    else await route.fulfill({ status: 404 });
  };
  await page.route(`${address}**`, answer);
  await page.route('https://cdn.jsdelivr.net/npm/onnxruntime-web*/dist/*', async (route) => {
    const name = basename(new URL(route.request().url()).pathname);
    await route.fulfill({
      body: await readFile(`${packages}onnxruntime-web/dist/${name}`),
      contentType: name.endsWith('.wasm') ? 'application/wasm' : 'text/javascript',
      headers: { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' },
    });
  });
  await page.goto(address);
}

/** Greedy answers to each question by itself. */
function answers(
  page: Page,
  device: 'wasm' | 'webgpu',
  questions: readonly string[],
  newTokens: number,
): Promise<string[]> {
  return page.evaluate(
    async ({ device, questions, newTokens }) => {
      const { pipeline } = await import('@huggingface/transformers');
      const generator = await pipeline('text-generation', 'my-model', { device });
      const texts: string[] = [];
      for (const content of questions) {
        const chat = [{ role: 'user', content }];
        const [answer] = await generator(chat, { max_new_tokens: newTokens, do_sample: false });
        const messages = answer?.generated_text as { content: string }[] | undefined;
        texts.push(messages?.at(-1)?.content ?? '');
      }
      await generator.dispose();
      return texts;
    },
    { device, questions, newTokens },
  );
}

slowTest('a trained model goes on in transformers.js', async ({ page, context, openPage, baseURL }) => {
  // `src/bridges/onnx/transformers.gpu.test.ts` has transformers.js answer from the same files.
  await openPage(SETTINGS);
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  const { evaluations, config } = await snapshotOf(page);
  const evaluation = evaluations.at(-1);
  if (!evaluation || !config) throw new Error('The run left no evaluation.');
  expect(evaluation).toMatchObject({ step: SETTINGS.numSteps, n: SETTINGS.evalSamples, temperature: 0 });

  const archive = await downloadOnnx(page);
  expect(archive.name).toBe('rl-playground-sum_digits-step-2-onnx-f32.zip');
  const files = unzipped(archive);
  expect([...files.keys()].sort()).toEqual([
    'README.md',
    'config.json',
    'generation_config.json',
    'onnx/model.onnx',
    'tokenizer.json',
    'tokenizer_config.json',
  ]);

  const other = await context.newPage();
  const said = other.waitForEvent('console', (message) => message.type() === 'log');
  await openOtherPage(other, `${baseURL ?? ''}other/`, files);
  await said;
  const questions = evaluation.samples.map(({ question }) => question);
  const expected = evaluation.samples.map(({ text }) => text);
  // `src/bridges/onnx/transformers.gpu.test.ts` has the starter's graph answer on both.
  const devices = [
    ['wasm', questions.length],
    ['webgpu', 3],
  ] as const;
  for (const [device, count] of provenBy(devices, [devices[0]])) {
    const actual = await answers(other, device, questions.slice(0, count), config.maxTokens);
    expect(actual, device).toEqual(expected.slice(0, count));
  }
});
