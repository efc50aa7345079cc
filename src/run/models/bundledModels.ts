/** The models beside the page by name: what can be known of them without the code that loads them. */
import {
  FAMILY_MODELS,
  GYM_MODEL,
  SHORT_LISTS_MODEL,
  SHORT_MODEL,
  SHORT_TERMS_MODEL,
} from '@rl-playground/tasks/parts';

export const STARTER = 'starter';
export const BUNDLED_MODELS: readonly string[] = [
  STARTER,
  GYM_MODEL,
  ...FAMILY_MODELS,
  SHORT_MODEL,
  SHORT_TERMS_MODEL,
  SHORT_LISTS_MODEL,
];

/** The largest first. */
const FILES = [
  'model.safetensors',
  'config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'generation_config.json',
];

/** The one that the page opens with: the one that settings name where it is one of these, else the starter. */
export const openingModel = (named: string): string => (BUNDLED_MODELS.includes(named) ? named : STARTER);

/** The path of a model's folder beside the page. */
export const filesFolder = (name: string): string => `models/${name}/`;

export const filesOfModel = (name: string): string[] => FILES.map((file) => `${filesFolder(name)}${file}`);
