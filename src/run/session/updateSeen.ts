/** The change that a step's update made to the probabilities of an answer: the weights before it and those behind it are asked the same. */
import { breatheIfDue, packMicrobatches, type KeptWeights } from '@rl-playground/engine/parts';
import {
  forwardOnly,
  largestOf,
  nextLogprobs,
  type LanguageModel,
} from '@rl-playground/engine/parts/tensors';
import type { Rollout } from '../rollouts/rollout.ts';
import type { Session } from './session.ts';

type Written = Pick<Rollout, 'promptIds' | 'tokens' | 'policyVersion' | 'policyAge'>;

export interface UpdateQuestion {
  /** The answers to one problem of a step. */
  readonly group: readonly Written[];
  /** The answer among them whose likely tokens are wanted, from token `from` up to `to`. */
  readonly answer: number;
  readonly from: number;
  readonly to: number;
}

/** A token that may follow, with its log-probability before the update and after it; NaN where those weights are no longer kept. */
export interface Branch {
  readonly token: number;
  readonly before: number;
  readonly after: number;
}

export interface UpdateSeen {
  /** Each is true if those weights are still kept. */
  readonly kept: { readonly before: boolean; readonly after: boolean };
  /** The likely tokens at each place asked for, the likeliest of both models, in the order of the larger probability. The one that was sampled is always among them. */
  readonly places: readonly (readonly Branch[])[];
  /** The log-probability of each whole answer of the group. */
  readonly answers: readonly Omit<Branch, 'token'>[];
  /** The change in the log-probability of each token of the answer. */
  readonly moves: readonly number[];
}

/** Padded tokens that go through the model at once: few, because the page waits for each kernel of theirs. */
const AT_ONCE = 256;

/** The number of likely tokens at a place. */
const LIKELY = 4;

interface Probabilities {
  /** The log-probability of each token of the vocabulary, a row for each place. */
  readonly rows: readonly Float64Array[];
  /** Log-probabilities of the tokens of each answer. */
  readonly answers: readonly ArrayLike<number>[];
}

/**
 * It is called between steps, and `stored` finds weights that the engine keeps no longer.
 * @throws Error where the run's weights are lost.
 */
export async function updateSeen(
  session: Session,
  question: UpdateQuestion,
  stored: KeptWeights = () => Promise.resolve(null),
): Promise<UpdateSeen> {
  if (!session.intact) throw new Error('The weights were lost with the device.');
  const { group, from, to } = question;
  const written = group[question.answer];
  if (written === undefined) throw new Error(`There is no answer ${question.answer} in the group.`);
  const version = written.policyVersion + written.policyAge;
  const of = (wanted: number): Promise<Probabilities | null> =>
    session.withVersion(wanted, stored, (model, own) =>
      own ? probabilities(model, question, written, session.config.temperature) : Promise.resolve(null),
    );
  const before = await of(version);
  const after = await of(version + 1);
  const at = (known: Probabilities | null, place: number, token: number): number =>
    known?.rows[place]?.[token] ?? NaN;
  const places = Array.from({ length: to - from }, (_, place): Branch[] => {
    const likely = [before, after].flatMap((known) =>
      largestOf(known?.rows[place] ?? new Float64Array(), LIKELY),
    );
    const sampled = written.tokens[from + place] ?? NaN;
    return [...new Set([sampled, ...likely])]
      .map((token) => ({ token, before: at(before, place, token), after: at(after, place, token) }))
      .sort((a, b) => most(b) - most(a))
      .filter(({ token }, rank) => token === sampled || rank < LIKELY);
  });
  const answers = group.map((_, i) => ({
    before: sumOf(before?.answers[i]),
    after: sumOf(after?.answers[i]),
  }));
  const moves = written.tokens.map(
    (_, t) => (after?.answers[question.answer]?.[t] ?? NaN) - (before?.answers[question.answer]?.[t] ?? NaN),
  );
  return { kept: { before: before !== null, after: after !== null }, places, answers, moves };
}

const sumOf = (values: ArrayLike<number> | undefined): number =>
  values === undefined ? NaN : Array.from(values).reduce((sum, value) => sum + value, 0);

const most = ({ before, after }: Branch): number =>
  Math.max(Number.isNaN(before) ? -Infinity : before, Number.isNaN(after) ? -Infinity : after);

async function probabilities(
  policy: LanguageModel,
  { group, from, to }: UpdateQuestion,
  { promptIds, tokens }: Written,
  temperature: number,
): Promise<Probabilities> {
  const ids = [...promptIds, ...tokens.slice(0, to - 1)];
  const rows = to > from ? await nextLogprobs(policy, ids, { places: to - from, temperature }) : [];
  const some = group.filter((answer) => answer.tokens.length > 0);
  const sequences = some.map((answer) => ({ ...answer, samplerLogprobs: [], advantages: [] }));
  const microbatches = packMicrobatches(sequences, () => 0, AT_ONCE);
  const { logprobs } = await forwardOnly(microbatches, { policy, temperature, breathe: breatheIfDue });
  const found = new Map(some.map((answer, i) => [answer, logprobs[i] ?? []]));
  return { rows, answers: group.map((answer) => found.get(answer) ?? []) };
}
