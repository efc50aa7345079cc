import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { describeShared } from '@rl-playground/base/testing/shared';
import { GRADER_DEFAULTS, type GraderSettings } from '../../define/definition.ts';
import { graderOf } from './index.ts';

type Graded = Exclude<GraderSettings, { kind: 'code' }>;

interface Row {
  readonly grader: Graded['kind'];
  readonly settings?: object;
  readonly answer: string;
  readonly text: string;
  readonly right: boolean;
}

/** Golds of the rows that are refused: a range, and two letters. */
const REFUSED = ['10-12', 'A, C', 'A and C'];

describeShared('inputs after public bug reports', 'refdata/reports', (folder) => {
  const rows = readFileSync(`${folder}/graders.jsonl`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);

  it('are graded rightly, or their gold is refused', () => {
    const refused = new Set<string>();
    for (const { grader: kind, settings, answer, text, right } of rows) {
      const grader = graderOf({ ...GRADER_DEFAULTS[kind], ...settings } as Graded);
      if (grader.answerError(answer) !== null) refused.add(answer);
      else
        expect({ kind, answer, text, right: grader.grade(text, answer).correct }).toEqual({
          kind,
          answer,
          text,
          right,
        });
    }
    expect([...refused].toSorted()).toEqual(REFUSED.toSorted());
  });
});
