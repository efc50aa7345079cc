/** Templates made after public reports, with the texts of Jinja2 3.1.6 in the environment of transformers. */
import { readFileSync } from 'node:fs';
import { describeShared } from '@rl-playground/base/testing/shared';
import { expect, it } from 'vitest';
import { ChatTemplate, variablesIn } from './index.ts';

interface Row {
  readonly template: string;
  readonly want?: string;
  readonly error?: string;
}

/** These templates have another text each time: by chance, or with an address in memory. */
const NEVER_THE_SAME = /\| random\b|\.items \}\}$/;

describeShared('templates after public reports', 'refdata/reports/templates.jsonl', (path) => {
  const lines = path === '' ? [] : readFileSync(path, 'utf8').trimEnd().split('\n');

  it.each(lines.map((line, i) => [i + 1, (JSON.parse(line) as Row).template, line] as const))(
    'row %i: %s',
    (_, __, line) => {
      const { template, want, error } = JSON.parse(line) as Row;
      const render = (): string => new ChatTemplate(template).render(variablesIn(line, 'variables'), 0);
      if (error !== undefined || NEVER_THE_SAME.test(template)) expect(render).toThrow(Error);
      else expect(render()).toBe(want);
    },
  );
});
