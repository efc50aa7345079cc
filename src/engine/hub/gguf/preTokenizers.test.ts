import { expect, test } from 'vitest';
import { Options } from '../tokens/options.ts';
import { preTokenizerOf } from '../tokens/preTokenizers.ts';
import { CUTTINGS } from './preTokenizers.ts';

const TEXT = "It's 2024-01 don't!";
const BY_DIGIT = "It|'s|Ġ|2|0|2|4|-|0|1|Ġdon|'t|!";
const BY_THREE = "It|'s|Ġ|202|4|-|01|Ġdon|'t|!";

/** The parts of the text, cut by hand by the rules of each kind. */
const PARTS: Readonly<Record<string, string>> = {
  'llama-bpe': BY_THREE,
  'smaug-bpe': BY_THREE,
  qwen2: BY_DIGIT,
  smollm: BY_DIGIT,
  'gpt-2': "It|'s|Ġ2024|-|01|Ġdon|'t|!",
  tekken: BY_DIGIT,
  'gpt-4o': "It's|Ġ|202|4|-|01|Ġdon't|!",
  'seed-coder': BY_DIGIT,
  'deepseek-coder': "It|'|s|Ġ|2|0|2|4|-|0|1|Ġdon|'|t|!",
  default: "It|'|s|Ġ|202|4|-|01|Ġdon|'|t|!",
};

const partsOf = (kind: string): string => {
  const cut = preTokenizerOf(new Options(CUTTINGS[kind]?.preTokenizer, kind));
  return cut([{ text: TEXT, isFirst: true }])
    .map(({ text }) => text)
    .join('|');
};

test.each(Object.entries(PARTS))('%s', (kind, parts) => {
  expect(partsOf(kind)).toBe(parts);
});

test('every kind cuts as one of these', () => {
  for (const kind of Object.keys(CUTTINGS)) expect(Object.values(PARTS)).toContain(partsOf(kind));
});
