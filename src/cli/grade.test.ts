import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { describeShared } from '@rl-playground/base/testing/shared';
import { captured, type Captured } from './testing/captured.ts';
import gradeFile from './grade.ts';
import { gradeRow } from './gradeRow.ts';
import { repository } from './tools.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'grade-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The program as a person runs it, with PROOFS=all: starting npx takes four seconds of a processor, and examples/packages.test.ts does it too. */
async function typed(path: string): Promise<Captured> {
  const words = ['rl-playground', 'grade', path];
  return { code: 0, ...(await promisify(execFile)('npx', words, { cwd: repository })) };
}

async function grade(
  text: string,
  run = (path: string): Promise<Captured> => captured(gradeFile, path),
): Promise<Captured & { rows: unknown[] }> {
  const path = join(folder, 'rows.jsonl');
  writeFileSync(path, text);
  const found = await run(path);
  const lines = found.stdout.split('\n');
  expect(lines.pop()).toBe('');
  return { ...found, rows: lines.map((line) => JSON.parse(line) as unknown) };
}

const row = (value: unknown): unknown => gradeRow(JSON.stringify(value)).output;

describe('the program', () => {
  it('prints one row for each, in order, and nothing else', async () => {
    const { code, rows, stderr } = await grade(
      [
        { task: 'chain_sum', entry: { answer: '7', metadata: { expression: '4 + 3' } }, candidate: '17' },
        { task: 'sum_digits', text: '7 + 5\u2028= 12', expected: 12 },
        { task: 'no_such_task', text: '' },
        { fn: 'extract_answer', input: '<answer> 5 </answer>', kwargs: { strip: false } },
        { task: 'gsm8k', text: '\\boxed{1,\\!200}', gold: '1200', stop_reason: 'max_tokens' },
      ]
        .map((each) => JSON.stringify(each))
        .join('\n'),
      everyProof ? typed : undefined,
    );
    expect(rows).toEqual([
      { score: 0.5 },
      { extracted: '12', matchedBy: 'equals', correct: true, format: false, reward: -1 },
      { error: 'unknown task: no_such_task' },
      { output: '5' },
      { extracted: '1,\\!200', format: false, correct: true, reward: 0.9 },
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('answers malformed rows in their place and ends with 1', async () => {
    const { code, rows } = await grade(
      '{"task":\n\n{"fn":"extract_answer","input":"<answer>a</answer>"}\n[]\n',
    );
    expect(rows).toMatchObject([
      { error: expect.stringContaining('JSON') as unknown },
      { error: expect.stringContaining('JSON') as unknown },
      { output: 'a' },
      { error: expect.stringContaining('object') as unknown },
    ]);
    expect(code).toBe(1);
  });

  it('says which file it could not read', async () => {
    const { code, stdout, stderr } = await captured(gradeFile, join(folder, 'absent.jsonl'));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('absent.jsonl');
  });
});

describe('rows', () => {
  const digits = '9'.repeat(400);

  it('keep every digit of a long number', () => {
    const expected = `{"expected":1,"task":"sum_digits","text":"[ANSWER] ${digits}8","expected":${digits}8}`;
    expect(gradeRow(expected).output).toEqual({
      extracted: `${digits}8`,
      matchedBy: 'tag',
      correct: true,
      format: true,
      reward: 1,
    });
    expect(
      row({ task: 'reverse_digits', text: `[ANSWER] ${digits}8`, expected: `${digits}7` }),
    ).toMatchObject({
      correct: false,
      reward: -1,
    });
    expect(row({ task: 'sum_digits', text: '[ANSWER] -7', expected: '-007' })).toMatchObject({
      correct: true,
    });
    expect(gradeRow('{"task":"sum_digits","text":"= 28","expected":28.0}').output).toMatchObject({
      correct: true,
    });
  });

  it.each([
    [{ task: 'sum_digits', text: 'x' }, 'expected'],
    [{ task: 'sum_digits', text: 'x', expected: 1.5 }, 'expected'],
    [{ task: 'sum_digits', expected: 1 }, 'text'],
    [{ task: 'chain_sum', candidate: '1' }, 'entry'],
    [{ task: 'chain_sum', entry: { answer: '1', metadata: {} }, candidate: 1 }, 'candidate'],
    [{ task: 'countdown', entry: { answer: '1', metadata: { numbers: 1 } }, candidate: '1' }, 'metadata'],
    [{ task: 'gsm8k', text: '1', gold: null }, 'gold'],
    [{ task: 'gsm8k', text: '1', gold: '1', stop_reason: 'tired' }, 'stop_reason'],
    [{ fn: 'extract', input: '' }, 'extract'],
    [{ fn: 'extract_answer', input: '', kwargs: { tag: 'a' } }, 'kwargs'],
    [{ fn: 'extract_answer' }, 'input'],
    [{ task: 'rpn_arithmetic', text: 'x' }, 'rpn_arithmetic'],
    [{ text: 'x' }, 'task'],
    [{ grader: 'code', answer: '1', text: '1' }, 'grader'],
    [{ grader: 'number', answer: null, text: '1' }, 'answer'],
    [{ grader: 'number', settings: { precision: 1 }, answer: '1', text: '1' }, 'settings.precision'],
    [{ task: 7 }, 'task'],
    ['text', 'object'],
  ])('%j is malformed: %s', (value, named) => {
    const { output, malformed } = gradeRow(JSON.stringify(value));
    expect(malformed).toBe(true);
    expect(output['error']).toContain(named);
  });

  it("pay TorchTitan's bonus for its own task", () => {
    const text = '[ANSWER] 28';
    expect(row({ task: 'sum_digits_titan', text, expected: 28 })).toMatchObject({
      format: true,
      reward: 1.2,
    });
  });

  it.each([
    [
      { grader: 'number', answer: '14/15', text: '7/15' },
      { correct: false, extracted: '7/15', total: 0.2 },
    ],
    [
      { grader: 'number', settings: { absolute: 0.5 }, answer: 10, text: '<answer>10.5</answer>' },
      { correct: true, extracted: '10.5', total: 1.2 },
    ],
    [
      { grader: 'multiple_choice', settings: { choices: 5 }, answer: 'E', text: 'The answer is (E).' },
      { correct: true, extracted: 'E', total: 1.2 },
    ],
    [
      { grader: 'exact', answer: 'a', text: 'b' },
      { correct: false, extracted: 'b', total: 0.2 },
    ],
    [
      { grader: 'number', answer: '10-12', text: '12' },
      { refused: expect.stringContaining('can’t be read whole') as unknown },
    ],
    [
      { grader: 'regex', settings: { pattern: '(' }, answer: 'a', text: 'a' },
      { refused: expect.stringContaining("can't be used") as unknown },
    ],
    [
      { grader: 'multiple_choice', settings: { choices: 40 }, answer: 'A', text: 'A' },
      { refused: expect.stringContaining('settings.choices') as unknown },
    ],
  ])('try a grader for rows of one’s own: %j', (value, output) => {
    expect(gradeRow(JSON.stringify(value))).toEqual({ output, malformed: false });
  });

  it('keep the digits of a gold of theirs', () => {
    const line = '{"grader":"boxed","answer":9007199254740993,"text":"\\\\boxed{9007199254740992}"}';
    expect(gradeRow(line).output).toMatchObject({ correct: false });
    expect(gradeRow(line.replace('992}', '993}')).output).toMatchObject({ correct: true });
  });

  it('know tasks by their other names, and none by what objects are made of', () => {
    const entry = { answer: '', metadata: { numbers: [4, 3, 9, 8], operators: ['+', '-', '*', '/'] } };
    const candidate = '4 + 3 + 9 + 8';
    expect(row({ task: 'game_of_24', entry, candidate })).toEqual(
      row({ task: 'puzzle24', entry, candidate }),
    );
    expect(row({ task: 'game_of_24', entry, candidate })).toEqual({ score: 1 });
    expect(row({ task: 'constructor', entry, candidate })).toEqual({ error: 'unknown task: constructor' });
  });

  it('take the last of several equal keys, and none from within', () => {
    const line =
      '{"task":"sum_digits","a":[{"expected":1}],"expected":2,"text":"[ANSWER] -40000000000000000000","\\u0065xpected":-40000000000000000000,"c":{"expected":5}}';
    expect(gradeRow(line)).toMatchObject({ output: { correct: true }, malformed: false });
  });
});

describeShared('reference rows', 'refdata', (shared) => {
  const rowsOf = (file: string) =>
    readFileSync(join(shared, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it("equal the Monarch experiment's", () => {
    for (const each of rowsOf('digits/extract_answer.jsonl')) {
      const found = row({ task: 'sum_digits', text: each['input'], expected: each['expected'] });
      expect({ id: each['id'], ...(found as object) }).toEqual({
        id: each['id'],
        extracted: each['extracted_str'],
        matchedBy: each['matched_by'],
        correct: each['correct'],
        format: each['has_answer_tag'],
        reward: each['reward_monarch'],
      });
    }
  });

  it("equal the Tinker cookbook's", () => {
    for (const each of rowsOf('math/responses.jsonl')) {
      const found = row({ task: 'gsm8k', text: each['candidate'], gold: each['gold'] }) as { reward: number };
      expect({ id: each['id'], ...found, reward: 0 }).toEqual({
        id: each['id'],
        extracted: each['extracted'],
        format: each['format_ok'],
        correct: each['correct'],
        reward: 0,
      });
      expect(found.reward).toBeCloseTo(each['reward_math_env'] as number, 12);
    }
  });

  it("equal reasoning-gym's extraction", () => {
    for (const { id, input, kwargs, output } of rowsOf('rg/extract_answer.jsonl'))
      expect({ id, found: row({ fn: 'extract_answer', input, kwargs }) }).toEqual({ id, found: { output } });
  });
});
