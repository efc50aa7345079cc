/**
 * The ways to cut a text before byte-level BPE, by llama.cpp's names (`tokenizer.ggml.pre`), as `tokenizer.json` of the models has them.
 * llama.cpp's own expressions avoid what its engine lacks, and cut alike.
 */
import { GPT2 } from '../tokens/preTokenizers.ts';

/** The parts of `tokenizer.json` that a name decides. */
export interface Cutting {
  readonly normalizer: object | null;
  readonly preTokenizer: object;
  /** True if a word that is a token is taken whole, whatever the merges make of it. */
  readonly ignoresMerges: boolean;
  /** True if a text gets the start token where the file does not say it. */
  readonly addsBos: boolean;
}

const ENDINGS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const WORDS = '[^\\r\\n\\p{L}\\p{N}]?\\p{L}+';
const MARKS = ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*';
const SPACES = '\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const LLAMA3 = `${ENDINGS}|${WORDS}|\\p{N}{1,3}|${MARKS}|${SPACES}`;
const QWEN2 = `${ENDINGS}|${WORDS}|\\p{N}|${MARKS}|${SPACES}`;
const SEED_CODER = `${ENDINGS}|${WORDS}|\\p{N}{1}| ?[^\\s\\p{L}\\p{N}\\r\\n]+|${SPACES}`;
const UPPER = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]';
const LOWER = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]';
const SLASHED = ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*';
const BEFORE = '[^\\r\\n\\p{L}\\p{N}]?';
const TEKKEN = `${BEFORE}${UPPER}*${LOWER}+|${BEFORE}${UPPER}+${LOWER}*|\\p{N}|${SLASHED}|${SPACES}`;
const GPT4O = `${BEFORE}${UPPER}*${LOWER}+${ENDINGS}?|${BEFORE}${UPPER}+${LOWER}*${ENDINGS}?|\\p{N}{1,3}|${SLASHED}|${SPACES}`;

const bytes = (byWords: boolean): object => ({
  type: 'ByteLevel',
  add_prefix_space: false,
  trim_offsets: true,
  use_regex: byWords,
});
const split = (pattern: string): object => ({
  type: 'Split',
  pattern: { Regex: pattern },
  behavior: 'Isolated',
  invert: false,
});
const inOrder = (...parts: readonly object[]): object => ({ type: 'Sequence', pretokenizers: parts });
const DIGITS = { type: 'Digits', individual_digits: true };

const cutting = (preTokenizer: object, more: Partial<Cutting> = {}): Cutting => ({
  normalizer: null,
  preTokenizer,
  ignoresMerges: false,
  addsBos: false,
  ...more,
});

const byPattern = (pattern: string, more?: Partial<Cutting>): Cutting =>
  cutting(inOrder(split(pattern), bytes(false)), more);

const LLAMA3_CUTS = byPattern(LLAMA3, { ignoresMerges: true, addsBos: true });
const SAME_DIGITS = byPattern(LLAMA3);
const GPT2_CUTS = cutting(bytes(true));
const DIGIT_CUTS = cutting(inOrder(DIGITS, bytes(true)));
const QWEN2_CUTS = byPattern(QWEN2, { normalizer: { type: 'NFC' } });

export const CUTTINGS: Readonly<Record<string, Cutting>> = {
  llama3: LLAMA3_CUTS,
  'llama-v3': LLAMA3_CUTS,
  'llama-bpe': LLAMA3_CUTS,
  falcon3: LLAMA3_CUTS,
  pixtral: LLAMA3_CUTS,
  'smaug-bpe': SAME_DIGITS,
  dbrx: SAME_DIGITS,
  qwen2: QWEN2_CUTS,
  'deepseek-r1-qwen': QWEN2_CUTS,
  smollm: DIGIT_CUTS,
  starcoder: DIGIT_CUTS,
  refact: DIGIT_CUTS,
  codeshell: DIGIT_CUTS,
  exaone: DIGIT_CUTS,
  'minerva-7b': DIGIT_CUTS,
  'gpt-2': GPT2_CUTS,
  gigachat: GPT2_CUTS,
  mellum: GPT2_CUTS,
  trillion: GPT2_CUTS,
  'granite-docling': GPT2_CUTS,
  tekken: byPattern(TEKKEN, { ignoresMerges: true, addsBos: true }),
  'gpt-4o': byPattern(GPT4O),
  kanana2: byPattern(GPT4O),
  'seed-coder': byPattern(SEED_CODER),
  'deepseek-coder': cutting(
    inOrder(
      split('[\\r\\n]'),
      split('\\s?\\p{L}+'),
      split('\\s?\\p{P}+'),
      split('[一-龥ࠀ-一가-\u{d7ff}]+'),
      DIGITS,
      bytes(false),
    ),
  ),
  default: cutting(
    inOrder(
      split('[\\p{P}\\$\\+<=>\\^~\\|]+'),
      split(GPT2),
      split('\\p{N}+'),
      split('[0-9][0-9][0-9]'),
      bytes(false),
    ),
  ),
};
