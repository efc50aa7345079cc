/** A run that is taken to a cluster: the dialog's zip for each trainer, and the sentence where there is none. */
import { parse } from 'yaml';
import { unzipped } from './checkpoint.ts';
import { expect, test } from './fixtures.ts';
import { fileBehind, openFold, press, reachPhase } from './page.ts';

const RUN = {
  task: 'reverse_digits',
  numSteps: 3,
  problemsPerStep: 2,
  rolloutsPerProblem: 2,
  evalSamples: 2,
  maxTokens: 24,
} as const;

test('a run goes on elsewhere with its next problems; without a run a sentence says what is missing', async ({
  page,
  openPage,
}) => {
  await openPage(RUN);
  await press(page, 'export-button');
  await openFold(page, 'Continue on a cluster');
  await page.getByTestId('handoff-download').click();
  await expect(page.getByTestId('export-problem')).toContainText(
    'holds no run: settings and a step are needed',
  );
  await page.getByRole('button', { name: 'Close' }).click();

  await page.getByTestId('step-button').click();
  await reachPhase(page, 'paused');
  await press(page, 'export-button');
  await openFold(page, 'Continue on a cluster');
  await expect(page.getByTestId('export-problem')).toBeHidden();
  const text = (files: ReadonlyMap<string, Uint8Array>, name: string): string =>
    new TextDecoder().decode(files.get(name));

  const trl = await fileBehind(page, 'handoff-download');
  expect(trl.name).toBe('rl-playground-reverse_digits-step-1-trl.zip');
  const files = unzipped(trl);
  expect(parse(text(files, 'config.yaml'))).toMatchObject({ num_generations: 2, max_steps: 2 });
  expect(JSON.parse(text(files, 'run.json'))).toMatchObject({
    learning_rate: { steps_made: 1, total_steps: 3 },
  });
  const rows = text(files, 'train.jsonl').trimEnd().split('\n');
  expect(rows.map((row) => (JSON.parse(row) as { index: number }).index)).toEqual([2, 3, 4, 5]);
  for (const name of [
    'train.py',
    'reward.py',
    'optimizer.safetensors',
    'model/model.safetensors',
    'not_carried.md',
  ])
    expect(files.get(name)?.length, name).toBeGreaterThan(500);

  await page.getByTestId('handoff-trainer').selectOption('verl');
  const verl = unzipped(await fileBehind(page, 'handoff-download'));
  expect(text(verl, 'train.parquet').slice(0, 4)).toBe('PAR1');
  await page.getByTestId('handoff-trainer').selectOption('prime-rl');
  const prime = unzipped(await fileBehind(page, 'handoff-download'));
  expect(text(prime, 'rl.toml')).toContain('id = "rl-playground-handoff"');
});
