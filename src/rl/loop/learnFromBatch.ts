/** The whole batch first, then its updates: the synchronous and the asynchronous schedule. */
import type { RunConfig } from '../../config/schema.ts';
import { drawsFor } from '../../base/random.ts';
import { trainOnBatch } from '../update/batchTrainer.ts';
import { nothingSampled } from './failures.ts';
import { rowsOf } from './rows.ts';
import type { AnsweredGroup } from '../schedules/index.ts';
import type { ScoredGroup } from './scoredGroups.ts';
import {
  scoredAnswers,
  timedAnswers,
  type Batch,
  type StepLearning,
  type StepOptions,
} from './stepLearning.ts';

/** Keeps the order of mini-batches apart from every other draw. */
const SHUFFLE_STREAM = 0x5bf1;

/** Throws where no answer could be sampled. */
export async function learnFromBatch(parts: StepLearning): Promise<Batch> {
  const { config, engine, loss, clock, step, learningRate, baseline, options } = parts;
  const answered: AnsweredGroup[] = [];
  for await (const group of timedAnswers(parts, options.signal)) answered.push(group);
  const groups = await scoredAnswers(parts, answered);
  if (groups.length === 0) throw nothingSampled(answered.map(({ result }) => result));
  return clock.time('train', async () => {
    const onProgress = trainingProgress(groups, config, options);
    const rows = await rowsOf(groups, baseline, config, engine, onProgress);
    const outcome = await trainOnBatch(
      rows.flatMap(({ sequence }) => sequence ?? []),
      {
        engine,
        loss,
        plan: config,
        learningRate,
        targetKl: config.targetKl,
        measurePost: config.computePostKl,
        draw: drawsFor(config.seed, SHUFFLE_STREAM, step),
        onProgress,
      },
    );
    return { groups, rows, outcome };
  });
}

/** Reports tokens done of those that all passes over the batch will take. */
function trainingProgress(
  groups: readonly ScoredGroup[],
  { ppoEpochs, computePostKl }: RunConfig,
  { onProgress }: StepOptions,
): (tokens: number) => void {
  const once = groups.reduce(
    (sum, { asked, completions }) =>
      sum +
      completions.reduce((all, { completion }) => all + asked.promptIds.length + completion.tokens.length, 0),
    0,
  );
  const total = once * (1 + ppoEpochs + (computePostKl ? 1 : 0));
  let done = 0;
  const report = (tokens: number): void => {
    done = Math.min(total, done + tokens);
    onProgress?.({ activity: 'training', done, total, tokens: done });
  };
  report(0);
  return report;
}
