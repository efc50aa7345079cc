export {
  type AskedText,
  labelProblem,
  provideRewardModel,
  type RewardModel,
  type RewardPipeline,
  rewardModelProblem,
  type RewardQuestion,
  type ScoreOutcome,
} from './rewardModel.ts';
