import { expect, it } from 'vitest';
import { conformanceOf, isConformant, readRows } from '../testing/gymConformance.ts';
import { describeShared } from '@rl-playground/base/testing/shared';
import { extractAnswer } from './shared/answerTag.ts';
import { decimalScore } from './shared/scoring.ts';
import { GYM_TASKS } from './index.ts';

interface ExtractRow {
  readonly input: string;
  readonly kwargs: { readonly tag_name?: string; readonly strip?: boolean };
  readonly output: string | null;
}

interface HelperRow {
  readonly fn: string;
  readonly args: readonly (string | null)[];
  readonly kwargs: { readonly oracle_answer?: string; readonly strip_commas?: boolean };
  readonly output?: unknown;
}

describeShared('upstream scores', 'refdata/rg', (folder) => {
  it.each(GYM_TASKS)('$name agrees on every row', (task) => {
    const result = conformanceOf(task, folder);
    expect(result.rows).toBeGreaterThan(0);
    expect(isConformant(result) ? [] : result.deviations.slice(0, 10)).toEqual([]);
  });

  it('reads answers out of tags', () => {
    const rows = readRows<ExtractRow>(`${folder}/extract_answer.jsonl`);
    expect(rows.length).toBeGreaterThan(0);
    for (const { input, kwargs, output } of rows)
      expect([input, kwargs, extractAnswer(input, kwargs.tag_name, kwargs.strip)]).toEqual([
        input,
        kwargs,
        output,
      ]);
  });

  it('compares decimal numbers', () => {
    const rows = readRows<HelperRow>(`${folder}/helpers.jsonl`).filter(
      ({ fn }) => fn === 'compute_decimal_reward',
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { args, kwargs, output } of rows) {
      const score = decimalScore(args[0] ?? '', kwargs.oracle_answer ?? '', 'upstream', kwargs.strip_commas);
      expect([args, kwargs, score]).toEqual([args, kwargs, expect.closeTo(Number(output), 9)]);
    }
  });
});
