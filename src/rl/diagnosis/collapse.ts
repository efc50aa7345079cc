/** Noticing that a run has gone wrong, from its metrics alone, and saying so in words a learner can act on. */
import { mean, median } from '../../base/statistics.ts';
import type { StepMetrics } from '../metrics/index.ts';

export interface Collapse {
  readonly title: string;
  readonly text: string;
}

/** Steps averaged to say how a run does now. */
const WINDOW = 8;
/** Steps averaged to say how well it once did: a run may be good for a moment only. */
const BEST_WINDOW = 3;
/** Steps that are looked back on, so that looking takes no longer however long the run is. */
const MEMORY = 2000;
/** A fall of the mean reward this far below its best stretch is a collapse, where it is no luck; most rewards lie between −1 and 1. */
const REWARD_FALL = 0.4;
/** A fall of the format rate this far below its best stretch. */
const FORMAT_FALL = 0.3;
/** Below this share of mixed groups nothing can be learned from comparing answers. */
const LITTLE_SIGNAL = 0.02;

/** Standard errors that a fall must exceed: with few answers a step, luck alone moves the averages. */
const CERTAINTY = 4;
/** Of a normal distribution: its standard deviation over the median size of the difference of two draws. */
const STD_PER_DIFFERENCE = 1.048;

interface Stretches {
  /** The best average of BEST_WINDOW consecutive steps. */
  readonly best: number;
  /** The average of the newest WINDOW steps. */
  readonly latest: number;
  /** What the two may differ by luck, judged from how much one step differs from the next. */
  readonly luck: number;
}

function stretchesOf(series: readonly number[]): Stretches {
  const averages = series.slice(BEST_WINDOW - 1).map((_, i) => mean(series.slice(i, i + BEST_WINDOW)));
  const differences = series.slice(1).map((value, i) => Math.abs(value - (series[i] ?? value)));
  const stepStd = STD_PER_DIFFERENCE * median(differences);
  return {
    best: Math.max(...averages),
    latest: mean(series.slice(-WINDOW)),
    luck: CERTAINTY * stepStd * Math.sqrt(1 / BEST_WINDOW + 1 / WINDOW),
  };
}

/** The newest steps that a curriculum asked at the levels of today: harder problems earn less, which is no fall. */
function sinceLevelsChanged(metrics: readonly StepMetrics[]): readonly StepMetrics[] {
  const levels = new Map<string, number | null>();
  const changed = metrics.findLastIndex(({ tasks }) =>
    tasks.some(({ task, level }) => {
      const later = levels.get(task);
      levels.set(task, later ?? level);
      return later !== undefined && later !== level;
    }),
  );
  return metrics.slice(changed + 1);
}

const percent = (value: number): string => `${Math.round(100 * value)} %`;

/**
 * What has gone wrong, or null. Needs twice the window of steps at the same levels before it says anything. `groupCentred`: answers are
 * compared within their group, so a step of groups without a difference teaches nothing.
 */
export function findCollapse(all: readonly StepMetrics[], groupCentred: boolean): Collapse | null {
  const metrics = sinceLevelsChanged(all.slice(-MEMORY));
  if (metrics.length < 2 * WINDOW) return null;
  const recent = metrics.slice(-WINDOW);
  const reward = stretchesOf(metrics.map((step) => step.reward));
  const format = stretchesOf(metrics.map((step) => step.format));
  const answers = BEST_WINDOW * mean(recent.map((step) => step.completionTokens / step.meanLength));
  // Rewards of ±1 have a standard deviation of 1 at most, a rate one of 0.5.
  const luck = CERTAINTY / Math.sqrt(answers);
  const lower =
    'Reset, lower the learning rate (half is a good first try) or set a KL penalty, and train again.';
  if (reward.best - reward.latest > Math.max(REWARD_FALL, luck, reward.luck)) {
    return {
      title: 'The run has collapsed',
      text:
        `The mean reward of the last ${WINDOW} steps is ${reward.latest.toFixed(2)}; it had been ${reward.best.toFixed(2)}. ` +
        `Updates have pushed the model away from answers that worked. ${lower}`,
    };
  }
  if (format.best - format.latest > Math.max(FORMAT_FALL, luck / 2, format.luck)) {
    return {
      title: 'The model is losing the answer format',
      text:
        `${percent(format.latest)} of the last answers carried [ANSWER]; it had been ${percent(format.best)}. ` +
        `If the reward does not ask for the tag nothing holds it in place: choose the reward that requires it. ${lower}`,
    };
  }
  if (
    groupCentred &&
    mean(recent.map((step) => step.fracMixed)) < LITTLE_SIGNAL &&
    mean(recent.map((step) => step.accuracy)) < 0.5
  ) {
    return {
      title: 'Nothing to learn from',
      text:
        `In the last ${WINDOW} steps all answers to a problem earned the same reward, and most were wrong, so comparing them ` +
        'says nothing. Raise the temperature or the number of answers per problem, or start from a model that sometimes answers correctly.',
    };
  }
  return null;
}
