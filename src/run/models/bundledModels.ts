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

/** The facts about the models beside the page that a person chooses by, before any of them is fetched. */
export const BUNDLED_FACTS: Readonly<Record<string, { readonly parameters: number; readonly use: string }>> =
  {
    [STARTER]: { parameters: 152_768, use: 'reverses and adds up digits: the first run starts with it' },
    [GYM_MODEL]: { parameters: 345_696, use: 'knows 29 tasks of every family, each a little' },
    [FAMILY_MODELS[0]]: { parameters: 344_160, use: 'knows 13 tasks of arithmetic' },
    [FAMILY_MODELS[1]]: { parameters: 343_968, use: 'knows 11 tasks of letters, words and lists' },
    [FAMILY_MODELS[2]]: { parameters: 343_392, use: 'knows 5 tasks of logic' },
    [SHORT_MODEL]: {
      parameters: 152_768,
      use: 'saw digit sums of two and three numbers, and learns longer ones',
    },
    [SHORT_TERMS_MODEL]: {
      parameters: 153_152,
      use: 'saw sums of two and three terms, and learns longer ones',
    },
    [SHORT_LISTS_MODEL]: {
      parameters: 152_832,
      use: 'saw lists of two to four numbers to sort, and learns longer ones',
    },
  };

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
