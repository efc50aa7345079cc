/** The pre-flight of a run: a few answers are sampled, and a report says what they and the model foretell. */
import { type RunConfig, answersInStep } from '../settings/schema/schema.ts';
import type { LoadedModel } from '@rl-playground/engine/parts';
import {
  isHopeless,
  preflightFacts,
  preflightFindings,
  type Finding,
  type PreflightFacts,
} from '../diagnosis/preflight.ts';
import { FIRST_MEETING, PREFLIGHT, type PreflightSample, type PreflightSize } from '../loop/preflight.ts';
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
  /** True if the answers give nothing to learn from, and no warm-up is to come. */
  readonly hopeless: boolean;
  readonly hasTemplate: boolean;
}

/** A person's run begins with the answers of a first meeting where it asks for at least so many times as many. */
const ANSWERS_FOR_EACH = 8;

/**
 * The answers that a run begins with unasked; null for none. A model of the page gives them in a second. Any other gives a few, where a
 * person begins a run that is worth the wait.
 */
export function unaskedPreflight(
  config: RunConfig,
  { modelIsOurs, byHand }: { readonly modelIsOurs: boolean; readonly byHand: boolean },
): PreflightSize | null {
  if (modelIsOurs) return PREFLIGHT;
  const ofRun = config.numSteps * answersInStep(config);
  const isLong = ofRun >= ANSWERS_FOR_EACH * FIRST_MEETING.problems * FIRST_MEETING.answers;
  return byHand && isLong ? FIRST_MEETING : null;
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
  return {
    config,
    facts,
    findings: [...ofModel, ...preflightFindings(sample, facts, setup)],
    hopeless: isHopeless(facts) && !beforeWarmUp,
    hasTemplate: model.tokenizer.hasChatTemplate,
  };
}
