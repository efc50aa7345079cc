/** The effects of changing a few settings on those that were not mentioned. */
import { quoted } from '@rl-playground/base/valueSchemas';
import { CISPO_CAP, LOSSES } from '@rl-playground/engine/parts';
import { counted } from './rules/rule.ts';
import { comparesWithinGroups } from './schema/advantage.ts';
import { shownName } from './names.ts';
import { type FieldKey, type RunConfig, answersInStep } from './schema/schema.ts';

export interface Reconciled {
  readonly config: RunConfig;
  /** The changes with their reasons. */
  readonly notes: readonly string[];
}

/** The largest divisor of `whole` that is at most `wanted`. */
function divisorUpTo(whole: number, wanted: number): number {
  for (let divisor = Math.min(whole, wanted); divisor > 1; divisor--) {
    if (whole % divisor === 0) return divisor;
  }
  return 1;
}

/** The settings that change under a baseline that compares no answers of a group. */
export function withoutGroups(config: RunConfig): Partial<RunConfig> {
  const { baseline, advantageScale, removeConstantGroups, rolloutsPerProblem } = config;
  if (comparesWithinGroups(config)) return {};
  const all = baseline === 'value' || rolloutsPerProblem < 2;
  return {
    ...(advantageScale === 'group' ? { advantageScale: 'none' } : {}),
    ...(removeConstantGroups && all ? { removeConstantGroups: false } : {}),
  };
}

/**
 * Settings as they were asked for, with those that nobody mentioned made to go along: a batch size ends "one problem per generator", parts
 * of a batch divide it, and a loss gets the reduction, the groups and the cap that it needs. What was asked for is never changed.
 * `given`: the name under which each setting was asked for.
 */
export function reconcile(asked: RunConfig, given: ReadonlyMap<FieldKey, string>): Reconciled {
  const notes: string[] = [];
  let config = asked;
  const shown = (key: FieldKey): string => `${shownName(key, given.get(key))} ${quoted(asked[key])}`;
  function change<Key extends FieldKey>(key: Key, value: RunConfig[Key], reason: string): void {
    if (config[key] === value || given.has(key)) return;
    notes.push(`${key} is ${quoted(value)} instead of ${quoted(config[key])}: ${reason}.`);
    config = { ...config, [key]: value };
  }

  if (given.has('loss')) {
    const loss = shown('loss');
    const { reduction, reductionFixed, comparesWithinGroups: groups } = LOSSES[config.loss];
    if (reductionFixed && config.lossReduction !== reduction)
      change('lossReduction', 'auto', `${loss} is the clipped loss with a reduction of its own`);
    if (groups) {
      if (!comparesWithinGroups(config))
        change('baseline', 'group', `${loss} compares answers within a group`);
      change(
        'rolloutsPerProblem',
        Math.max(2, config.rolloutsPerProblem),
        `${loss} compares answers within a group`,
      );
    }
    if (config.loss === 'cispo' && config.clipMeaning === 'epsilon' && config.clipHigh < 1)
      change('clipHigh', CISPO_CAP, `under ${loss} it is the largest weight of a token itself`);
  }

  if (config.baseline === 'value' && given.has('baseline') && LOSSES[config.loss].comparesWithinGroups)
    change('loss', 'ppo', `${shown('baseline')} gives each answer a baseline of its own`);

  const ofBaseline = withoutGroups(config);
  if (ofBaseline.advantageScale !== undefined)
    change('advantageScale', ofBaseline.advantageScale, `${shown('baseline')} compares within no groups`);
  if (ofBaseline.removeConstantGroups !== undefined)
    change(
      'removeConstantGroups',
      ofBaseline.removeConstantGroups,
      `${shown('baseline')} learns from all answers`,
    );

  if (given.has('problemsPerStep') && config.oneProblemPerGenerator)
    change(
      'oneProblemPerGenerator',
      false,
      `${shown('problemsPerStep')} is given, and the number of generators would set it`,
    );
  const answers = answersInStep(config);
  const why = `a step has ${counted(answers, 'answer')}`;
  change('numSubsteps', divisorUpTo(answers, config.numSubsteps), why);
  if (config.miniBatchSize > 0) change('miniBatchSize', divisorUpTo(answers, config.miniBatchSize), why);
  if (config.miniBatchSize > 0) {
    const parts = answers / config.miniBatchSize;
    const accumulation = Number.isInteger(parts) ? divisorUpTo(parts, config.gradientAccumulation) : null;
    if (accumulation !== null)
      change('gradientAccumulation', accumulation, `a step has ${counted(parts, 'mini-batch')}`);
  } else if (config.numSubsteps === 1) change('gradientAccumulation', 1, 'a step has 1 mini-batch');
  else if (answers % config.numSubsteps === 0) {
    const ofUpdate = answers / config.numSubsteps;
    const accumulation = divisorUpTo(ofUpdate, config.gradientAccumulation);
    change('gradientAccumulation', accumulation, `an update has ${counted(ofUpdate, 'answer')}`);
  }
  return { config, notes };
}
