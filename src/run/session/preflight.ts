/** The pre-flight of a run: a few answers are sampled, and a report says what they and the model foretell. */
import { type RunConfig, answersInStep } from '../settings/schema/schema.ts';
import type { LoadedModel } from '@rl-playground/engine/parts';
import {
  preflightFacts,
  preflightFindings,
  type Finding,
  type PreflightFacts,
} from '../diagnosis/preflight.ts';
import { PREFLIGHT, type PreflightSample } from '../loop/preflight.ts';
import { taskMix } from '../loop/taskMix.ts';
import type { TaskConfig } from '@rl-playground/tasks/parts';
import { modelNotes } from './modelNotes.ts';

const taskSettings = ({ taskConfig }: RunConfig, level: TaskConfig | undefined): RunConfig['taskConfig'] =>
  ({ ...taskConfig, ...level }) as RunConfig['taskConfig'];

export interface PreflightReport {
  /** The settings of the pre-flight. */
  readonly config: RunConfig;
  readonly facts: PreflightFacts;
  readonly findings: readonly Finding[];
}

/** A pre-flight is made unasked with any model where the run asks for at least so many times its answers. */
const ANSWERS_FOR_EACH = 8;

/**
 * True if a run begins with its pre-flight unasked. A model of the page gives the answers in a second. With any other they may take long,
 * so that a run of few answers begins without.
 */
export function beginsWithPreflight(config: RunConfig, modelIsOurs: boolean): boolean {
  const ofRun = config.numSteps * answersInStep(config);
  return modelIsOurs || ofRun >= ANSWERS_FOR_EACH * PREFLIGHT.problems * PREFLIGHT.answers;
}

/** Writes the report. `promptTokens` is the length of the run's longest prompt; `beforeWarmUp`: the warm-up is still to come. */
export function preflightReport(
  sample: PreflightSample,
  config: RunConfig,
  model: LoadedModel,
  { promptTokens, beforeWarmUp }: { readonly promptTokens: number; readonly beforeWarmUp: boolean },
): PreflightReport {
  const [only, ...others] = taskMix(config);
  const levels = others.length > 0 ? undefined : only?.task.levels;
  const setup = {
    config,
    stopTokens: model.stopTokenIds.length,
    mostTokens: model.config.maxPositions - promptTokens,
    levels:
      levels === undefined || levels.length < 2 || config.curriculum !== 'off'
        ? null
        : {
            easiest: taskSettings(config, levels[0]),
            hardest: taskSettings(config, levels.at(-1)),
          },
    beforeWarmUp,
  };
  const ofModel = modelNotes(config, model).flatMap(({ kind, title, text }): Finding[] =>
    kind === 'warning' ? [{ id: 'model', kind, title, text }] : [],
  );
  const facts = preflightFacts(sample, config);
  return { config, facts, findings: [...ofModel, ...preflightFindings(sample, facts, setup)] };
}
