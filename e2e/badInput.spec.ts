/** Whatever is thrown at the page: it says what it found, what it needs and what to do, and the current run stays. */
import { defaultConfig } from '@rl-playground/run/settings';
import { parseSafetensors, writeSafetensors, type TensorData } from '@rl-playground/engine/parts';
import { starterFiles, zipped } from './checkpoint.ts';
import { expect, test } from './fixtures.ts';
import {
  choose,
  download,
  notice,
  number,
  openFold,
  openNotices,
  type PickedFile,
  reachPhase,
  reachStep,
  snapshotOf,
  status,
} from './page.ts';

const WEIGHTS = 'model.safetensors';

function weightBytes(): Uint8Array {
  const bytes = starterFiles().get(WEIGHTS);
  if (bytes === undefined) throw new Error('The starter model has no weights.');
  return bytes;
}

/** The starter model with its weight file exchanged. */
function withWeights(name: string, bytes: Uint8Array): PickedFile {
  return zipped(name, starterFiles().set(WEIGHTS, bytes));
}

/** The starter model with its first matrix changed. */
function withMatrix(name: string, change: (matrix: TensorData) => TensorData): PickedFile {
  const { tensors } = parseSafetensors(weightBytes(), WEIGHTS);
  const [key, matrix] =
    [...tensors].find(([, { shape }]) => shape.length === 2 && shape[0] !== shape[1]) ?? [];
  if (key === undefined || matrix === undefined) throw new Error('The starter model has no matrix.');
  return withWeights(name, writeSafetensors(tensors.set(key, change(matrix))));
}

/** Bytes that look like nothing in particular, the same in every run. */
function noise(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, i) => (i * 2654435761) >>> 24);
}

const whole = withWeights('whole.zip', weightBytes());

/** Each file with the words of its message, which says what the page found, what it needs and what to do. */
const FILES: readonly (readonly [file: PickedFile, words: readonly (string | RegExp)[]])[] = [
  [
    zipped('holiday.zip', new Map([['beach.txt', noise(100)]])),
    ['holds 1 file but no config.json', 'model.safetensors'],
  ],
  [{ name: 'random.zip', bytes: noise(5000) }, ['is no zip file', '5000 bytes', 'Choose a checkpoint']],
  [{ name: 'empty.zip', bytes: new Uint8Array(0) }, ['is no zip file', '0 bytes', 'Choose a checkpoint']],
  [
    { name: 'half.zip', bytes: whole.bytes.subarray(0, whole.bytes.byteLength >> 1) },
    ['is no whole zip file', String(whole.bytes.byteLength >> 1), 'download it again'],
  ],
  [
    withWeights('short.zip', weightBytes().subarray(0, weightBytes().byteLength - 1000)),
    [WEIGHTS, /truncated|are there/, /\d+ bytes/, 'ownload'],
  ],
  [
    withMatrix('shapes.zip', ({ shape, data }) => ({ shape: [...shape].reverse(), data })),
    ['wrong shapes', /is \[\d+, \d+\], needed is \[\d+, \d+\]/, 'of one and the same model'],
  ],
  [
    withMatrix('nan.zip', ({ shape, data }) => ({ shape, data: data.with(7, Number.NaN) })),
    ['holds 1 values of', 'NaN', 'must be finite', 'use an earlier one'],
  ],
];

/** An address in which every setting is wrong, and below it the words of each line of its message. `src/run/settings/url.test.ts` has more. */
const ADDRESS = { task: 'unknown', numGenerators: 0, learningRate: 'high', learnRate: 0.1, backend: 'cuda' };
const LINES = [
  ['task', 'unknown', 'sum_digits', 'reverse_digits'],
  ['numGenerators', '0', '1', '64'],
  ['learningRate', 'high', 'number'],
  ['learnRate', 'learningRate'],
  ['backend', 'cuda', 'webgpu', 'wasm'],
  ['The page uses the defaults instead'],
];

