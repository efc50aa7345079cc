/**
 * The supervised updates before reinforcement as lines of `metrics.jsonl`. Their `step` counts up to 0, where reinforcement begins, so that
 * a reader that plots against `step` draws one continuous curve.
 */
import type { RunConfig } from '../../config/schema.ts';
import { sftRate } from '../../rl/sft/sftStep.ts';
import type { TrainerState } from '../checkpoint/trainerState.ts';

/** What tells a line of the warm start from one of a step. */
export const SFT_MARK = 'sft/step';

export interface SftRecord {
  /** Minus the updates still to come: 0 for the last. */
  readonly step: number;
  /** 1 for the first update. */
  readonly [SFT_MARK]: number;
  /** Mean negative log-likelihood of a token learned from, nats. */
  readonly 'sft/loss': number;
  readonly 'sft/lr': number;
  /** Tokens learned from in the update; null in runs begun before they were counted. */
  readonly 'sft/tokens': number | null;
}

export function sftRecords(
  { sftLosses, sftTokens = [] }: Pick<TrainerState, 'sftLosses' | 'sftTokens'>,
  config: RunConfig,
): SftRecord[] {
  return sftLosses.map((loss, i) => ({
    step: i + 1 - config.warmStartSteps,
    [SFT_MARK]: i + 1,
    'sft/loss': loss,
    'sft/lr': sftRate(i + 1, config),
    'sft/tokens': sftTokens[i] ?? null,
  }));
}

/** The lines that stand before those of the steps; empty for a run without a warm start. */
export function writeSftLog(
  state: Pick<TrainerState, 'sftLosses' | 'sftTokens'> | null,
  config: RunConfig | null,
): string {
  if (state === null || config === null) return '';
  return sftRecords(state, config)
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('');
}

export function isSftRecord(record: unknown): boolean {
  return typeof record === 'object' && record !== null && SFT_MARK in record;
}
