/** The grader of an own task by the words of a command line: settings, programs, and what is said before a run. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { customTask, GRADER_DEFAULTS, type CustomTask, type Problem } from '@rl-playground/tasks/parts';
import { graderLines, graderOfWords, systemPromptOf, type GraderWords } from './graderWords.ts';

const folder = mkdtempSync(join(tmpdir(), 'rl-playground-grader-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fileOf = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const LENGTH = fileOf(
  'length.ts',
  'export const score = (p: { answer: string }, c: { text: string }): number => c.text.length + Number(p.answer > "") * 10;',
);

function definitionOf(words: GraderWords, answers: readonly string[] = ['12', '15']): CustomTask {
  const grader = graderOfWords(words);
  const rows = Array.from({ length: 30 }, (_, i) => ({
    question: `q${i}`,
    answer: answers[i % answers.length] ?? '',
  }));
  return { name: 'mine', rows, grader, system: systemPromptOf(words, grader) };
}
const linesOf = (words: GraderWords, answers?: readonly string[]) =>
  graderLines(definitionOf(words, answers), words, 0);

describe('settings', () => {
  test('are the page’s where no word changes them', () => {
    for (const kind of ['answer_tag', 'number', 'boxed', 'multiple_choice', 'exact'] as const)
      expect(graderOfWords({ grader: kind })).toEqual(GRADER_DEFAULTS[kind]);
    expect(graderOfWords({})).toEqual(GRADER_DEFAULTS.answer_tag);
  });

  test.each<[GraderWords, object]>([
    [
      { grader: 'number', graderSetting: ['absolute=0.5', 'percent=true'] },
      { absolute: 0.5, percent: true },
    ],
    [{ grader: 'number', graderSetting: ['relative=1e-2'] }, { relative: 0.01 }],
    [{ grader: 'multiple_choice', graderSetting: ['choices=6'] }, { choices: 6 }],
    [{ graderSetting: ['ignore_case=true', 'ignoreSpace=false'] }, { ignoreCase: true, ignoreSpace: false }],
    [
      { grader: 'regex', graderSetting: ['pattern=x = (.+)'] },
      { pattern: 'x = (.+)', form: 'x = {answer}' },
    ],
    [{ grader: 'regex', graderSetting: ['pattern=(a|b)(.)'] }, { form: '{answer}' }],
    [{ grader: 'regex', graderSetting: ['pattern=(\\d+)$', 'form=so {answer}'] }, { form: 'so {answer}' }],
    [
      { score: LENGTH, graderSetting: ['leaveOutFailures=true'] },
      { kind: 'code', leaveOutFailures: true },
    ],
  ])('%j', (words, settings) => {
    expect(graderOfWords(words)).toMatchObject(settings);
  });

  test.each<[GraderWords, string]>([
    [
      { grader: 'regex', graderSetting: ['patern=x'] },
      '--grader-setting patern=x: the grader regex has no setting "patern". Its settings: pattern, form, ignoreCase, ignoreSpace.',
    ],
    [
      { grader: 'boxed', graderSetting: ['percent=true'] },
      'boxed has no setting "percent". Its settings: none.',
    ],
    [{ score: LENGTH, graderSetting: ['source=x'] }, 'Its settings: form, leaveOutFailures.'],
    [{ graderSetting: ['ignoreCase'] }, '--grader-setting ignoreCase: write NAME=VALUE.'],
    [{ graderSetting: ['ignoreCase=yes'] }, '--grader-setting ignoreCase=yes: ignoreCase is true or false.'],
    [{ grader: 'number', graderSetting: ['absolute=some'] }, 'absolute is a number.'],
    [{ grader: 'number', graderSetting: ['absolute='] }, 'absolute is a number.'],
    [{ grader: 'number', graderSetting: ['absolute=-1'] }, '--grader-setting absolute: '],
    [{ grader: 'multiple_choice', graderSetting: ['choices=99'] }, '--grader-setting choices: '],
    [
      { grader: 'number', score: LENGTH },
      '--score grades by a program of its own: leave out --grader number.',
    ],
    [{ score: join(folder, 'none.ts') }, "none.ts can't be read"],
    [{ score: fileOf('empty.ts', ' \n') }, 'the file is empty'],
  ])('%j are refused', (words, message) => {
    expect(() => graderOfWords(words)).toThrow(message);
  });
});

describe('regex', () => {
  const right = (words: GraderWords, answer: string, text: string): boolean => {
    const task = customTask(definitionOf(words, [answer]));
    const problem: Problem = { ...task.generate(0, 'train', 0, task.defaults), answer };
    const completion = { text, tokens: [], stopReason: 'eos' as const };
    return task.score(problem, completion, { mode: 'strict', config: task.defaults }).correct;
  };

  test('takes each row’s answer for a pattern, unless a pattern is written', () => {
    const rows: GraderWords = { grader: 'regex' };
    expect(right(rows, 'is (twelve|12)\\b', 'It is 12.')).toBe(true);
    expect(right(rows, 'is (twelve|12)\\b', 'It is 123.')).toBe(false);
    // The first pattern of the page's form, which nobody wrote here.
    expect(right(rows, '^12$', 'Answer: 12')).toBe(false);
    const written: GraderWords = { grader: 'regex', graderSetting: ['pattern=#### (.+)'] };
    expect(right(written, '12', 'so\n#### 12')).toBe(true);
    expect(right(written, '12', '12')).toBe(false);
  });

  test('has the usual words for the model only with the pattern that they speak of', () => {
    expect(definitionOf({ grader: 'regex' }, ['\\d']).system).toBe('');
    expect(definitionOf({ grader: 'regex', graderSetting: ['pattern=Answer: (.+)'] }).system).toContain(
      'Answer:',
    );
    expect(definitionOf({ grader: 'regex', systemPrompt: 'Say it.' }).system).toBe('Say it.');
    expect(definitionOf({ grader: 'number' }).system).toContain('<answer>');
  });
});

describe('the lines before a run', () => {
  test('name the grader, its settings, a right answer and the words for the model', async () => {
    expect(await linesOf({ grader: 'number', graderSetting: ['absolute=0.5'] }, ['12'])).toEqual([
      'Grader of own:mine: Number (absolute 0.5, relative 0, percent false). A right answer: "<answer>12</answer>".',
      expect.stringMatching(/^System prompt: "Work the problem out/),
    ]);
    expect(await linesOf({ grader: 'regex' }, ['\\d+'])).toEqual([
      'Grader of own:mine: Regular expression (pattern "", form "{answer}", ignoreCase false, ignoreSpace true). Each row\'s answer is the pattern that an answer must match, such as "\\d+".',
      'System prompt: none. --system-prompt says what the model is told before each question.',
    ]);
    expect((await linesOf({ grader: 'boxed' }, ['12']))[0]).toBe(
      'Grader of own:mine: Boxed. A right answer: "\\boxed{12}".',
    );
  });

  test('say what a program pays for the worked answer', async () => {
    const [line] = await linesOf({ score: LENGTH, graderSetting: ['form=so {answer}'] }, ['12']);
    // "so 12" has 5 characters, and any answer adds 10.
    expect(line).toBe(
      'Grader of own:mine: Program length.ts (form "so {answer}", leaveOutFailures false). It pays 15 for the worked answer "so 12".',
    );
  });

  test.each([
    ['throws.ts', 'function score() {\n  throw new Error("on purpose");\n}', 'on purpose (line 2)'],
    ['hangs.ts', 'const score = () => { for (;;); }', 'The program was stopped after 10,000,000 steps'],
    ['fetches.ts', 'const score = () => fetch("https://example.com")', "'fetch' is not defined"],
    ['text.ts', 'const score = () => "1"', 'score returned a value of type string'],
  ])('%s fails as on the page, and is refused', async (name, source, message) => {
    const words = { score: fileOf(name, source) };
    await expect(linesOf(words, ['12'])).rejects.toThrow(
      `${words.score}: the program fails on the worked answer "12": `,
    );
    await expect(linesOf(words, ['12'])).rejects.toThrow(message);
  });
  test.each([
    ['broken.ts', 'function score( {', 'The program can’t be read at line 1, column 18'],
    [
      'score.py',
      'def score(problem, completion):\n    return 1.0',
      'It looks like Python; the program is TypeScript or',
    ],
  ])('%s can’t be read, and the place is shown', async (name, source, message) => {
    const words = { score: fileOf(name, source) };
    await expect(linesOf(words)).rejects.toThrow(`--score ${words.score}: ${message}`);
  });
});
