/** Training on parts of the batch as they come in: the streaming schedule. */
import { problemsInStep } from '../../config/stepSizes.ts';
import { nothingSampled } from './failures.ts';
import type { TrainedValues } from '../loop/rollouts.ts';
import { rowsOf, type Row } from './rows.ts';
import type { AnsweredGroup } from '../schedules/index.ts';
import type { ScoredGroup } from './scoredGroups.ts';
import { scoredAnswers, timedAnswers, type Batch, type StepLearning } from './stepLearning.ts';
import { StreamTrainer } from '../update/streamTrainer.ts';

/** Throws where no answer could be sampled. */
export async function learnFromStream(parts: StepLearning): Promise<Batch> {
  const { config, engine, loss, clock, learningRate, baseline, options } = parts;
  const { numSubsteps, numMinibatches } = config;
  const perPart = problemsInStep(config) / (numSubsteps * numMinibatches);
  const trainer = new StreamTrainer({
    engine,
    loss,
    learningRate,
    partsPerUpdate: numMinibatches,
    onProgress: () => undefined,
  });
  const [groups, rows, trained]: [ScoredGroup[], Row[], TrainedValues[]] = [[], [], []];
  const failed: AnsweredGroup[] = [];
  let waiting: AnsweredGroup[] = [];
  let added = 0;
  const stop = abortUntilMoved(options.signal);
  try {
    for await (const group of timedAnswers(parts, stop.signal)) {
      waiting.push(group);
      if (waiting.length < perPart) continue;
      const part = await scoredAnswers(parts, waiting);
      if (part.length === 0) failed.push(...waiting);
      waiting = [];
      await clock.time('train', async () => {
        const made = await rowsOf(part, baseline, config, engine, () => undefined);
        trained.push(...(await trainer.add(made.flatMap(({ sequence }) => sequence ?? []))));
        groups.push(...part);
        rows.push(...made);
        if (++added % numMinibatches > 0) return;
        stop.signal.throwIfAborted();
        stop.moved();
        await trainer.update();
      });
    }
  } catch (error) {
    engine.clearGradients();
    throw error;
  } finally {
    stop.end();
  }
  if (groups.length === 0) throw nothingSampled(failed.map(({ result }) => result));
  return { groups, rows, outcome: { updates: trainer.updates, updatesSkipped: 0, trained } };
}

/** Broken off behind its first update, the weights would be of no step: from there on a step goes on to its end. */
function abortUntilMoved(asked: AbortSignal | undefined) {
  const stop = new AbortController();
  const abort = (): void => stop.abort(asked?.reason);
  const end = (): void => asked?.removeEventListener('abort', abort);
  if (asked?.aborted) abort();
  asked?.addEventListener('abort', abort, { once: true });
  return { signal: stop.signal, moved: end, end };
}
