import { describe, expect, it } from 'vitest';
import { createTokenizer } from '@rl-playground/engine/parts';
import { RECIPES } from './recipes.ts';
import { buildStarterTokenizer } from './tokenizer.ts';

const { tokenizerJson, tokenizerConfig, vocabSize } = buildStarterTokenizer(RECIPES[0].vocabulary);
const tokenizer = createTokenizer({ tokenizerJson, tokenizerConfig });

// Ids by hand: specials 0-3, digit d is 4 + d, then the eight marks 14-21, then the six pieces 22-27.
const digit = (value: number) => 4 + value;
const [space, newline, comma, plus, equals, minus, dot, colon] = [14, 15, 16, 17, 18, 19, 20, 21];
const [sum, reverse, spacedPlus, spacedEquals, answerTag, answerWord] = [22, 23, 24, 25, 26, 27];

describe('the starter tokenizer', () => {
  it('has 28 tokens and the usual special ids', () => {
    expect(vocabSize).toBe(28);
    expect(tokenizer.vocabSize).toBe(28);
    expect(tokenizer.padTokenId).toBe(0);
    expect(tokenizer.eosTokenId).toBe(2);
  });

  it.each([
    [
      '1 + 2 = 3 + 3 = 6\n[ANSWER] 6',
      [
        digit(1),
        spacedPlus,
        digit(2),
        spacedEquals,
        digit(3),
        spacedPlus,
        digit(3),
        spacedEquals,
        digit(6),
      ].concat([newline, answerTag, digit(6)]),
    ],
    ['sum 3,14', [sum, digit(3), comma, digit(1), digit(4)]],
    ['reverse 907', [reverse, digit(9), digit(0), digit(7)]],
    ['Answer: 12', [answerWord, digit(1), digit(2)]],
    ['1+2=3', [digit(1), plus, digit(2), equals, digit(3)]],
    ['1 +2= -3.:', [digit(1), space, plus, digit(2), equals, space, minus, digit(3), dot, colon]],
    ['  + \n', [space, spacedPlus, newline]],
    [' = = ', [spacedEquals, equals, space]],
    ['\n\n[ANSWER] [ANSWER] ', [newline, newline, answerTag, answerTag]],
    ['', []],
  ])('encodes %j to hand-counted ids and back', (text, ids) => {
    expect(tokenizer.encode(text)).toEqual(ids);
    expect(tokenizer.decode(ids)).toBe(text);
  });

  it('turns what it can not spell into <unk>, one per character, and reads special tokens in text', () => {
    expect(tokenizer.encode('ab1')).toEqual([3, 3, digit(1)]);
    expect(tokenizer.encode('<eos>')).toEqual([2]);
  });

  it('leaves special tokens out of decoded text', () => {
    expect(tokenizer.decode([1, digit(7), spacedPlus, digit(1), 2, 0, 0])).toBe('7 + 1');
    expect(tokenizer.decode([2])).toBe('');
    expect(tokenizer.decode([])).toBe('');
  });

  it('renders a prompt as start token, user text, newline', () => {
    expect(tokenizer.promptIds([{ role: 'user', content: 'sum 3,4' }])).toEqual([
      1,
      sum,
      digit(3),
      comma,
      digit(4),
      newline,
    ]);
    const dialogue = tokenizer.promptIds([
      { role: 'user', content: '1' },
      { role: 'assistant', content: '2' },
      { role: 'user', content: '3' },
    ]);
    expect(dialogue).toEqual([1, digit(1), newline, digit(2), 2, digit(3), newline]);
  });

  it('keeps every id of a random sequence through text where no piece arises by accident', () => {
    // Characters only, no two of them forming a piece: digits, comma and newline.
    const ids = Array.from(
      { length: 200 },
      (_, i) => ([digit((i * 7) % 10), comma, newline] as const)[i % 3] ?? 0,
    );
    expect(tokenizer.encode(tokenizer.decode(ids))).toEqual(ids);
  });
});
