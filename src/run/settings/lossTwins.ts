/** Losses that make the same run as another under some settings. */
import {
  LOSSES,
  lossesWhere,
  ownReduction,
  type LossName,
  type Reduction,
} from '@rl-playground/engine/parts';
import { type RunConfig, answersInStep, updatesPerBatch } from './schema/schema.ts';

/** Reductions that all count the tokens of all answers of a batch if it has one update. */
const OVER_ALL_TOKENS: ReadonlySet<Reduction> = new Set([
  'token_mean',
  'batch_token_mean',
  'minibatch_token_mean',
]);

/** Reductions with one name weigh every token alike. */
function weighing(loss: LossName, { lossReduction, clipMeaning }: RunConfig): string {
  const fixed = LOSSES[loss].reductionFixed === true;
  const reduction = lossReduction === 'auto' || fixed ? ownReduction(loss, clipMeaning) : lossReduction;
  return OVER_ALL_TOKENS.has(reduction) ? 'all tokens' : reduction;
}

/**
 * Says whether p_old is p at every gradient: one update to a batch, on answers of these very weights. Every ratio is 1 then, so that
 * nothing is clipped, faded or pulled back, and the gradient of every loss is A · ∇log p.
 */
export function ratiosStayOne(config: RunConfig): boolean {
  const { schedule, oldLogprobs, ratioLevel, importanceCap, importanceFloor, samplerNoise } = config;
  return (
    updatesPerBatch(config) === 1 &&
    !(config.loss === 'cispo' && config.clipMeaning === 'epsilon' && config.clipHigh < 1) &&
    ratioLevel === 'token' &&
    importanceCap === 0 &&
    importanceFloor === 0 &&
    (oldLogprobs === 'trainer' || (schedule === 'sync' && samplerNoise === 0))
  );
}

/** The other losses that make the same run as the one that is chosen, in the order of the menu; none where they differ. */
export function sameLosses(config: RunConfig): LossName[] {
  if (!ratiosStayOne(config)) return [];
  const mine = weighing(config.loss, config);
  const inGroups = config.baseline === 'group' || config.baseline === 'leave_one_out';
  return lossesWhere(({ comparesWithinGroups }) => inGroups || comparesWithinGroups !== true).filter(
    (loss) => loss !== config.loss && weighing(loss, config) === mine,
  );
}

const WANTED_UPDATES = 4;

/** Settings that cut a step into four updates, so that ratios move; null where its answers can't be cut so. */
export function fourUpdates(config: RunConfig): Partial<RunConfig> | null {
  const parts = WANTED_UPDATES * Math.max(1, config.numMinibatches);
  const fits =
    config.schedule === 'stream'
      ? config.problemsPerStep % parts === 0
      : answersInStep(config) % WANTED_UPDATES === 0;
  return fits ? { numSubsteps: WANTED_UPDATES, miniBatchSize: 0, gradientAccumulation: 1 } : null;
}
