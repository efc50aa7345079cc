import { describe, expect, it } from 'vitest';
import { defaultConfig } from '@rl-playground/run/settings';
import { csvOf } from '../../see/charts/csv.ts';
import type { HandInFile } from '../kept/keptStore.ts';
import { claimOf, handInsTable, resultText, rowOf, sorted, trainedOn, verdictText } from './handInTable.ts';

const claim = claimOf({
  learner: 'Ada',
  computation: 'wasm, products and sums rounded once, functions 29e79bd8',
  settingsVersion: 6,
  settings: { ...defaultConfig('reverse_digits'), numSteps: 9, learningRate: 0.009 },
  customTasks: [],
  metrics: Array.from({ length: 9 }, () => ({})),
  evaluations: [
    { step: 0, accuracy: 0.5, greedy: { accuracy: 0.69 } },
    { step: 9, accuracy: 0.25, greedy: { accuracy: 0.5 } },
  ],
});

const row = (id: number, changes: Partial<HandInFile> = {}): HandInFile => ({
  id,
  file: new File([], `hand-in-${id}.json`),
  claim,
  verdict: null,
  problem: null,
  ...changes,
});

const difference = { place: 'Step 2', key: 'accuracy', claimed: '1', found: '0.5' };

describe('a row of the table', () => {
  it('has what the file claims, at its last evaluation', () => {
    expect(claim).toMatchObject({
      learner: 'Ada',
      task: 'reverse_digits',
      steps: 9,
      greedy: 0.5,
      sampled: 0.25,
      trainedOn: 'CPU (WebAssembly), build 29e79bd8',
      // 9 steps of 16 × 8 answers, and two evaluations that ask 200 problems twice.
      answers: 9 * 128 + 2 * 2 * 200,
    });
    expect(claim.changes).toContain('0.009');
    expect(resultText(claim)).toBe('50.0% greedy');
    expect(resultText({ ...claim, greedy: null })).toBe('25.0% sampled');
    expect(resultText({ ...claim, greedy: null, sampled: null })).toBe('not evaluated');
    expect(trainedOn('webgpu, NVIDIA H200 · f16')).toBe('GPU (WebGPU), NVIDIA H200 · f16');
  });

  it('says in a sentence what came of the check', () => {
    expect(verdictText({ kind: 'same' })).toBe('Verified: the re-run matches the file in every figure.');
    expect(verdictText({ kind: 'different', difference })).toBe(
      'Differs in step 2, accuracy: the file says 1, the re-run gives 0.5.',
    );
    expect(verdictText({ kind: 'refuted', difference })).toContain('its own answers give 0.5');
    expect(verdictText({ kind: 'undecided', difference })).toMatch(/^Can’t be verified here/);
  });

  it('is there for a file that can’t be read, with the reason', async () => {
    const wrong = await rowOf(3, new File(['{"kind":"a settings file"}'], 'other.json'));
    expect(wrong).toMatchObject({ id: 3, claim: null, verdict: null });
    expect(wrong.problem).toMatch(/^Can’t be read: It is not a hand-in \(kind/);
    expect((await rowOf(4, new File(['{'], 'cut.json'))).problem).toMatch(/^Can’t be read: It is not JSON/);
  });
});

describe('the table', () => {
  const rows = [
    row(1, { claim: { ...claim, learner: 'Zoë', greedy: 0.9 } }),
    row(2, { claim: { ...claim, learner: '=1+1' }, verdict: { kind: 'different', difference } }),
    row(3, { claim: null, problem: 'Can’t be read: no.' }),
  ];

  it('is sorted by any column, a file without the figure first', () => {
    const ids = (column: Parameters<typeof sorted>[1], descending = false) =>
      sorted(rows, column, descending).map(({ id }) => id);
    expect(ids('Result as handed in')).toEqual([3, 2, 1]);
    expect(ids('Result as handed in', true)).toEqual([1, 2, 3]);
    expect(ids('Name')).toEqual([2, 3, 1]);
    expect(ids('Steps', true)).toEqual([1, 2, 3]);
  });

  it('goes into a CSV that a spreadsheet runs nothing of', async () => {
    const [head, one, two, three] = (await csvOf(handInsTable(rows))).split('\r\n');
    expect(head).toBe('file,name,task,steps,greedy,sampled,settings,trained on,verdict,reason');
    expect(one).toMatch(/^hand-in-1\.json,Zoë,reverse_digits,9,0\.9,0\.25,.*,waiting,Not verified yet$/);
    expect(two).toContain(`'=1+1`);
    expect(two).toContain('"Differs in step 2, accuracy: the file says 1, the re-run gives 0.5."');
    expect(three).toMatch(/,failed,Can’t be read: no\.$/);
  });
});
