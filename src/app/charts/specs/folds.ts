/** The folds of the charts that explain why a run goes as it does. */
export const CHART_FOLDS = {
  rewards: { title: 'Rewards and groups', note: 'spread, mixed groups, variety' },
  policy: { title: 'Policy and lengths', note: 'entropy, KL to the reference, answer length' },
  offPolicy: { title: 'Sampler and trainer', note: 'KL with Tinker’s 0.01 line, age, clipping' },
  optimizer: { title: 'Optimizer', note: 'gradient norm, learning rate, loss' },
  time: { title: 'Time and memory', note: 'who is busy, stages, tokens, memory' },
} as const;

export type ChartFold = keyof typeof CHART_FOLDS;
export const CHART_FOLD_NAMES = Object.keys(CHART_FOLDS) as ChartFold[];
