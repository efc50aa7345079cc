import { describe, expect, test } from 'vitest';
import { createRenderer, loadModel } from '@rl-playground/engine/parts';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { sftSequences, sftStream } from './sftStream.ts';
import { taughtSequence } from './demonstrations.ts';

const SEQUENCES = [11, 12, 13, 14, 15].map((token) => taughtSequence([1], [token]));

function epoch(seed: number, number: number): number[] {
  const at = sftStream(SEQUENCES, seed);
  return Array.from({ length: 5 }, (_, i) => at(number * 5 + i).tokens[0] ?? 0);
}

describe('the order of rows', () => {
  test('has every row once in each epoch, in another order each time and under each seed', () => {
    const orders = [0, 1, 2, 3].flatMap((seed) => [0, 1, 2, 3].map((number) => epoch(seed, number)));
    for (const order of orders) expect(order.toSorted((a, b) => a - b)).toEqual([11, 12, 13, 14, 15]);
    // Of 16 draws among 120 orders, hardly any two are the same.
    expect(new Set(orders.map(String)).size).toBeGreaterThan(10);
  });

  test('depends on the index alone, whatever was asked before', () => {
    const at = sftStream(SEQUENCES, 9);
    const forwards = Array.from({ length: 20 }, (_, i) => at(i));
    expect(Array.from({ length: 20 }, (_, i) => at(19 - i)).toReversed()).toEqual(forwards);
  });
});

test('rows become the tokens that the renderer asks and ends with; those that fit no model are counted', async () => {
  const { tokenizer } = await loadModel(starterInNode());
  const renderer = createRenderer('role_colon', { tokenizer, stopTokenIds: [tokenizer.eosTokenId] });
  const ask = (content: string) => [{ role: 'user' as const, content }];
  const rows = [
    { prompt: ask('1+2'), completion: '3' },
    { prompt: ask('1'.repeat(300)), completion: '3' },
    { prompt: ask('1+2'), completion: '三' },
    { prompt: ask('1+2'), completion: '1'.repeat(90) },
  ];
  let turns = 0;
  const made = await sftSequences(
    { name: 'rows.jsonl', rows },
    { renderer, tokenizer },
    { maxTokens: 40, maxPositions: 200 },
    async () => void turns++,
  );
  expect(made).toMatchObject({ cut: 1, tooLong: 1, unwritable: 1 });
  expect(made.sequences.map(({ promptIds, tokens }) => [promptIds, tokens])).toEqual([
    [renderer.promptIds(ask('1+2')), renderer.answerIds('3')],
    [renderer.promptIds(ask('1+2')), renderer.answerIds('1'.repeat(90)).slice(0, 40)],
  ]);
  expect(made.longest).toBe(renderer.promptIds(ask('1+2')).length + 40);
  expect(turns).toBe(0);
});
