/** The list of a step's answers in the inspector: filters, orders and search. */
import { mean } from '@rl-playground/base/statistics';
import type { RecordedRollout } from '@rl-playground/run/records';
import { hasWords } from '../../ui/text/search.ts';
import { ROLLOUT_FILTERS } from '../rollouts/rolloutGroups.ts';
import { tokenNumbers } from '../rollouts/tokenMeasures.ts';

/** An answer and its place in the step. */
export interface PlacedAnswer {
  readonly answer: RecordedRollout;
  readonly place: number;
}

type Passes = (reward: RecordedRollout['reward'], answer: RecordedRollout) => boolean;

export const FILTERS = {
  ...ROLLOUT_FILTERS,
  cut: { label: 'cut at the token limit', passes: (_, { stopReason }) => stopReason === 'max_tokens' },
  leftOut: { label: 'left out of the update', passes: (_, { trained }) => trained?.counted !== true },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly passes: Passes }>>;

interface Sort {
  readonly label: string;
  /** Larger numbers come first, and NaN last. */
  readonly by: (placed: PlacedAnswer) => number;
}

const largestGap = ({ answer }: PlacedAnswer): number =>
  answer.tokens.reduce((most, _, t) => Math.max(most, Math.abs(tokenNumbers(answer, t).gap ?? 0)), 0);

export const SORTS = {
  sampled: { label: 'as sampled', by: ({ place }) => -place },
  reward: { label: 'highest reward first', by: ({ answer }) => answer.reward.total },
  advantage: { label: 'largest |advantage| first', by: ({ answer }) => Math.abs(answer.advantage) },
  length: { label: 'longest first', by: ({ answer }) => answer.tokens.length },
  unlikely: { label: 'least likely first (mean log q)', by: ({ answer }) => -mean(answer.logprobs) },
  gap: { label: 'largest sampler gap first', by: largestGap },
} as const satisfies Readonly<Record<string, Sort>>;

export interface ListChoice {
  readonly search: string;
  readonly filter: keyof typeof FILTERS;
  readonly sort: keyof typeof SORTS;
}

/** The answers that pass the filter and have every word of the search in their question or text. */
export function listedAnswers(
  answers: readonly RecordedRollout[],
  { search, filter, sort }: ListChoice,
): PlacedAnswer[] {
  const { by } = SORTS[sort];
  return answers
    .map((answer, place) => ({ answer, place }))
    .filter(({ answer }) => FILTERS[filter].passes(answer.reward, answer))
    .filter(({ answer: { question, text } }) => hasWords(`${question}\n${text}`, search))
    .map((placed) => ({ placed, key: by(placed) }))
    .sort((a, b) => (Number.isNaN(a.key) ? 1 : 0) - (Number.isNaN(b.key) ? 1 : 0) || b.key - a.key || 0)
    .map(({ placed }) => placed);
}

/** The groups of a step by number, with the places of their answers. */
export function groupsOf(answers: readonly RecordedRollout[]): ReadonlyMap<number, readonly number[]> {
  const groups = new Map<number, number[]>();
  for (const [place, { group }] of answers.entries()) {
    const own = groups.get(group);
    if (own === undefined) groups.set(group, [place]);
    else own.push(place);
  }
  return groups;
}

/** The place of the first answer that earned more or less than was expected, and so has something to show; 0 where none did. */
export const firstThatTeaches = (answers: readonly RecordedRollout[]): number =>
  Math.max(
    0,
    answers.findIndex(({ advantage, trained }) => trained !== null && Math.abs(advantage) > 0),
  );
