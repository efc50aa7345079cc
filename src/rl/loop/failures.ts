/** Failure is data: a generator that fails leaves completions with stop reason `error`, which are kept out of training. */
import type { GroupResult, SampledCompletion } from '../../rollout/types.ts';

/** The completions of a group that hold an answer. */
export function completed(group: GroupResult | undefined): readonly SampledCompletion[] {
  return (group?.completions ?? []).filter((completion) => completion.stopReason !== 'error');
}

/** Whether it holds no answer at all. */
export function isBroken(group: GroupResult): boolean {
  return completed(group).length === 0;
}

/** Of a step that has nothing to learn from. */
export function nothingSampled(groups: readonly GroupResult[]): Error {
  return new Error(`No answer could be sampled: ${firstFailure(groups)}`);
}

/** What the first failed completion says. */
export function firstFailure(groups: readonly GroupResult[]): string {
  const failed = groups
    .flatMap((group) => group.completions)
    .find(({ stopReason }) => stopReason === 'error');
  return failed?.error ?? 'the generators returned nothing.';
}
