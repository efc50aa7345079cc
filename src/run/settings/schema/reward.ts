/** A ready model that scores answers. */
import { choice, quantity } from '@rl-playground/base/valueSchemas';
import { fieldOf, optionalLine } from './fields.ts';

const field = fieldOf('Reward model');

export const REWARD_SETTINGS = {
  rewardModel: field(optionalLine(200), {
    label: 'Reward model',
    help: 'A ready model, run by transformers.js, whose score is part of the reward: org/name of the Hub with ONNX files, or the name of a folder. Empty: the task’s grader alone.',
    default: '',
  }),
  rewardPipeline: field(choice(['text-classification', 'zero-shot-classification', 'feature-extraction']), {
    label: 'What it scores',
    help: 'The score is the probability that an answer has a label of the model, the probability that any label of yours fits it, or the cosine similarity of its embedding to that of another text.',
    default: 'text-classification',
    choices: {
      'text-classification': 'A label of the model (text-classification)',
      'zero-shot-classification': 'A label of yours (zero-shot-classification)',
      'feature-extraction': 'Similarity to a text (feature-extraction)',
    },
  }),
  rewardLabel: field(optionalLine(1000), {
    label: 'Label or text',
    help: 'The label that is rewarded, such as POSITIVE, or the text that answers should be similar to. Empty: the only label of the model, or the answer of the row.',
    default: '',
  }),
  rewardWeight: field(quantity(-1000, 1000), {
    label: 'Weight of the reward model',
    help: 'What its score, mostly between 0 and 1, is multiplied by. A negative weight rewards the opposite.',
    default: 1,
  }),
  graderWeight: field(quantity(0, 1000), {
    label: 'Weight of the grader',
    help: 'What the reward of the task’s own grader is multiplied by beside a reward model. 0: the reward model alone.',
    default: 1,
  }),
} as const;
