/** Groups that were answered and wait for a step of training. */
import type { AnsweredGroup, Asked } from './types.ts';

export class AnsweredGroups {
  #groups: AnsweredGroup[] = [];

  get size(): number {
    return this.#groups.length;
  }

  get asked(): Asked[] {
    return this.#groups.map(({ asked }) => asked);
  }

  /** Of all their completions. */
  get tokens(): number {
    return this.#groups
      .flatMap(({ result }) => result.completions)
      .reduce((sum, { tokens }) => sum + tokens.length, 0);
  }

  add(...groups: readonly AnsweredGroup[]): void {
    this.#groups.push(...groups);
  }

  /** Removes those that older weights than `version` answered. A group whose answers all failed is of no age and stays. */
  takeOlderThan(version: number): AnsweredGroup[] {
    const isOld = (group: AnsweredGroup): boolean =>
      group.result.policyVersion < version && !allFailed(group);
    const old = this.#groups.filter(isOld);
    this.#groups = this.#groups.filter((group) => !isOld(group));
    return old;
  }

  /** Removes the `count` stalest, those of one version in the order of the stream. */
  take(count: number): AnsweredGroup[] {
    this.#groups.sort(
      (a, b) => a.result.policyVersion - b.result.policyVersion || a.asked.index - b.asked.index,
    );
    return this.#groups.splice(0, count);
  }
}

function allFailed({ result }: AnsweredGroup): boolean {
  return result.completions.every(({ stopReason }) => stopReason === 'error');
}
