/** A handful of answers tells before a run's first step how much there is to learn from, and what prevents it. */
import { sameLosses, fourUpdates } from '../settings/lossTwins.ts';
import { isMixed, LOSSES } from '@rl-playground/engine/parts';
import { type RunConfig, problemsInStep } from '../settings/schema/schema.ts';
import { mean } from '@rl-playground/base/statistics';
import type { PreflightAnswer, PreflightSample } from '../loop/preflight.ts';
import { isCounted } from '../rollouts/rollout.ts';
import { groupOutlook, type GroupOutlook } from './groupOutlook.ts';

export type FindingId =
  | 'program_fails'
  | 'empty_answers'
  | 'no_stop_tokens'
  | 'never_ends'
  | 'truncated'
  | 'identical_answers'
  | 'no_form'
  | 'no_right'
  | 'all_right'
  | 'right_not_paid'
  | 'constant_reward'
  | 'few_signals'
  | 'model'
  | 'same_losses';

export interface Finding {
  readonly id: FindingId;
  /** `warning`: the run will hardly learn so. `note`: good to know. */
  readonly kind: 'warning' | 'note';
  readonly title: string;
  readonly text: string;
  /** Changes of settings that mend it, and what the button for them says. */
  readonly mend?: { readonly label: string; readonly settings: Partial<RunConfig> };
}

export interface PreflightFacts {
  readonly answers: number;
  /** Shares of the answers, 0 to 1. */
  readonly inForm: number;
  readonly right: number;
  readonly cut: number;
  /** The problems whose answers earned different rewards. */
  readonly varied: number;
  readonly groups: GroupOutlook;
  readonly groupSize: number;
  /** The seconds that sampling these answers took. */
  readonly seconds: number;
}

/** The facts of the run beside its answers. */
export interface PreflightSetup {
  readonly config: RunConfig;
  /** The number of tokens that end an answer. */
  readonly stopTokens: number;
  /** The most tokens that an answer may have, beside the prompt. */
  readonly mostTokens: number;
  /** Settings of the task at its easiest and its hardest level; null where it has one level. */
  readonly levels: {
    readonly easiest: RunConfig['taskConfig'];
    readonly hardest: RunConfig['taskConfig'];
  } | null;
  /** True if the warm-up is still to come. */
  readonly beforeWarmUp: boolean;
}

/** Steps whose groups the outlook is over. */
export const OUTLOOK_STEPS = 5;

const share = <Item>(items: readonly Item[], test: (item: Item) => boolean): number =>
  items.length === 0 ? 0 : items.filter(test).length / items.length;

export function preflightFacts({ answersPN, seconds }: PreflightSample, config: RunConfig): PreflightFacts {
  const answers = answersPN.flat();
  const { rolloutsPerProblem: groupSize } = config;
  const rewardsPN = answersPN.map((all) => all.filter(isCounted).map(({ reward }) => reward.total));
  return {
    answers: answers.length,
    inForm: share(answers, ({ reward }) => reward.format),
    right: share(answers, ({ reward }) => reward.correct),
    cut: share(answers, isCut),
    varied: rewardsPN.filter(isMixed).length,
    groups: groupOutlook(rewardsPN, groupSize, OUTLOOK_STEPS * problemsInStep(config)),
    groupSize,
    seconds,
  };
}

/** True if the answers give a run nothing to learn from. */
export const isHopeless = ({ answers, right, varied }: PreflightFacts): boolean =>
  answers > 0 && right === 0 && varied === 0;

const isCut = ({ stopReason }: PreflightAnswer): boolean => stopReason === 'max_tokens';

/** Updates of the warm-up that are offered: enough for the bundled models to learn a form. */
const WARM_UP_STEPS = 60;
const MANY_CUT = 0.4;
const MANY_FAILED = 0.5;
const FEW_SIGNALS = 0.25;
/** Answers of either kind before what they are paid is compared. */
const ENOUGH = 6;