test('numbers that no run can have; files that are no checkpoint, a broken one, one while the model works, and one that is whole; an address with settings that can not be used, and with a model and a lesson that are not here', async ({
  page,
  openPage,
}) => {
  await openPage({
    task: 'reverse_digits',
    problemsPerStep: 2,
    rolloutsPerProblem: 2,
    maxTokens: 12,
    evalSamples: 2,
    numSteps: 100_000,
  });
  await page.getByTestId('step-button').click();
  await reachStep(page, 1);
  await reachPhase(page, 'paused');
  const { notices: _none, ...run } = await snapshotOf(page);
  const saved = await download(page);

  await test.step('numbers in the form', async () => {
    await openFold(page, 'More settings');
    const field = number(page, 'Generators');
    const message = notice(page, 'can’t be trained with these settings');
    for (const text of ['0', '1000000', '1.5']) {
      await field.fill(text);
      await expect(field).toHaveAccessibleDescription(new RegExp(text));
      await expect(page.getByTestId('train-block')).toContainText('“Generators”');
      await page.keyboard.press('Control+Enter');
      await expect(message).toContainText(text);
      const { notices: _page, ...still } = await snapshotOf(page);
      expect(still).toEqual(run);
    }
    await field.fill('1');
    // It goes with what it was about.
    await expect(message).toBeHidden();
  });

  for (const [file, words] of FILES) {
    await choose(page, file);
    const message = notice(page, `${file.name} was not loaded`);
    await expect(message).toBeVisible();
    for (const word of words) await expect(message).toContainText(word);
    const { notices, ...still } = await snapshotOf(page);
    expect(notices).toHaveLength(1);
    expect(still).toEqual(run);
    await expect(status(page)).toHaveAttribute('data-phase', 'paused');
    await message.getByRole('button', { name: /^Dismiss/ }).click();
    await expect(message).toBeHidden();
  }

  expect(Buffer.compare((await download(page)).bytes, saved.bytes)).toBe(0);

  await page.getByTestId('train-button').click();
  await reachStep(page, 2);
  await page
    .getByTestId('load-input')
    .setInputFiles({ name: whole.name, mimeType: 'application/zip', buffer: Buffer.from(whole.bytes) });
  await expect(notice(page, 'can’t be loaded right now')).toContainText('Pause or Stop');
  await expect(status(page)).toHaveAttribute('data-phase', 'training');
  await page.getByTestId('pause-button').click();
  await reachPhase(page, 'paused');
  expect((await snapshotOf(page)).config?.task).toBe('reverse_digits');

  // So the messages above were about the damage.
  await choose(page, whole);
  await expect(page.getByTestId('notices').getByText('whole.zip is loaded')).toBeVisible();

  await openPage({ ...ADDRESS, model: 'nobody/nothing', lesson: 'alchemy' });
  await expect(page.getByTestId('notices')).toContainText(
    'lesson: "alchemy" does not exist; choose one of: format, policy-gradient,',
  );
  await expect(page.getByTestId('lesson')).toBeHidden();
  const message = notice(page, 'The address of this page has settings that can’t be used');
  await openNotices(page);
  const said = (await message.innerText()).split('\n');
  for (const words of LINES)
    expect(said.filter((line) => words.every((word) => line.includes(word)))).not.toEqual([]);
  await expect(page.getByTestId('task-select')).toHaveValue('sum_digits');
  const usual = defaultConfig('sum_digits', 'default');
  await openFold(page, 'More settings');
  await expect(number(page, 'Generators')).toHaveValue(String(usual.numGenerators));
  await expect(number(page, 'Learning rate')).toHaveValue(String(usual.learningRate));

  await expect(page.getByTestId('train-block')).toContainText('The model "nobody/nothing" is not loaded');
  await page.keyboard.press('Control+Enter');
  await expect(notice(page, 'The model "nobody/nothing" is not loaded')).toContainText(
    'The bundled models are starter',
  );
  await expect(status(page)).toHaveAttribute('data-phase', 'idle');
});
