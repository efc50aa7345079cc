/** Groups that were answered and wait for a step of training. */
import { isBroken } from '../loop/failures.ts';
import type { AnsweredGroup, Asked } from './types.ts';

/** A generator that broke is asked once a step while others work: a problem rarely meets it more than once. */
const MOST_BREAKDOWNS = 3;

export class AnsweredGroups {
  #groups: AnsweredGroup[] = [];
  /** How often each problem broke that no step has had yet. */
  readonly #breakdowns = new Map<number, number>();

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
    for (const { asked } of groups.filter(({ result }) => isBroken(result)))
      this.#breakdowns.set(asked.index, this.#breakdownsOf(asked.index) + 1);
  }

  /** Removes those that older weights than `version` answered. A broken group is of no age and stays. */
  takeOlderThan(version: number): AnsweredGroup[] {
    return this.#takeWhere((group) => group.result.policyVersion < version && !isBroken(group.result));
  }

  /** Removes those without any answer. A problem that broke three times stays, for a step to go on without it. */
  takeBroken(): AnsweredGroup[] {
    return this.#takeWhere(
      (group) => isBroken(group.result) && this.#breakdownsOf(group.asked.index) < MOST_BREAKDOWNS,
    );
  }

  /** Removes the `count` stalest, those of one version in the order of the stream. */
  take(count: number): AnsweredGroup[] {
    this.#groups.sort(
      (a, b) => a.result.policyVersion - b.result.policyVersion || a.asked.index - b.asked.index,
    );
    const taken = this.#groups.splice(0, count);
    for (const { asked } of taken) this.#breakdowns.delete(asked.index);
    return taken;
  }

  #breakdownsOf(index: number): number {
    return this.#breakdowns.get(index) ?? 0;
  }

  #takeWhere(wanted: (group: AnsweredGroup) => boolean): AnsweredGroup[] {
    const taken = this.#groups.filter(wanted);
    this.#groups = this.#groups.filter((group) => !taken.includes(group));
    return taken;
  }
}
