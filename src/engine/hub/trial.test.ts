import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { tinyTokenizerConfig, tinyTokenizerJson, tinyModelFolder } from '../testing/modelFolder.ts';
import { PATIENCE } from '@rl-playground/base/testing/patience';
import { provenBy } from '@rl-playground/base/testing/proofs';
import { byteLevelTokenizer, sentencePieceTokenizer } from '../testing/smallTokenizers.ts';
import { loadModel } from './load.ts';
import { filesInMemory } from './sources.ts';
import { ModelFileError } from './types.ts';
import { pumpedUnits } from './pumpedUnits.ts';
import { TRIAL_LIMITS, type TrialLimits, type TriedFiles } from './trialSteps.ts';
import { tryTokenizer } from './trial.ts';

/** Nothing that ends comes to them, on any machine. */
const GENEROUS: TrialLimits = {
  reading: PATIENCE,
  perMegabyte: PATIENCE,
  rendering: PATIENCE,
  cutting: PATIENCE,
  short: PATIENCE,
  tries: [1],
};
const tried = (of: TriedFiles, limits: Partial<TrialLimits> = {}): Promise<void> =>
  tryTokenizer('m', of, undefined, { ...GENEROUS, ...limits });

const bytes = (json: object): Uint8Array => new TextEncoder().encode(JSON.stringify(json));
const files = (changes: object = {}, template: string | null = null) => ({
  tokenizerJson: bytes({ ...tinyTokenizerJson, ...changes }),
  tokenizerConfig: bytes(tinyTokenizerConfig),
  chatTemplate: template === null ? null : new TextEncoder().encode(template),
});
const splitBy = (Regex: string) => ({
  pre_tokenizer: { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false },
});

/** The patterns published with GPT-2, Llama 3, Qwen 2 and GPT-4o. */
const PUBLISHED = [
  "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
];

describe('a tokenizer that is tried', () => {
  it.each(PUBLISHED)('is sound: %s', async (pattern) => {
    await expect(tried(files(splitBy(pattern)))).resolves.toBeUndefined();
  });

  it.each([byteLevelTokenizer(), sentencePieceTokenizer()])('is sound, of any kind', async (tokenizer) => {
    const { tokenizerJson, tokenizerConfig } = tokenizer;
    const whole = {
      tokenizerJson: bytes(tokenizerJson),
      tokenizerConfig: bytes(tokenizerConfig),
      chatTemplate: null,
    };
    await expect(tried(whole)).resolves.toBeUndefined();
  });

  const repeated = ['(a+)+b', '(\\s*,?)*;', '(q|q)*r'];
  it.each(provenBy([...repeated, '(?:ab|a|b)*c', '(x*)*y', '(?:[a-z]+)*z?$'], repeated))(
    'is refused with a pattern that backtracks without end: %s',
    async (pattern) => {
      await expect(tried(files(splitBy(pattern)), { short: TRIAL_LIMITS.short })).rejects.toThrow(
        /^m: tokenizer\.json: \d+ characters .* took [\d,]+ ms to be cut into tokens, and \d+ of them [\d,]+ ms/,
      );
    },
  );

  it('is ended where only long texts take without end', async () => {
    await expect(tried(files(splitBy('x*x*x*y')), { cutting: 200 })).rejects.toThrow(
      /^m: cutting texts into tokens was ended after 0\.2 s/,
    );
  });

  it('is tried again for longer where the machine was too busy', async () => {
    const small = { reading: 10_000, perMegabyte: 10_000, rendering: 10_000, cutting: 1 };
    const slow = files(splitBy('\\p{L}+|[^\\p{L}]'));
    await expect(tried(slow, { ...small, tries: [1, PATIENCE] })).resolves.toBeUndefined();
    await expect(tried(files(splitBy('x*x*x*z')), { ...small, tries: [1, 100] })).rejects.toThrow(
      /^m: cutting texts into tokens was ended after 0\.1 s/,
    );
  });

  it('is not refused by a slow machine, where twice the text takes no more than twice as long', async () => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
    onTestFinished(() => clock.mockRestore());
    const withoutTemplate = bytes({ ...tinyTokenizerConfig, chat_template: null });
    const sound = { ...files(splitBy('\\s+|\\S')), tokenizerConfig: withoutTemplate };
    await expect(tried(sound, { short: TRIAL_LIMITS.short })).resolves.toBeUndefined();
  });

  it('is refused with a decoder of such a pattern, or one that can not be built', async () => {
    const nested = (depth: number): object =>
      depth === 0 ? { type: 'Fuse' } : { type: 'Sequence', decoders: [nested(depth - 1)] };
    await expect(tried(files({ decoder: nested(500) }))).resolves.toBeUndefined();
    await expect(
      tried(files({ decoder: { type: 'Replace', pattern: { Regex: '(0+)+x' }, content: '' } })),
    ).resolves.toBeUndefined();
  });

  it('names the characters of its patterns', () => {
    expect(pumpedUnits(splitBy('(foo|bar)+\\p{L}+[^z]'))).toEqual(
      expect.arrayContaining(['a', ' ', 'foo', 'f', 'o', 'bar', 'z']),
    );
    expect(pumpedUnits({ model: { Regex: 'qqq' } })).not.toContain('qqq');
  });
});

describe('a template that is tried', () => {
  it('may raise errors, but not go on without end', async () => {
    await tried(files({}, "{{ raise_exception('no system prompts') }}"));
    await tried(files({}, '{% this is none'));
    const loop = '{% for i in range(90000) %}{% for j in range(90000) %}x{% endfor %}{% endfor %}';
    await expect(tried(files({}, loop))).rejects.toThrow(/^m: The model's chat template takes more/);
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
