/** The outcome of scoring one completion, made of the interpreter's description of a result. */
import * as z from 'zod';
import { MOST_PARTS, MOST_REWARD } from './limits.ts';

export interface ScoredOutcome {
  readonly total: number;
  readonly parts: Readonly<Record<string, number>>;
  readonly correct: boolean;
  readonly format: boolean;
  /** The program's own reason, or its verdict. */
  readonly reason: string;
  readonly extracted: string | null;
}

/** The outcome of a program, with the lines of its console. */
export type Outcome =
  | { readonly scored: ScoredOutcome; readonly logs: readonly string[] }
  | { readonly error: string; readonly logs: readonly string[] };

const described = z.union([z.object({ number: z.string() }), z.object({ type: z.string() })]);
type Described = z.infer<typeof described>;
const flag = z.string();

const description = z.union([
  z.object({ value: described }),
  z.object({
    reward: described,
    correct: flag,
    format: flag,
    extracted: z.string().optional(),
    reason: z.string().optional(),
    badParts: described.optional(),
    count: z.number().optional(),
    parts: z.array(z.tuple([z.string(), described])).optional(),
  }),
]);

/** Parts may miss the total by rounding, not by more. */
const ROUNDING = 1e-6;

function finite(what: string, value: Described): number {
  if ('type' in value)
    throw new Error(
      `${what} is ${value.type === 'undefined' ? 'missing' : `of type ${value.type}`}; a finite number is needed.`,
    );
  const number = Number(value.number);
  if (!Number.isFinite(number)) throw new Error(`${what} is ${value.number}; a finite number is needed.`);
  if (Math.abs(number) > MOST_REWARD)
    throw new Error(`${what} is ${value.number}; it must lie between -${MOST_REWARD} and ${MOST_REWARD}.`);
  return number;
}

function yesOrNo(what: string, value: string, otherwise: boolean): boolean {
  if (value === 'true' || value === 'false') return value === 'true';
  if (value === 'undefined') return otherwise;
  throw new Error(`${what} is of type ${value}; true or false is needed.`);
}

const verdictOf = (correct: boolean): string => `${correct ? 'Right' : 'Wrong'}, by the program’s score.`;

/**
 * Checks the result of `score`: a finite number, or an object with `reward` (or `total`) or `parts` that sum to it. Optional are `correct`
 * (default: a reward of at least 1), `format` (default: true), `extracted` and `reason`. Throws an error with what was found and what is
 * needed.
 */
export function readDescription(json: string): ScoredOutcome {
  const result = description.parse(JSON.parse(json));
  if ('value' in result) {
    if ('type' in result.value)
      throw new Error(
        `score returned ${result.value.type === 'undefined' ? 'nothing' : `a value of type ${result.value.type}`}; a number, or an object with reward, correct, format and parts, is needed.`,
      );
    const total = finite('The reward', result.value);
    const correct = total >= 1;
    const reason = verdictOf(correct);
    return { total, parts: { reward: total }, correct, format: true, reason, extracted: null };
  }
  if (result.badParts !== undefined)
    throw new Error('parts must be an object with a number by name, such as { accuracy: 1, length: -0.1 }.');
  if ((result.count ?? 0) > MOST_PARTS)
    throw new Error(`parts has ${result.count} entries; at most ${MOST_PARTS} are allowed.`);
  const named = result.parts?.map(([name, value]) => [name, finite(`parts.${name}`, value)] as const);
  const sum = named?.reduce((so_far, [, value]) => so_far + value, 0);
  const missing = 'type' in result.reward && result.reward.type === 'undefined';
  const total = missing && sum !== undefined ? sum : finite('reward (or total)', result.reward);
  if (sum !== undefined && Math.abs(sum - total) > ROUNDING * Math.max(1, Math.abs(total)))
    throw new Error(`parts sum to ${sum}, and the reward is ${total}; they must be the same.`);
  const correct = yesOrNo('correct', result.correct, total >= 1);
  return {
    total,
    // An object's own keys: a part may be called __proto__.
    parts: Object.fromEntries(named ?? [['reward', total]]),
    correct,
    format: yesOrNo('format', result.format, true),
    reason: result.reason ?? verdictOf(correct),
    extracted: result.extracted ?? null,
  };
}
