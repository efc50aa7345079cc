export { bytesOf, chosenPaths } from './files.ts';
export { RewardScorer } from './scorer.ts';
