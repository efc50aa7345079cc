/** From scored groups to the sequences of an update: advantages, what is left out, distance to the reference. */
import type { RunConfig } from '../../config/schema.ts';
import { centredAdvantages, keptGroups, scaledAdvantages, type Baseline } from '../loss/advantages.ts';
import type { Sequence } from '../update/batch.ts';
import type { Engine } from '../engine/engine.ts';
import { klShaping } from '../loss/klShaping.ts';
import type { ScoredCompletion, ScoredGroup } from './scoredGroups.ts';

/** One completion of a step. */
export interface Row {
  readonly group: ScoredGroup;
  readonly scored: ScoredCompletion;
  /** Of every completion token. */
  readonly advantages: readonly number[];
  /** What it is trained as; null where its group was removed. */
  readonly sequence: Sequence | null;
}

type AdvantageSettings = Pick<
  RunConfig,
  | 'baseline'
  | 'advantageScale'
  | 'removeConstantGroups'
  | 'maskTruncated'
  | 'klPenaltyCoef'
  | 'klDiscountFactor'
  | 'temperature'
  | 'schedule'
>;

export function baselineOf({ baseline }: Pick<RunConfig, 'baseline'>, moving: number): Baseline {
  return baseline === 'moving' ? { kind: 'moving', value: moving } : { kind: baseline };
}

/**
 * The rows of `groups`, each with at least one completion, in their order. Log-probabilities under the reference are computed for the rows that
 * are trained on; KL shaping averages over them.
 */
export async function rowsOf(
  groups: readonly ScoredGroup[],
  moving: number,
  settings: AdvantageSettings,
  engine: Engine,
  onProgress: (tokens: number) => void,
): Promise<Row[]> {
  const rewardsPG = groups.map(({ completions }) => completions.map(({ reward }) => reward.total));
  const centredPG = centredAdvantages(rewardsPG, baselineOf(settings, moving));
  const advantagesPG = scaledAdvantages(centredPG, rewardsPG, settings.advantageScale);
  const kept = new Set(keptGroups(rewardsPG, settings.removeConstantGroups, settings.schedule !== 'stream'));
  const rows = groups.flatMap((group, p) =>
    group.completions.map((scored, g) => {
      const { tokens, logprobs } = scored.completion;
      const advantages: readonly number[] = tokens.map(() => advantagesPG[p]?.[g] ?? 0);
      const masked = settings.maskTruncated && scored.stopReason === 'max_tokens';
      const { promptIds } = group.asked;
      const sequence: Sequence = { promptIds, tokens, samplerLogprobs: logprobs, advantages, masked };
      return { group, scored, advantages, sequence: kept.has(p) ? sequence : null };
    }),
  );
  return measuredAgainstReference(rows, settings, engine, onProgress);
}

async function measuredAgainstReference(
  rows: readonly Row[],
  { klPenaltyCoef, klDiscountFactor, temperature }: AdvantageSettings,
  engine: Engine,
  onProgress: (tokens: number) => void,
): Promise<Row[]> {
  const sequences = rows.flatMap(({ sequence }) => sequence ?? []);
  const { logprobs } = await engine.computeLogprobs(sequences, 'reference', { temperature, onProgress });
  const measured = sequences.map((sequence, i) => ({ ...sequence, referenceLogprobs: logprobs[i] ?? [] }));
  const gains = klPenaltyCoef > 0 ? klShaping(measured, klPenaltyCoef, klDiscountFactor).added : null;
  let next = 0;
  return rows.map((row) => {
    if (row.sequence === null) return row;
    const i = next++;
    const sequence = measured[i] ?? row.sequence;
    const gained = gains?.[i];
    const advantages = gained
      ? row.advantages.map((advantage, t) => advantage + (gained[t] ?? 0))
      : row.advantages;
    return { ...row, advantages, sequence: { ...sequence, advantages } };
  });
}
