/** Where the time of a step goes. The clock is given, in milliseconds. */
import type { StepTimes } from '../metrics/context.ts';

type Stage = 'rollout' | 'reward' | 'train' | 'sync';

export class StepClock {
  readonly #now: () => number;
  readonly #generatorsBusy: () => number;
  #began: number;
  /** At the beginning of the step: what generators do between two steps, such as an evaluation, is in neither. */
  #generatorsBefore: number;
  #stages: Record<Stage, number> = { rollout: 0, reward: 0, train: 0, sync: 0 };

  /** `generatorsBusy`: seconds that generators have worked so far, summed over them. */
  constructor(now: () => number, generatorsBusy: () => number) {
    this.#now = now;
    this.#generatorsBusy = generatorsBusy;
    this.#began = now();
    this.#generatorsBefore = generatorsBusy();
  }

  begin(): void {
    this.#began = this.#now();
    this.#generatorsBefore = this.#generatorsBusy();
    this.#stages = { rollout: 0, reward: 0, train: 0, sync: 0 };
  }

  async time<T>(stage: Stage, work: () => Promise<T>): Promise<T> {
    const began = this.#now();
    try {
      return await work();
    } finally {
      this.#stages[stage] += this.#now() - began;
    }
  }

  /** The same items; the time in which the next one is waited for counts as `stage`. */
  async *waiting<T>(items: AsyncIterable<T>, stage: Stage): AsyncGenerator<T> {
    const iterator = items[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.time(stage, () => iterator.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  }

  end(): StepTimes {
    const { rollout, reward, train, sync } = this.#stages;
    const seconds = (milliseconds: number): number => milliseconds / 1000;
    return {
      total: seconds(this.#now() - this.#began),
      rollout: seconds(rollout),
      reward: seconds(reward),
      train: seconds(train),
      sync: seconds(sync),
      trainerBusy: seconds(reward + train + sync),
      generatorsBusy: this.#generatorsBusy() - this.#generatorsBefore,
    };
  }
}
