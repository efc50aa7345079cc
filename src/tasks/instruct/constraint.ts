/** A checkable constraint on an answer, and what a kind of constraints has to know. */
import type { Draw } from '@rl-playground/base/random';
import { plural } from '@rl-playground/base/text';

export type Relation = 'at least' | 'at most' | 'exactly';

/** The amount and the words of a constraint. A kind without a number or without words leaves them 0 and empty. */
export interface Constraint {
  readonly relation: Relation;
  readonly count: number;
  /** The keywords, or the one phrase, letter, language or request. */
  readonly words: readonly string[];
}

/** IFEval's families; the constraints of one answer are of different ones. */
export type KindFamily =
  | 'length'
  | 'keywords'
  | 'language'
  | 'content'
  | 'format'
  | 'combination'
  | 'start and end'
  | 'case'
  | 'punctuation';

/** A kind that is apart is in no level. */
export type Difficulty = 'easy' | 'medium' | 'hard' | 'apart';

export interface Kind {
  readonly label: string;
  readonly family: KindFamily;
  readonly difficulty: Difficulty;
  /** A question about the subject that the kind needs instead of any other. */
  readonly request?: (subject: string) => string;
  draw(draw: Draw, request: string): Partial<Constraint>;
  /** The sentence of the prompt. */
  ask(constraint: Constraint): string;
  /** Says what was found and what is wanted, or gives null if the text meets the constraint. */
  fault(text: string, constraint: Constraint): string | null;
  /** A text that ends in a full stop, changed so that it meets the constraint where that can be done. */
  meet(text: string, constraint: Constraint): string;
}

function holds(found: number, { relation, count }: Constraint): boolean {
  if (relation === 'exactly') return found === count;
  return relation === 'at least' ? found >= count : found <= count;
}

/** The fault of a number of things, or null. */
export function countFault(found: number, constraint: Constraint, thing: string): string | null {
  if (holds(found, constraint)) return null;
  return `found ${plural(found, thing)}, ${constraint.relation} ${constraint.count} wanted`;
}

/** The fault unless `met`. */
export const unless = (met: boolean, fault: string): string | null => (met ? null : fault);

/** A counted noun behind its relation: "at most 1 sentence", "exactly 3 bullet points". */
export const counted = ({ relation, count }: Constraint, thing: string): string =>
  `${relation} ${plural(count, thing)}`;
