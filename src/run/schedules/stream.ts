/**
 * Streaming minibatches, after the Tinker cookbook's `StreamMinibatchConfig`: all problems of a step are asked at once with
 * the current weights, and each group is handed on as soon as it is complete, so that the trainer adds up gradients while the
 * rest is still being sampled. On-policy: the weights change only after the last group. Minibatches are in order of completion,
 * so which groups share one depends on the machine, and short answers come first.
 */
import type { RolloutGroup } from '../rollouts/rollout.ts';
import { requestOf } from './problems.ts';
import { Signal } from './signal.ts';
import { StepwiseSource } from './sync.ts';
import type { SourceOptions } from './types.ts';

export class StreamSource extends StepwiseSource {
  async *groups(
    step: number,
    _policyVersion: number,
    { signal, onProgress }: SourceOptions,
  ): AsyncGenerator<RolloutGroup> {
    const { engine, sampling } = this.parts;
    const prompts = this.begin(step);
    const finished: RolloutGroup[] = [];
    const news = new Signal();
    const left = new AbortController();
    const done = engine
      .sample(
        prompts.map((prompt) => requestOf(this.parts, prompt)),
        sampling,
        {
          signal: signal ? AbortSignal.any([signal, left.signal]) : left.signal,
          onProgress,
          onGroup(i, result) {
            const prompt = prompts[i];
            if (prompt) finished.push({ prompt, result, rollouts: [] });
            news.give();
          },
        },
      )
      .finally(() => news.give());
    // Its error is thrown below, where the step waits for it.
    done.catch(() => undefined);
    try {
      for (let handedOn = 0; handedOn < prompts.length;) {
        const group = finished[handedOn];
        if (group) {
          signal?.throwIfAborted();
          handedOn++;
          yield group;
        } else {
          // One more group, or the end of the call, which may be an error.
          await Promise.race([news.wait(), done]);
        }
      }
      await done;
      this.end();
    } finally {
      left.abort(new Error('The step was given up.'));
      await done.catch(() => undefined);
    }
  }
}
