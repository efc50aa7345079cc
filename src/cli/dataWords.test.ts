/** Rows that programs are given: from files and a server with the Hub's paths, for GSM8K and for tasks of the user's own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { findTask, setCustomTasks } from '@rl-playground/tasks/parts';
import { startHub, type HubServer } from '@rl-playground/engine/testing/hubServer';
import { checkDataWords, readDataWords } from './dataWords.ts';
import train from './train.ts';
import { accepted, refused } from './testing/trainWords.ts';

const COMMIT = 'f'.repeat(40);
const folder = mkdtempSync(join(tmpdir(), 'rl-playground-data-'));
const sums = Array.from({ length: 60 }, (_, i) => ({ sum: `${i} + ${i}`, total: 2 * i }));
const jsonl = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const mine = join(folder, 'my sums.jsonl');

let hub: HubServer;
let said: string[] = [];
beforeAll(async () => {
  writeFileSync(mine, jsonl(sums));
  const word = (i: number) => ({ question: `What is ${i} and 1?`, answer: `It is more.\n#### ${i + 1}` });
  const bytes = (rows: readonly object[]) => new TextEncoder().encode(jsonl(rows));
  const files = new Map([
    ['main/train.jsonl', bytes(Array.from({ length: 20 }, (_, i) => word(i)))],
    ['main/test.jsonl', bytes(Array.from({ length: 5 }, (_, i) => word(100 + i)))],
  ]);
  hub = await startHub({ 'datasets/openai/gsm8k': { commit: COMMIT, files } });
});
beforeEach(() => {
  said = [];
  for (const stream of ['log', 'error'] as const)
    vi.spyOn(console, stream).mockImplementation((text) => void said.push(String(text)));
});
afterEach(() => {
  vi.restoreAllMocks();
  setCustomTasks([]);
});
afterAll(async () => {
  await hub.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('nothing is loaded, and one line says what to do,', () => {
  test.each([
    [['--task', 'gsm8k'], /rows of GSM8K are missing.*--data hub:openai\/gsm8k or --data FILE/],
    [['--task', 'gsm8k', '--data', mine], /"starter" is too small.*--model org\/name/],
    [['--task', 'own:sums'], /own:sums is not here.*--data FILE/],
    [['--task', 'sum_digits', '--data', mine], /sum_digits draws its own problems/],
    [['--grader', 'number'], /--grader.*add --data/],
    [['--task', 'gsm8k', '--data', mine, '--grader', 'number'], /gsm8k has its own/],
    [['--grader-setting', 'percent=true'], /--grader-setting.*add --data/],
    [['--score', 'score.ts'], /--score.*add --data/],
    [['--data', mine, '--grader-setting', 'patern=x'], /has no setting "patern".*ignoreCase, ignoreSpace/],
    [['--data', mine, '--score', 'none.ts'], /none\.ts can't be read/],
    [['--data', join(folder, 'none.jsonl')], /there is no such file/],
    [['--data', mine], /2 columns were found \("sum", "total"\)/],
    [['--data', mine, '--data-columns', 'question=sum,answer=x'], /no column "x".*"sum", "total"/],
    [['--data', 'hub:nothing'], /write hub:org\/name/],
  ])('train %j', async (words, message) => {
    expect(await train(words)).toBe(2);
    expect(said).toEqual([expect.stringMatching(message)]);
  });
});

test('words that name no column or grader are refused where they are read', () => {
  expect(refused('--data', 'x', '--data-columns', 'question').text).toContain('question=COLUMN');
  expect(refused('--data', 'x', '--grader', 'code').text).toContain('answer_tag');
});

test('what was taken for what is said before anything is trained', async () => {
  const choices = join(folder, 'choices.jsonl');
  const row = (i: number) => ({
    prompt: [
      { role: 'system', content: 'Choose.' },
      { role: 'user', content: `Which is ${i}?` },
    ],
    options: [`${i}`, `${i + 1}`, 'none'],
    answer: i % 3,
  });
  writeFileSync(choices, jsonl(Array.from({ length: 60 }, (_, i) => row(i))));
  const { data, config } = accepted('--data', choices, '--model', 'a/b');
  const given = await readDataWords(data, config, { hubUrl: hub.url });
  expect(said[1]).toBe(
    'own:choices: the question from the last turn of the user in “prompt” with the choices in “options” below it by their letters, the answer’s letter from “answer”, where numbers count from 0. The system message of 60 rows takes the place of the task’s system prompt.',
  );
  const [task] = given?.customTasks ?? [];
  expect(task?.grader).toEqual({ kind: 'multiple_choice', choices: 3 });
  expect(task?.rows[0]).toEqual({
    question: 'Which is 0?\n\nA. 0\nB. 1\nC. none',
    answer: 'A',
    system: 'Choose.',
  });
});

test('rows are graded as the words say, and that is said before the run', async () => {
  const given = async (...words: string[]) => {
    said = [];
    const { data, config } = accepted(
      '--data',
      mine,
      '--data-columns',
      'question=sum,answer=total',
      ...words,
    );
    const read = await readDataWords(data, config, { hubUrl: hub.url });
    return read?.customTasks[0]?.grader;
  };
  expect(await given('--grader', 'number', '--grader-setting', 'absolute=1')).toMatchObject({ absolute: 1 });
  expect(said[2]).toMatch(
    /^Grader of own:my sums: Number \(absolute 1, relative 0, percent false\)\. A right/,
  );
  expect(await given('--grader', 'regex')).toMatchObject({ pattern: '' });
  await expect(given('--grader', 'regex', '--grader-setting', 'pattern=x(\\d+)y*')).rejects.toThrow(
    /finds no answer in the worked answer "0".*--grader-setting form=…, with \{answer\} for the row's; it is "\{answer\}" now/,
  );
});

test('rows of the Hub are given to GSM8K, with their commit and hash', async () => {
  const { data, config } = accepted('--task', 'gsm8k', '--data', 'hub:openai/gsm8k', '--model', 'a/b');
  const given = await readDataWords(data, config, { hubUrl: hub.url });
  expect(findTask('gsm8k')?.dataset?.counts()).toEqual({ train: 20, eval: 5 });
  expect(given?.taskRows[0]?.origin).toMatchObject({ source: 'hub:openai/gsm8k', commit: COMMIT });
  expect(said[0]).toMatch(/25 rows of hub:openai\/gsm8k at f{40}, SHA-256 [0-9a-f]{64}/);
  // They are there now: a run can begin.
  expect(() => checkDataWords({ data: [] }, config)).not.toThrow();
});
