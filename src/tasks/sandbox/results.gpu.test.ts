/** Programs that are merely wrong, alone and in batches, in a real browser. */
import { describe, expect, it } from 'vitest';
import { heldAlarms } from '@rl-playground/base/testing/heldAlarms';
import { harness, ITEM, LIMITS, striking } from '../testing/sandboxes.ts';
import { FAILURES_A_KILL, GUARD } from './limits.ts';
import type { Outcome } from './outcome.ts';
import { createSandbox } from './sandbox.ts';

const { score, scoreOne, errorOf } = harness();

describe('results', () => {
  it.each([
    ['return;', 'nothing'],
    ['return null;', 'type null'],
    ['return NaN;', 'NaN'],
    ['return -1 / 0;', '-Infinity'],
    ['return 5n;', 'bigint'],
    ['return true;', 'boolean'],
    ['return {};', 'missing'],
    ['return { reward: "1" };', 'type string'],
    ['return { reward: 1, correct: 1 };', 'correct is of type number'],
    ['return { reward: 1, parts: { a: 2 } };', 'parts sum to 2'],
    ['return { reward: 1, parts: [1] };', 'parts must be'],
    ['return { reward: 1, parts: { a: null } };', 'type null'],
    ['return { get reward() { throw new Error("from a getter"); } };', 'from a getter'],
    ['throw null;', 'threw null'],
    ['throw { message: "odd" };', 'odd'],
    ['throw { get message() { throw 1; } };', 'can not be shown'],
  ])('%s', async (body, expected) => {
    expect(await errorOf(body)).toContain(expected);
  });

  it('names the line of an error', async () => {
    expect(await errorOf('return missing.x;')).toContain('line 2');
    expect(await errorOf('\n\nreturn missing.x;')).toContain('line 4');
    const unread = await scoreOne('const a = 1;\nfunction score( {');
    expect('error' in unread && unread.error).toContain('at line 2, column');
    const without = await scoreOne('const other = 1;');
    expect('error' in without && without.error).toContain('no function named score');
  });
});

describe('the same again', () => {
  it('gives the same numbers: chance and clock are fixed', async () => {
    const body =
      'return { parts: { chance: Math.random(), now: Date.now() / 1e12, date: new Date().getTime() / 1e12, same: new Date(5).getTime() } };';
    const source = `function score() { ${body} }`;
    const [first] = await score(source, [ITEM]);
    const fresh = createSandbox(LIMITS, heldAlarms());
    const [second] = await fresh.score(source, [ITEM]);
    fresh.dispose();
    expect(second).toEqual(first);
    expect(first).toMatchObject({ scored: { parts: { now: 0.9466848, date: 0.9466848, same: 5 } } });
    const [other] = await score(source, [ITEM.replace('It is 2', 'It is 3')]);
    const chance = (outcome: Outcome | undefined) =>
      outcome !== undefined && 'scored' in outcome && outcome.scored.parts['chance'];
    expect(chance(other)).not.toBe(chance(first));
  });
});

describe('a batch', () => {
  const source = `function score(problem, completion) {
    if (completion.text === 'hang') for (;;);
    if (completion.text === 'kill') Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);
    if (completion.text === 'throw') throw new Error('thrown');
    return completion.text.length;
  }`;
  const items = (...texts: string[]) =>
    texts.map((text) => JSON.stringify({ problem: {}, completion: { text } }));
  const brief = (outcome: Outcome) => ('scored' in outcome ? outcome.scored.total : outcome.error);

  it('goes on after each failure, in order', async () => {
    const struck = createSandbox(LIMITS, striking(3));
    const outcomes = await struck.score(source, items('a', 'hang', 'bb', 'kill', 'ccc', 'throw', 'dddd'));
    struck.dispose();
    expect(outcomes.map(brief)).toEqual([
      1,
      expect.stringContaining('stopped'),
      2,
      expect.stringContaining('killed'),
      3,
      expect.stringContaining('thrown'),
      4,
    ]);
  });

  it('is given up after so many failures in a row', async () => {
    const strict = createSandbox({ ...LIMITS, mostFailures: 3 }, heldAlarms());
    const outcomes = await strict.score(source, items('throw', 'a', 'throw', 'throw', 'throw', 'b'));
    expect(outcomes.map(brief)).toEqual([
      expect.stringContaining('thrown'),
      1,
      expect.stringContaining('thrown'),
      expect.stringContaining('thrown'),
      expect.stringContaining('thrown'),
      expect.stringContaining('3 times in a row'),
    ]);
    expect((await strict.score(source, items('b'))).map(brief)).toEqual([1]);
    strict.dispose();
  });

  it('is given up sooner where workers have to be killed', async () => {
    const strict = createSandbox({ ...LIMITS, mostFailures: 1 + FAILURES_A_KILL }, striking(1));
    const outcomes = await strict.score(source, items('throw', 'kill', 'a'));
    strict.dispose();
    expect(outcomes.map(brief)).toEqual([
      expect.stringContaining('thrown'),
      expect.stringContaining('killed after 30 s'),
      expect.stringContaining('2 times in a row'),
    ]);
  });

  it('is scored by a second worker, which may take longer, where the machine was busy', async () => {
    const busy = createSandbox(LIMITS, striking(1, 1));
    const outcomes = await busy.score(source, items('a', 'bb', 'throw', 'ccc'));
    busy.dispose();
    expect(outcomes.map(brief)).toEqual([1, 2, expect.stringContaining('thrown'), 3]);
  });

  it('is answered where the interpreter never loads', async () => {
    const alarms = heldAlarms();
    const stuck = createSandbox(LIMITS, alarms);
    const pending = stuck.score(source, items('a'));
    // Nothing that the worker says is heard before this.
    alarms.pass(GUARD.first);
    expect((await pending).map(brief)).toEqual(['The interpreter did not load within 180 s.']);
    stuck.dispose();
  });

  it('is answered when the sandbox is ended under it', async () => {
    const ended = createSandbox(LIMITS, heldAlarms());
    const pending = [ended.score(source, items('hang', 'a')), ended.score(source, items('b'))];
    ended.dispose();
    const outcomes = (await Promise.all(pending)).flat();
    expect(outcomes.map(brief)).toEqual(Array.from({ length: 3 }, () => 'Scoring was ended.'));
  });
});
