/**
 * The losses, one row each, with all that the settings, the page and the updates need to know of it. Their formulas are in
 * `engine/loss/losses.ts` and in docs/losses.md.
 */

/** The ways in which the loss terms of single tokens become one number. `engine/loss/reduction.ts` has the weights and explains the letters. */
export const REDUCTIONS = [
  /** w = 1: Tinker. */
  'sum',
  /** w = 1 / B: simplexity's loop, LUSPO. */
  'sequence_sum',
  /** w = 1 / (B · T_i): GRPO as published, and the Monarch digits. */
  'sequence_mean',
  /** w = 1 / Σ T over all sequences of the update: DAPO's paper. */
  'token_mean',
  /** w = U / Σ T over all sequences of the batch, which makes U updates: TRL's DAPO. */
  'batch_token_mean',
  /** w = 1 / (M · Σ T over the sequences of the own mini-batch), M mini-batches to an update: BNPO. */
  'minibatch_token_mean',
  /** w = 1 / (B · L_max): Dr. GRPO. */
  'max_length',
] as const;
export type Reduction = (typeof REDUCTIONS)[number];

export interface LossRow {
  readonly label: string;
  /** One sentence that explains the loss to a person who does not know it. */
  readonly sentence: string;
  /** True if the loss never reads the probabilities before the update, p_old. */
  readonly ignoresOld?: true;
  /** The quantity that is clipped: the ratio that carries the gradient (the clipped surrogate), the weight of a token's gradient, or nothing. */
  readonly clips: 'ratio' | 'weight' | null;
  /** True if its ratio may be one of the whole answer (GSPO). */
  readonly answerRatio?: true;
  /** True if it compares the answers to one problem with each other. */
  readonly comparesWithinGroups?: true;
  readonly reduction: Reduction;
  /** The reduction if the clipping is given as ε, where that form belongs to another system. */
  readonly epsilonReduction?: Reduction;
  /** True if another reduction would make it another loss; only `token_mean` may replace `batch_token_mean`. */
  readonly reductionFixed?: true;
  /** The paper or system that it follows. */
  readonly source: string;
}

/** The clipped surrogate on groups of answers, min(ρ · A, clip(ρ) · A) per token. */
const GRPO = {
  clips: 'ratio',
  answerRatio: true,
  comparesWithinGroups: true,
} as const;

/** The rows are in the order of the page's menu. */
const ROWS = {
  grpo: {
    ...GRPO,
    label: 'GRPO',
    sentence:
      'Compares the answers to the same problem with each other, and limits how far one batch can move the model.',
    reduction: 'sequence_mean',
    source: 'Shao et al. 2024; TRL',
  },
  reinforce: {
    label: 'REINFORCE',
    sentence: 'Makes answers above the baseline more likely and those below it less likely, without a limit.',
    ignoresOld: true,
    clips: null,
    reduction: 'sequence_mean',
    source: 'Williams 1992; the Monarch system',
  },
  importance_sampling: {
    label: 'Importance sampling (Tinker)',
    sentence:
      'REINFORCE with a correction for answers that older weights sampled: the ratio of new to old probability.',
    clips: null,
    answerRatio: true,
    reduction: 'sum',
    source: 'Tinker',
  },
  ppo: {
    label: 'PPO clipping',
    sentence:
      'Importance sampling with a clipped ratio: a token whose probability changed far enough is not changed further.',
    clips: 'ratio',
    answerRatio: true,
    reduction: 'sum',
    source: 'Schulman et al. 2017; Tinker',
  },
  cispo: {
    label: 'CISPO',
    sentence: 'Clips the ratio only as a weight, so that every token still contributes to the update.',
    clips: 'weight',
    answerRatio: true,
    epsilonReduction: 'batch_token_mean',
    reduction: 'sum',
    source: 'MiniMax 2025; Tinker and TRL',
  },
  dro: {
    label: 'DRO',
    sentence:
      'REINFORCE with a quadratic pull back towards the probabilities that the answers were sampled with.',
    clips: null,
    reduction: 'sum',
    source: 'Tinker, with a mask of the prompt added',
  },
  bnpo: {
    ...GRPO,
    label: 'BNPO',
    sentence: 'GRPO averaged over the tokens of each mini-batch, whatever the lengths of the answers.',
    reduction: 'minibatch_token_mean',
    reductionFixed: true,
    source: 'TRL',
  },
  dr_grpo: {
    ...GRPO,
    label: 'Dr. GRPO',
    sentence: 'GRPO divided by the longest length allowed, so that long wrong answers are penalised in full.',
    reduction: 'max_length',
    reductionFixed: true,
    source: 'Liu et al. 2025; TRL',
  },
  dapo: {
    ...GRPO,
    label: 'DAPO',
    sentence: 'GRPO averaged over all tokens, so that a long answer counts as much as its tokens do.',
    reduction: 'batch_token_mean',
    reductionFixed: true,
    source: 'Yu et al. 2025; TRL',
  },
  luspo: {
    ...GRPO,
    label: 'LUSPO',
    sentence: 'GRPO summed over the tokens of each answer; meant for one ratio per answer.',
    reduction: 'sequence_sum',
    reductionFixed: true,
    source: 'LUSPO 2026; TRL',
  },
  sapo: {
    label: 'SAPO',
    sentence: 'Replaces clipping by a smooth gate: a token whose ratio leaves 1 counts gradually less.',
    clips: null,
    answerRatio: true,
    comparesWithinGroups: true,
    reduction: 'sequence_mean',
    source: 'Gao et al. 2025; TRL',
  },
  vespo: {
    label: 'VESPO',
    sentence:
      'Weighs each answer by how much more likely it has become as a whole; large changes in either direction count less.',
    clips: null,
    comparesWithinGroups: true,
    reduction: 'batch_token_mean',
    source: 'VESPO 2026; TRL',
  },
} as const satisfies Readonly<Record<string, LossRow>>;

/** The levels of the weight for the sampler's error, token or answer, each with the treatment of a weight out of bounds. */
export const IMPORTANCE_MODES = [
  'token_truncate',
  'token_mask',
  'sequence_truncate',
  'sequence_mask',
] as const;
export type ImportanceMode = (typeof IMPORTANCE_MODES)[number];

export type LossName = keyof typeof ROWS;
export const LOSSES: Readonly<Record<LossName, LossRow>> = ROWS;

/** The names of the losses whose row satisfies `asked`, in order. */
export function lossesWhere(asked: (row: LossRow) => boolean | undefined): LossName[] {
  return (Object.keys(LOSSES) as LossName[]).filter((loss) => asked(LOSSES[loss]));
}

/** `clipMeaning` tells the two CISPOs apart: bounds are Tinker's, which sums; one cap is TRL's, which takes the mean over tokens. */
export function ownReduction(loss: LossName, clipMeaning: 'ratio_bounds' | 'epsilon'): Reduction {
  const { reduction, epsilonReduction = reduction } = LOSSES[loss];
  return clipMeaning === 'epsilon' ? epsilonReduction : reduction;
}

/** TRL's usual cap on the weight of a token under CISPO, whose upper number is the largest ratio itself. */
export const CISPO_CAP = 5;