/** The findings in the order in which they stop a run from learning: a consequence of another is not said beside it. */
export function preflightFindings(
  sample: PreflightSample,
  facts: PreflightFacts,
  setup: PreflightSetup,
): Finding[] {
  const answers = sample.answersPN.flat();
  const cause =
    programFails(answers) ??
    emptyAnswers(answers) ??
    endings(answers, setup) ??
    identicalAnswers(sample, setup) ??
    nothingPaid(facts, setup) ??
    allRight(facts, setup) ??
    wronglyPaid(answers.filter(isCounted)) ??
    fewSignals(facts, setup);
  const same = lossNote(setup.config);
  return [...(cause === null ? [] : [cause]), ...(same === null ? [] : [same])];
}

const warning = (id: FindingId, title: string, text: string, mend?: Finding['mend']): Finding => ({
  id,
  kind: 'warning',
  title,
  text,
  ...(mend && { mend }),
});

function programFails(answers: readonly PreflightAnswer[]): Finding | null {
  const failed = answers.filter(({ reward }) => reward.error !== undefined);
  if (failed.length < MANY_FAILED * answers.length || failed.length === 0) return null;
  const ofModel = failed[0]?.reward.ofModel === true;
  return warning(
    'program_fails',
    `The ${ofModel ? 'reward model' : 'program'} failed for ${failed.length} of ${answers.length} answers`,
    `Each of them ${failed[0]?.reward.leftOut === true ? 'is left out of its group' : 'earns 0'}. The first failure: ${failed[0]?.reward.error ?? ''}${ofModel ? '' : ' Try the program in the reward calculator.'}`,
  );
}

function emptyAnswers(answers: readonly PreflightAnswer[]): Finding | null {
  const empty = answers.filter(({ text }) => text.trim() === '').length;
  if (empty < 0.9 * answers.length || empty === 0) return null;
  return warning(
    'empty_answers',
    `${empty} of ${answers.length} answers are empty`,
    'The model stops at once: its prompt may not have the format that it was trained with. Choose another renderer or model, or show it worked answers in a warm-up.',
  );
}

function endings(
  answers: readonly PreflightAnswer[],
  { config: { maxTokens }, stopTokens, mostTokens }: PreflightSetup,
): Finding | null {
  const cut = answers.filter(isCut).length;
  const more = Math.min(2 * maxTokens, mostTokens);
  const mend =
    more > maxTokens ? { label: `Allow ${more} tokens`, settings: { maxTokens: more } } : undefined;
  if (cut === answers.length && stopTokens === 0)
    return warning(
      'no_stop_tokens',
      'The model has no stop tokens',
      `Its files name no token that ends an answer, so all ${answers.length} answers ran to the limit of ${maxTokens} tokens. Add eos_token_id to generation_config.json, or choose the renderer "role_colon".`,
    );
  if (cut === answers.length && cut > 0)
    return warning(
      'never_ends',
      `None of ${answers.length} answers ended by themselves`,
      `Each was cut at ${maxTokens} tokens. Either they need more room, or the model does not write its stop token: a warm-up shows it where to end.`,
      mend,
    );
  if (cut < MANY_CUT * answers.length || cut === 0) return null;
  return warning(
    'truncated',
    `${cut} of ${answers.length} answers were cut at ${maxTokens} tokens`,
    'An answer that is cut before its result counts as wrong.',
    mend,
  );
}

function identicalAnswers({ answersPN }: PreflightSample, { config }: PreflightSetup): Finding | null {
  const alike = answersPN.filter((all) => all.length > 1 && all.every(({ text }) => text === all[0]?.text));
  if (alike.length < answersPN.length || alike.length === 0) return null;
  const sharp = config.temperature < 1;
  return warning(
    'identical_answers',
    'All answers to a problem are the same',
    `A group of equal answers has equal rewards, so there is nothing to learn from. ${sharp ? `The temperature is ${config.temperature}.` : 'The model is sure of every token: start from a less trained one, or ask harder problems.'}`,
    sharp ? { label: 'Sample at temperature 1', settings: { temperature: 1 } } : undefined,
  );
}

function warmUp({ config: { warmStartSteps } }: PreflightSetup): Finding['mend'] {
  return warmStartSteps > 0
    ? undefined
    : { label: 'Turn on the warm-up', settings: { warmStartSteps: WARM_UP_STEPS } };
}

