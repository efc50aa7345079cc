import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { tinyTokenizerConfig, tinyTokenizerJson, tinyModelFolder } from '../testing/modelFolder.ts';
import { provenBy } from '@rl-playground/base/testing/proofs';
import { byteLevelTokenizer, sentencePieceTokenizer } from '../testing/smallTokenizers.ts';
import { loadModel } from './load.ts';
import { pumpedUnits } from './pumpedUnits.ts';
import { filesInMemory } from './sources.ts';
import { createTextCodec } from './tokenizer.ts';
import { PatternReader } from './tokens/oniguruma.ts';
import { stepsOf } from './tokens/patternSteps.ts';
import { tryPatterns, tryTemplate } from './trial.ts';
import { ModelFileError } from './types.ts';

const bytes = (json: object): Uint8Array => new TextEncoder().encode(JSON.stringify(json));
const splitBy = (Regex: string) => ({
  ...tinyTokenizerJson,
  pre_tokenizer: { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false },
});

/** The patterns published with GPT-2, Llama 3, Qwen 2, GPT-4o, GPT-4 and DeepSeek. */
const PUBLISHED = [
  "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}++|\\p{N}{1,3}+| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*+|\\s++$|\\s*[\\r\\n]|\\s+(?!\\S)|\\s",
  '\\s?[A-Za-zµÀ-ÖØ-öø-ƺ]+',
  '[\u3400-\u4dbf\u4e00-\u9fff]+|(?<=\\p{L})(?=\\p{N})|(?<!\\S)\\s+(?=\\S)',
];

describe('patterns that are tried', () => {
  it.each(PUBLISHED)('are sound: %s', (pattern) => {
    expect(() => tryPatterns('m', splitBy(pattern))).not.toThrow();
  });

  it.each([byteLevelTokenizer(), sentencePieceTokenizer()])(
    'are sound in any tokenizer',
    ({ tokenizerJson }) => {
      expect(() => tryPatterns('m', tokenizerJson)).not.toThrow();
    },
  );

  const repeated = ['(a+)+b', '(\\s+,?)*;', '(q|q)*r', 'x*x*x*y'];
  it.each(provenBy([...repeated, '(?:ab|a|b)*c', '(x+)*y', '(?:[a-z]+)*z?$', '(?<=(b|b)*c)d'], repeated))(
    'are refused where they backtrack without end: %s',
    (pattern) => {
      expect(() => tryPatterns('m', splitBy(pattern))).toThrow(
        /^m: tokenizer\.json has the pattern .* take (more than )?[\d,]+ steps, and half as many [\d,]+\. Use/,
      );
    },
  );

  it('are tried in any place that has one, and at any depth', () => {
    const nested = (depth: number): object =>
      depth === 0 ? { type: 'Fuse' } : { type: 'Sequence', decoders: [nested(depth - 1)] };
    expect(() => tryPatterns('m', { ...tinyTokenizerJson, decoder: nested(500) })).not.toThrow();
    const decoder = { type: 'Replace', pattern: { Regex: '(0+)+x' }, content: '' };
    expect(() => tryPatterns('m', { ...tinyTokenizerJson, decoder })).toThrow(ModelFileError);
  });

  it('name their characters', () => {
    expect(pumpedUnits('(foo|bar)+\\p{L}+[^z]')).toEqual(
      expect.arrayContaining(['a', ' ', 'foo', 'f', 'o', 'bar', 'z']),
    );
  });
});

describe('steps of a pattern', () => {
  const steps = (pattern: string, text: string): number =>
    stepsOf(new PatternReader(pattern).read(), text, 1e6);

  it('are counted', () => {
    // Each place is looked at once: two letters and the end.
    expect(steps('b', 'aa')).toBe(3);
    // From the first place four looks at characters (the last behind the end), one at the end of the run and one for b. From the second, 3 + 2 + …
    expect(steps('a++b', 'aaa')).toBe(4 + 1 + 1 + (3 + 1 + 1) + (2 + 1 + 1) + 1);
    expect(steps('(a+)+b', 'a'.repeat(60))).toBe(1e6);
  });
});

describe('a clock', () => {
  it('is no verdict: a sound model loads where every look at it is an hour later', async () => {
    let now = 0;
    const hour = 3_600_000;
    const clocks = [
      vi.spyOn(performance, 'now').mockImplementation(() => (now += hour)),
      vi.spyOn(Date, 'now').mockImplementation(() => (now += hour)),
    ];
    onTestFinished(() => clocks.forEach((clock) => clock.mockRestore()));
    const folder = tinyModelFolder();
    folder.set('tokenizer.json', bytes({ ...splitBy('(?:\\p{L}|\\d)+|[\\s\\S]') }));
    const { tokenizer } = await loadModel(filesInMemory('tiny', folder));
    expect(tokenizer.decode(tokenizer.encode('12'))).toBe('12');
  });
});

describe('a template that is tried', () => {
  const tried = (chatTemplate: string): void =>
    tryTemplate(
      'm',
      createTextCodec({
        tokenizerJson: tinyTokenizerJson,
        tokenizerConfig: tinyTokenizerConfig,
        chatTemplate,
      }),
    );

  it('may raise errors, but not go on without end', () => {
    tried("{{ raise_exception('no system prompts') }}");
    tried('{% this is none');
    const loop = '{% for i in range(90000) %}{% for j in range(90000) %}x{% endfor %}{% endfor %}';
    expect(() => tried(loop)).toThrow(/^m: The model's chat template /);
  });

  it('keeps a model from being loaded', async () => {
    const folder = tinyModelFolder();
    const config = {
      ...tinyTokenizerConfig,
      chat_template: "{% set x = 'a' %}".concat('{% set x = x ~ x %}'.repeat(30)),
    };
    folder.set('tokenizer_config.json', bytes(config));
    await expect(loadModel(filesInMemory('tiny', folder))).rejects.toThrow(ModelFileError);
  });
});
