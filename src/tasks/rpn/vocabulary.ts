/** The tokens of RPN arithmetic, with the ids of simplexity's arithmetic process. */
import * as z from 'zod';
import type { TaskConfig } from '../define/types.ts';

/** The effect of an operator on two operands, before the modulus. */
const OPERATIONS = {
  '+': (a: number, b: number) => a + b,
  '-': (a: number, b: number) => a - b,
  '*': (a: number, b: number) => a * b,
} as const;
export type Operator = keyof typeof OPERATIONS;

/** The id of a word that is no token. */
const UNKNOWN = -1;

export interface RpnVocabulary {
  readonly p: number;
  /** A token's text by id: 0 … p − 1, the operators in their given order, `=`, `<boe>`, `<eoe>`, `<pad>`. */
  readonly words: readonly string[];
  readonly equals: number;
  /** Begin of equation, end of equation, padding. */
  readonly boe: number;
  readonly eoe: number;
  readonly pad: number;
  readonly ids: ReadonlyMap<string, number>;
}

/** The vocabulary of operands modulo `p` and an ordered set of operators; p + operators + 4 tokens. */
export function rpnVocabulary(p: number, operators: readonly Operator[]): RpnVocabulary {
  const operands = Array.from({ length: p }, (_, operand) => `${operand}`);
  const words = [...operands, ...operators, '=', '<boe>', '<eoe>', '<pad>'];
  const equals = p + operators.length;
  return {
    p,
    words,
    equals,
    boe: equals + 1,
    eoe: equals + 2,
    pad: equals + 3,
    ids: new Map(words.map((word, id) => [word, id])),
  };
}

const settings = z.looseObject({ p: z.int(), operators: z.array(z.enum(['+', '-', '*'])) });

/** The vocabulary of the task's settings. Throws a ZodError for those of another task. */
export function rpnVocabularyOf(config: TaskConfig): RpnVocabulary {
  const { p, operators } = settings.parse(config);
  return rpnVocabulary(p, operators);
}

export function isOperand({ p }: RpnVocabulary, id: number | undefined): boolean {
  return id !== undefined && id >= 0 && id < p;
}

export function isOperator({ p, equals }: RpnVocabulary, id: number | undefined): boolean {
  return id !== undefined && id >= p && id < equals;
}

/** `left operator right` modulo p, from 0 to p − 1. Throws where `operator` is the id of no operator. */
export function applyOperator({ p, words }: RpnVocabulary, operator: number, left: number, right: number) {
  const word = words[operator] ?? '';
  if (word !== '+' && word !== '-' && word !== '*')
    throw new Error(`Token ${operator} is no operator; an operator's id is needed.`);
  const value = OPERATIONS[word](left, right) % p;
  return value < 0 ? value + p : value;
}

const WORD = /<boe>|<eoe>|<pad>|\d+|\S/g;
/** A longer text holds more than any model can be asked to write, and is read as nothing. */
const LONGEST_TEXT = 100_000;

/** The ids of a text's words; spaces may be left out where words stay apart without them. `UNKNOWN` for any other word. */
export function rpnIds({ ids }: RpnVocabulary, text: string): number[] {
  if (text.length > LONGEST_TEXT) return [];
  return (text.match(WORD) ?? []).map((word) => ids.get(word) ?? UNKNOWN);
}

export function rpnText({ words }: RpnVocabulary, ids: readonly number[]): string {
  return ids.map((id) => words[id] ?? '').join(' ');
}
