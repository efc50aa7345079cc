import { deflateSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { LONGEST_LINKED } from '@rl-playground/base/linkedJson';
import { GRADER_DEFAULTS, type CustomTask } from '../define/definition.ts';
import { linkedText, tasksOfLinkedText } from './linkedTasks.ts';

const TASK: CustomTask = {
  name: 'Capitals',
  rows: [
    { question: 'Capital of Norway?', answer: 'Oslo' },
    { question: 'Größte Stadt in der Türkei?', answer: 'İstanbul', test: true },
  ],
  grader: GRADER_DEFAULTS.answer_tag,
  system: 'Answer <answer>so</answer>.',
};

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

describe('tasks in a link', () => {
  it('come back as they were, in characters that links leave alone', async () => {
    const text = await linkedText([TASK, { ...TASK, name: 'Others' }]);
    expect(text).toMatch(/^[\w-]+$/);
    expect(await tasksOfLinkedText(text ?? '')).toEqual([TASK, { ...TASK, name: 'Others' }]);
  });

  it('are deflated JSON, as another library writes it', async () => {
    const text = base64url(deflateSync(new TextEncoder().encode(JSON.stringify([TASK]))));
    expect(await tasksOfLinkedText(text)).toEqual([TASK]);
  });

  it('are left out where they are longer than a link carries', async () => {
    // Digits of a square root do not deflate below 3.3 bits each.
    const row = (i: number) => ({ question: `${i} ${Math.sqrt(i)}`, answer: String(Math.cbrt(i)) });
    const sized = (count: number): CustomTask => ({
      ...TASK,
      rows: Array.from({ length: count }, (_, i) => row(i)),
    });
    const short = await linkedText([sized(200)]);
    expect(short?.length).toBeLessThanOrEqual(LONGEST_LINKED);
    expect(await linkedText([sized(1000)])).toBeNull();
  });

  it.each([
    ['nothing', ''],
    ['no base64', '%%%'],
    [
      'a text that was cut',
      base64url(deflateSync(new TextEncoder().encode(JSON.stringify([TASK])))).slice(0, 60),
    ],
    ['no JSON', base64url(deflateSync(new TextEncoder().encode('<b>')))],
    ['no task', base64url(deflateSync(new TextEncoder().encode('[{"name":"<img src=x>"}]')))],
    ['a megabyte of nothing', base64url(deflateSync(new Uint8Array(2 ** 21)))],
  ])('are refused with a sentence: %s', async (_, text) => {
    await expect(tasksOfLinkedText(text)).rejects.toThrow(
      /^The link’s own task can’t be read \(.+\)\. It may have been cut/,
    );
  });
});
