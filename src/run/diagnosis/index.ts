/** The judgement of a run by its metrics: alarms, gains, comparisons, the pre-flight check. */
export { type Alarm, alarmHistory, RULES, strengths, Watch } from './alarms/watch.ts';
export {
  type Difference,
  differenceBetween,
  isDistinguishable,
  outcomesOf,
  OVER,
  NO_VERDICT,
  resultText,
  seedInterval95,
  seedShares95,
} from './compareRuns.ts';
export {
  formAndContent,
  formText,
  type Gain,
  gainsOf,
  gainText,
  resultSentence,
  verdictText,
} from './alarms/gains.ts';
export { KL_LINE, klCause } from './alarms/klCause.ts';
export { lastSoundStep } from './alarms/soundState.ts';
export {
  BASE_RATE,
  LORA_FACTOR,
  type ModelFamily,
  REFERENCE_WIDTH,
  squareRootRate,
  tinkerRate,
  WIDTH_EXPONENT,
} from './learningRateRules.ts';
export { type Finding, lossNote, OUTLOOK_STEPS, type PreflightFacts } from './preflight.ts';
