/** A sandbox under test, and what every program in it is held to. */
import { afterAll, beforeAll, expect } from 'vitest';
import type { Timers } from '@rl-playground/base/deadline';
import { heldAlarms } from '@rl-playground/base/testing/heldAlarms';
import { DEFAULT_LIMITS, GUARD, GUARD_AGAIN } from '../sandbox/limits.ts';
import type { Outcome } from '../sandbox/outcome.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';

export const ITEM = JSON.stringify({
  problem: { question: '1 + 1?', answer: '2', index: 0, split: 'train' },
  completion: { text: 'It is 2', tokens: [1, 2], stopReason: 'eos' },
});
export const HONEST =
  'export const score = (problem, completion) => (completion.text.includes(problem.answer) ? 1 : 0);';
/** Few, so that hanging programs cost the tests little. */
export const LIMITS = { ...DEFAULT_LIMITS, steps: 2_000_000 };

/**
 * A clock that does not move, except that the guard's time over the `struck`-th completion (counted from 0) passes at once, in as many tries
 * as are said.
 */
export function striking(struck: number, tries = 2): Timers {
  const alarms = heldAlarms();
  let begun = 0;
  let passing = false;
  return {
    now: () => alarms.now(),
    after(milliseconds, ring) {
      const takeBack = alarms.after(milliseconds, ring);
      // The guard sets its alarm anew with each completion, each try, and with each part of its time that passes.
      if (passing || milliseconds > GUARD.least) return takeBack;
      const at = begun++;
      if (at < struck || at >= struck + tries) return takeBack;
      queueMicrotask(() => {
        passing = true;
        alarms.pass(GUARD_AGAIN.least);
        passing = false;
      });
      return takeBack;
    },
  };
}

export interface Harness {
  /** Scores every item. */
  readonly score: (source: string, items: readonly string[]) => Promise<Outcome[]>;
  readonly scoreOne: (source: string) => Promise<Outcome>;
  /** The error of a program whose `score` has this body; throws where there is none. */
  readonly errorOf: (body: string, before?: string) => Promise<string>;
  /** The error of the program if the guard strikes as soon as it runs. */
  readonly errorOfStruck: (body: string) => Promise<string>;
  /** The reward of a program whose `score` has this body; throws its error. */
  readonly totalOf: (body: string, before?: string) => Promise<number>;
  /** The next program is scored as ever. */
  readonly expectUnharmed: () => Promise<void>;
}

/** A sandbox for the tests of a file, whose guard never strikes; call it at the top. */
export function harness(): Harness {
  let sandbox: Sandbox | null = null;
  beforeAll(() => {
    sandbox = createSandbox(LIMITS, heldAlarms());
  });
  afterAll(() => sandbox?.dispose());

  async function score(source: string, items: readonly string[]): Promise<Outcome[]> {
    if (sandbox === null) throw new Error('The sandbox is made before the first test.');
    return sandbox.score(source, items);
  }

  async function scoreOne(source: string): Promise<Outcome> {
    const [outcome] = await score(source, [ITEM]);
    if (outcome === undefined) throw new Error('There is no outcome.');
    return outcome;
  }

  async function expectUnharmed(): Promise<void> {
    expect(await scoreOne(HONEST)).toEqual({
      scored: {
        total: 1,
        parts: { reward: 1 },
        correct: true,
        format: true,
        reason: 'Right, by the program’s score.',
        extracted: null,
      },
      logs: [],
    });
  }

  const program = (body: string, before: string) =>
    `${before}\nfunction score(problem, completion) { ${body} }`;

  return {
    score,
    scoreOne,
    expectUnharmed,
    async errorOf(body, before = '') {
      const outcome = await scoreOne(program(body, before));
      if ('scored' in outcome)
        throw new Error(`There was no error, but a score: ${JSON.stringify(outcome.scored)}`);
      await expectUnharmed();
      return outcome.error;
    },
    async errorOfStruck(body) {
      const struck = createSandbox(LIMITS, striking(0));
      const [outcome] = await struck.score(program(body, ''), [ITEM]);
      struck.dispose();
      if (outcome === undefined || 'scored' in outcome) throw new Error('The program came to a score.');
      return outcome.error;
    },
    async totalOf(body, before = '') {
      const outcome = await scoreOne(program(body, before));
      if ('error' in outcome) throw new Error(outcome.error);
      await expectUnharmed();
      return outcome.scored.total;
    },
  };
}
