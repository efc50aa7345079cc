/** The preset that the settings start from, and the model that learns. */
import { choice } from '@rl-playground/base/valueSchemas';
import { fieldOf, line } from './fields.ts';
import { ENGINE_DEFAULTS, ENGINE_SCHEMAS } from '@rl-playground/engine/parts';

/** The titles of the presets. Their settings are in `presets/`. */
export const PRESET_TITLES = {
  default: 'Recommended for the task',
  'beyond-demonstrations': 'Beyond what the model was shown',
  'sampler-mismatch': 'Sampler mismatch: sampler and trainer disagree',
  'sampler-mismatch-cured': 'Sampler mismatch, fixed with importance sampling',
  'monarch-digits': 'Monarch digits (the original experiment)',
  'tinker-rl-basic': 'Tinker cookbook: rl_basic',
  'tinker-rl-loop': 'Tinker cookbook: rl_loop',
  'smollm2-instructions': 'SmolLM2-135M learns to follow instructions',
  'smollm2-one-sentence': 'SmolLM2-135M learns to answer in one sentence',
  'gemma3-json': 'Gemma 3 270M learns to answer in JSON',
  'math-instruct': 'GSM8K and MATH, instruct models of 0.5B to 1B',
  'rl-for-real-grpo': 'RL for Real: GRPO on reasoning-gym',
  'rlvr-small': 'RLVR on RPN arithmetic: small',
  'rlvr-large': 'RLVR on RPN arithmetic: large',
  'rlvr-test': 'RLVR on RPN arithmetic: test',
} as const;
export type PresetName = keyof typeof PRESET_TITLES;
export const PRESET_NAMES = Object.keys(PRESET_TITLES) as readonly PresetName[];

const field = fieldOf('Model');
const loraField = fieldOf('LoRA');

export const MODEL_SETTINGS = {
  preset: fieldOf('Task')(choice(PRESET_NAMES), {
    label: 'Preset',
    help: 'The set of values that the settings start from.',
    default: 'default',
    choices: PRESET_TITLES,
  }),
  model: field(line(200), {
    label: 'Model',
    help: 'The language model that learns. "starter" is the small one that comes with the page.',
    default: 'starter',
  }),
  renderer: field(choice(['auto', 'chat_template', 'role_colon']), {
    label: 'Renderer',
    help: 'How a conversation becomes tokens: by the model’s own chat template, or as "User: …" paragraphs for base models, whose answers end as soon as they start to write the user’s part.',
    default: 'auto',
    choices: {
      auto: 'Recommended for the model',
      chat_template: 'Chat template of the model',
      role_colon: 'Role and colon (base models)',
    },
  }),
  thinking: field(choice(['off', 'on']), {
    label: 'Thinking',
    help: 'Whether models that can think between <think> and </think> do so before they answer. Thoughts use tokens of the answer and are trained on, but only the text after them is scored.',
    default: 'off',
    choices: { off: 'Off', on: 'On, where the chat template knows it' },
  }),
  loraRank: loraField(ENGINE_SCHEMAS.loraRank, {
    label: 'LoRA rank',
    help: 'Trains two thin matrices of this rank beside each chosen one and leaves the model itself as it is. 0 trains all weights.',
    default: ENGINE_DEFAULTS.loraRank,
  }),
  loraAlpha: loraField(ENGINE_SCHEMAS.loraAlpha, {
    label: 'LoRA α',
    help: 'The product of the thin matrices is multiplied by α / rank.',
    default: ENGINE_DEFAULTS.loraAlpha,
  }),
  loraTargets: loraField(ENGINE_SCHEMAS.loraTargets, {
    label: 'LoRA targets',
    help: 'The matrices that get factors: of each layer, and lm_head, which turns the last state into logits.',
    default: ENGINE_DEFAULTS.loraTargets,
  }),
  baseFormat: field(ENGINE_SCHEMAS.baseFormat, {
    label: 'Base weights',
    help: 'Number format of the frozen model under LoRA. Fewer bits take less memory; with 8 and 4 bits its answers differ a little from those of the original.',
    default: ENGINE_DEFAULTS.baseFormat,
    choices: {
      auto: 'As in the model’s files; small models in 32 bit',
      f32: '32 bit',
      '16bit': '16 bit',
      q8: '8 bit',
      q4: '4 bit',
    },
  }),
} as const;
