import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { IMPORTANCE_MODES, LOSSES, lossesWhere, REDUCTIONS, reductionOf } from '@rl-playground/engine/parts';
import { LOSS_NAMES, PLAIN_LOSS, tokenLoss } from '@rl-playground/engine/parts/tensors';
import { RUN_FIELDS } from '../settings/schema/schema.ts';

const text = readFileSync(new URL('../../../docs/losses.md', import.meta.url), 'utf8');

/** Cells of the first table row whose first cell is `name` in code marks. */
function rowOf(name: string): string[] {
  const row = text.split('\n').find((line) => line.startsWith(`| \`${name}\` `));
  return (row ?? '').split('|').map((cell) => cell.trim());
}

test.each(lossesWhere(() => true))(
  '%s has its formula, and its row with its source in docs/losses.md',
  (loss) => {
    expect(LOSS_NAMES).toContain(loss);
    expect(tokenLoss({ ...PLAIN_LOSS, loss })).toBeTypeOf('function');
    const [, , formula = '', , source = ''] = rowOf(loss);
    expect(formula).toMatch(/log p|ρ|the same/);
    expect(source).toBe(LOSSES[loss].source);
  },
);

test.each(LOSS_NAMES)('docs/losses.md has %s with its own reduction', (loss) => {
  const [, , , reduction = ''] = rowOf(loss);
  expect(reduction).toContain(`\`${reductionOf(loss, 'auto')}\``);
  expect(reduction).toContain(`\`${reductionOf(loss, 'auto', 'epsilon')}\``);
});

test.each([
  ...REDUCTIONS,
  ...RUN_FIELDS.baseline.schema.options,
  ...RUN_FIELDS.advantageScale.schema.options,
  ...RUN_FIELDS.rewardAggregation.schema.options,
  ...IMPORTANCE_MODES,
])('docs/losses.md has a row for %s', (name) => expect(rowOf(name).length).toBeGreaterThan(3));

test('the settings that docs/losses.md names exist', () => {
  const [, list = ''] = /Settings that reach them: ([^.]*)\./s.exec(text) ?? [];
  const named = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? '');
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !(name in RUN_FIELDS))).toEqual([]);
});
