import { describe, expect, it } from 'vitest';
import type { StopReason } from '@rl-playground/base/conversation';
import type { Completion, ScoringMode, TaskConfig } from '../define/types.ts';
import { rpnArithmetic } from './rpnArithmetic.ts';
import { rpnIds, rpnVocabulary } from './vocabulary.ts';

const DATA = { p: 13, operators: ['+'], expression: '3 4 5 + +' };
const PROBLEM = {
  task: 'rpn_arithmetic',
  split: 'train',
  index: 0,
  question: 'Modulo 13: 3 4 5 + +',
  compact: '<boe> 3 4 5 + +',
  answer: '12',
  data: DATA,
} as const;

function completionOf(text: string, stopReason: StopReason = 'max_tokens'): Completion {
  return { text, tokens: [], stopReason };
}

function reward(completion: Completion, mode: ScoringMode, change: TaskConfig = {}) {
  return rpnArithmetic.score(PROBLEM, completion, { mode, config: { ...rpnArithmetic.defaults, ...change } });
}

const total = (text: string, mode: ScoringMode, change: TaskConfig = {}): number =>
  reward(completionOf(text), mode, change).total;

describe.each<ScoringMode>(['upstream', 'strict'])('combined reward, %s', (mode) => {
  it.each([
    ['= 3 9 + = 12 <eoe>', 1],
    ['= 3 9 + = 5 <eoe>', 0.3],
    ['= 3 9 + 12 <eoe>', 0],
    ['= 3 9 + = + <eoe>', 0],
    ['= 3 9 + = 12', 0],
    ['= 3 9 + = 13 <eoe>', 0],
    // One step that carries out both operations is right arithmetic.
    ['= 12 <eoe>', 1],
    ['= 4 <eoe>', 0.3],
    ['<eoe>', 0],
    ['12 <eoe>', 0],
    ['', 0],
  ])('%s earns %f', (text, expected) => {
    expect(total(text, mode)).toBe(expected);
  });

  it('pays what the weights and the kind of reward say', () => {
    const weights = { boxed_weight: 0.2, correct_weight: 0.8 };
    expect(total('= 12 <eoe>', mode, weights)).toBe(1);
    expect(total('= 5 <eoe>', mode, weights)).toBe(0.2);
    expect(total('= 5 <eoe>', mode, { reward_type: 'boxed' })).toBe(1);
    expect(total('= 5 <eoe>', mode, { reward_type: 'correct' })).toBe(0);
    expect(total('= 12 <eoe>', mode, { reward_type: 'correct' })).toBe(1);
  });

  it('says form, correctness and what was read', () => {
    expect(reward(completionOf('= 3 9 + = 5 <eoe>'), mode)).toEqual({
      total: 0.3,
      parts: { boxed: 0.3, correct: 0 },
      correct: false,
      format: true,
      reason:
        mode === 'strict'
          ? 'Wrong: found 5, expected 12. Line 2 does not follow from the one before.'
          : 'Wrong: found 5, expected 12.',
      extracted: '5',
    });
    expect(reward(completionOf('12 <eoe>'), mode)).toMatchObject({ format: false, extracted: null });
  });
});

describe('tricks', () => {
  it.each([
    ['lines that are no expressions', '+ + = 12 <eoe>'],
    ['an equals sign too many', '= = 12 <eoe>'],
    ['words that are no tokens', '= so it is = 12 <eoe>'],
    ['a mark in between', '= 3 9 + <boe> = 12 <eoe>'],
    ['more after the end', '= 12 <eoe> = 12 <eoe>'],
    ['an expression that is longer than any derivation', '= 3 9 + = 3 9 + = 12 <eoe>'],
    ['no equals sign first', '3 9 + = 12 <eoe>'],
  ])('upstream pays for %s, strict does not', (_, text) => {
    expect(total(text, 'upstream')).toBe(1);
    expect(total(text, 'strict')).toBe(0);
  });

  it.each([
    ['a line of another value', '= 3 8 + = 12 <eoe>'],
    ['a line of the right value that does not come from the one before', '= 6 6 + = 12 <eoe>'],
    ['a line with its operands turned round', '= 9 3 + = 12 <eoe>'],
  ])('strict gives only the form to %s', (_, text) => {
    expect(total(text, 'upstream')).toBe(1);
    expect(total(text, 'strict')).toBe(0.3);
  });

  it('takes the answer before the chosen mark', () => {
    const text = '= 5 <eoe> = 12 <eoe>';
    expect(total(text, 'upstream')).toBe(1);
    expect(total(text, 'upstream', { answer_before: 'first' })).toBe(0.3);
  });
});

describe('strict derivations', () => {
  const vocabulary = { p: 13, operators: ['+', '-', '*'] } as const;
  const problem = { ...PROBLEM, answer: '0', data: { ...vocabulary, expression: '1 2 + 3 - 4 5 * +' } };
  // 1 + 2 = 3, 3 − 3 = 0, 4 · 5 = 20 ≡ 7; the value is 7.
  const strict = (text: string, answer = '7') =>
    rpnArithmetic.score({ ...problem, answer }, completionOf(text), {
      mode: 'strict',
      config: { ...rpnArithmetic.defaults, ...vocabulary },
    }).correct;

  it.each([
    ['all that is ready in each line', '= 3 3 - 7 + = 0 7 + = 7 <eoe>', true],
    ['one operation a line', '= 3 3 - 4 5 * + = 0 4 5 * + = 0 7 + = 7 <eoe>', true],
    ['two operations on one side', '= 0 4 5 * + = 7 <eoe>', true],
    ['nothing carried out', '= 1 2 + 3 - 4 5 * + = 7 <eoe>', false],
    ['another operator', '= 3 3 + 7 + = 7 <eoe>', false],
    ['more operators than before', '= 0 7 + = 3 3 - 7 + = 7 <eoe>', false],
  ])('%s', (_, text, correct) => {
    expect(strict(text)).toBe(correct);
  });
});

describe('token ids and text', () => {
  const vocabulary = rpnVocabulary(13, ['+']);
  /** A completion as a decoder gives it that leaves the marks out. */
  const decoded = (words: string): Completion => ({
    text: words.replaceAll(/ ?<\w+>/g, ''),
    tokens: rpnIds(vocabulary, words),
    stopReason: words.endsWith('<eoe>') ? 'eos' : 'max_tokens',
  });

  it('scores the ids of the vocabulary, marks included', () => {
    expect(reward(decoded('= 3 9 + = 12 <eoe>'), 'upstream').total).toBe(1);
    expect(reward(decoded('= 3 9 + = <pad> 12 <eoe>'), 'upstream').total).toBe(0);
    expect(reward(decoded('= 3 9 + = 12'), 'upstream').total).toBe(0);
  });

  it('scores the text where the ids belong to another vocabulary', () => {
    const foreign = { text: '= 3 9 + = 12 <eoe>', tokens: [5, 3, 9, 1, 700], stopReason: 'eos' } as const;
    expect(reward(foreign, 'strict').total).toBe(1);
    expect(reward({ ...foreign, tokens: [5, 3, 9] }, 'strict').total).toBe(1);
  });

  it('takes the end of a completion as its mark, unless it was cut', () => {
    expect(reward(completionOf('= 12', 'eos'), 'upstream').total).toBe(1);
    expect(reward(completionOf('= 12', 'max_tokens'), 'upstream').total).toBe(0);
  });
});