function nothingPaid({ answers, inForm, right }: PreflightFacts, setup: PreflightSetup): Finding | null {
  // Worked answers are what a warm-up is for.
  if (setup.beforeWarmUp || right > 0) return null;
  if (inForm === 0)
    return warning(
      'no_form',
      `0 of ${answers} answers are in the right format`,
      'If no answer earns a reward, there is nothing to learn from. Show the model worked examples first.',
      warmUp(setup),
    );
  const { levels, config } = setup;
  const easier =
    levels && JSON.stringify(levels.easiest) !== JSON.stringify(config.taskConfig)
      ? { label: 'Ask the easiest level', settings: { taskConfig: levels.easiest } }
      : warmUp(setup);
  return warning(
    'no_right',
    `0 of ${answers} answers are right`,
    'Reinforcement can only strengthen answers that are sometimes right. Ask easier problems, or show the model worked examples first.',
    easier,
  );
}

function allRight({ answers, right }: PreflightFacts, { levels, config }: PreflightSetup): Finding | null {
  if (right < 1 || answers === 0) return null;
  const harder =
    levels && JSON.stringify(levels.hardest) !== JSON.stringify(config.taskConfig)
      ? { label: 'Ask the hardest level', settings: { taskConfig: levels.hardest } }
      : undefined;
  return warning(
    'all_right',
    `All ${answers} answers are right`,
    'The model can do this task already, so little is left to learn. Ask harder problems.',
    harder,
  );
}

function wronglyPaid(answers: readonly PreflightAnswer[]): Finding | null {
  const totals = answers.map(({ reward }) => reward.total);
  if (new Set(totals).size === 1)
    return warning(
      'constant_reward',
      `Every answer earns ${totals[0] ?? 0}`,
      'Right or wrong, the reward is the same, so no answer is better than another. Look at the reward’s settings, or at the grader.',
    );
  const paid = (correct: boolean): number[] =>
    answers.filter(({ reward }) => reward.correct === correct).map(({ reward }) => reward.total);
  const [right, wrong] = [paid(true), paid(false)];
  if (right.length < ENOUGH || wrong.length < ENOUGH || mean(right) > mean(wrong)) return null;
  return warning(
    'right_not_paid',
    'Right answers earn no more than wrong ones',
    `${right.length} right answers earn ${mean(right).toFixed(2)} on average, ${wrong.length} wrong ones ${mean(wrong).toFixed(2)}. Training would make the wrong ones more likely. Look at the reward’s settings, or at the grader.`,
  );
}

function fewSignals({ groups, groupSize }: PreflightFacts, { config }: PreflightSetup): Finding | null {
  if (groups.interval.high >= FEW_SIGNALS || groupSize >= 64) return null;
  const larger = Math.min(64, 2 * groupSize);
  return warning(
    'few_signals',
    `About ${Math.round(100 * groups.mixed)}% of the groups will have mixed rewards`,
    `In the others all ${groupSize} answers earn the same. Ask problems that the model solves sometimes, or sample more answers to each.`,
    config.oneProblemPerGenerator
      ? undefined
      : { label: `Sample ${larger} answers`, settings: { rolloutsPerProblem: larger } },
  );
}

/** Not a mistake, and nothing that answers tell: one update a batch leaves nothing to clip. */
export function lossNote(config: RunConfig): Finding | null {
  const same = sameLosses(config);
  if (same.length === 0) return null;
  const settings = fourUpdates(config);
  const names = same.map((loss) => LOSSES[loss].label).join(', ');
  return {
    id: 'same_losses',
    kind: 'note',
    title: `${LOSSES[config.loss].label} and ${same.length === 1 ? names : `${same.length} other losses`} are identical here`,
    text: `With one update per batch there is nothing to clip: the probabilities have not moved yet, so every ratio is 1. ${same.length === 1 ? '' : `The others are ${names}. `}With several updates per batch they differ.`,
    ...(settings && { mend: { label: '4 updates per batch', settings } }),
  };
}
