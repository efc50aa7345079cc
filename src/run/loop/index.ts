/** The training loop: asking, sampling and evaluating. */
export { type Accuracies, accuraciesOf, type Accuracy, headlineOf } from './accuracies.ts';
export { askedLevel } from './curriculum.ts';
export { type EvalResult, type EvalSample, evaluate, type EvaluationSettings } from './evaluate.ts';
export { learningRateAt } from './learningRate.ts';
export { lossOptions } from './lossOptions.ts';
export { answersAt } from './preflight.ts';
export { type HeldOutQuestion, longestPrompt, readsClock, rendererOf } from './prompts.ts';
export type { Rollout } from '../rollouts/rollout.ts';
export {
  evaluationMix,
  heldOutProblems,
  type MixProblem,
  type MixTask,
  scoringOf,
  taskAt,
  taskMix,
  trainingProblem,
} from './taskMix.ts';
