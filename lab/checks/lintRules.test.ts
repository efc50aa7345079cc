/** The lint rules that hold the rooms apart must bite: each line plants one import in a scratch tree. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const oxlint = join(dirname(createRequire(import.meta.url).resolve('oxlint/package.json')), 'bin', 'oxlint');
const folder = mkdtempSync(join(tmpdir(), 'rl-playground-lint-'));

/** File, what it imports, and the rule that must report it (none: it must pass). */
const PLANTED: readonly (readonly [file: string, statement: string, rule: string | null])[] = [
  ['src/run/loop/a.ts', "import { x } from '../../page/x.ts';", 'no-restricted-imports'],
  ['src/run/loop/b.ts', "import { x } from '@rl-playground/bridges/report';", 'no-restricted-imports'],
  ['src/run/loop/c.ts', "import { x } from '../../machines/x.ts';", 'no-restricted-imports'],
  ['src/run/loop/d.ts', "import { x } from '../../engine/model/x.ts';", 'no-restricted-imports'],
  ['src/run/loop/e.ts', "import { x } from '@rl-playground/engine/testing/x';", 'no-restricted-imports'],
  ['src/run/loop/a.test.ts', "import { x } from '@rl-playground/machines';", 'no-restricted-imports'],
  ['src/machines/a.ts', "import { x } from '../run/x.ts';", 'no-restricted-imports'],
  ['src/machines/b.ts', "import { x } from '@rl-playground/bridges/report';", 'no-restricted-imports'],
  ['src/bridges/onnx/a.ts', "import { x } from '../../page/x.ts';", 'no-restricted-imports'],
  ['src/bridges/onnx/b.ts', "import { x } from '@rl-playground/machines';", 'no-restricted-imports'],
  ['src/engine/rollout/a.ts', "import { x } from '../calls/x.ts';", 'no-restricted-imports'],
  ['src/engine/rollout/b.ts', "import { x } from '@rl-playground/tasks';", 'no-restricted-imports'],
  ['src/engine/rollout/c.ts', "import type { x } from '../../run/x.ts';", 'no-restricted-imports'],
  ['src/engine/model/a.ts', "import { x } from '../hub/x.ts';", 'no-restricted-imports'],
  ['src/engine/model/b.ts', "import type { x } from '../hub/x.ts';", 'no-restricted-imports'],
  ['src/engine/kernels/gemm/a.ts', "import { x } from '../../model/x.ts';", 'no-restricted-imports'],
  ['src/engine/backend/a.ts', "import { x } from '../kernels/x.ts';", 'no-restricted-imports'],
  ['src/engine/hub/a.ts', "import { x } from '../testing/x.ts';", 'no-restricted-imports'],
  ['src/engine/hub/a.test.ts', "import { x } from '@rl-playground/tasks';", 'no-restricted-imports'],
  ['src/tasks/a.ts', "import { x } from '../run/x.ts';", 'no-restricted-imports'],
  ['src/tasks/b.ts', "import { x } from '@rl-playground/engine';", 'no-restricted-imports'],
  ['src/tasks/sandbox/a.ts', "import { x } from '../../run/x.ts';", 'no-restricted-imports'],
  ['src/base/a.ts', "import { x } from '../tasks/x.ts';", 'no-restricted-imports'],
  ['src/base/b.ts', "import type { x } from '@rl-playground/tasks';", 'no-restricted-imports'],
  ['src/page/a.ts', "import { x } from '../../cli/x.ts';", 'no-restricted-imports'],
  ['src/page/ui/parts/a.ts', "import { x } from '../../run/state/x.ts';", 'no-restricted-imports'],
  ['src/page/run/form/a.ts', "import type { x } from '../../see/charts/x.ts';", 'no-restricted-imports'],
  ['src/page/run/form/b.ts', "import { x } from '../../App.tsx';", 'no-restricted-imports'],
  ['src/page/see/charts/specs/a.ts', "import { x } from '../../../keep/list/x.ts';", 'no-restricted-imports'],
  ['src/page/keep/list/a.ts', "import { x } from '../../learn/zoo/x.ts';", 'no-restricted-imports'],
  ['src/page/learn/zoo/a.ts', "import { x } from '../../own/sft/x.ts';", 'no-restricted-imports'],
  ['src/page/own/sft/a.ts', "import { x } from '../../start.ts';", 'no-restricted-imports'],
  ['src/run/b.ts', "import { x } from '../../lab/x.ts';", 'no-restricted-imports'],
  ['src/cli/a.ts', "import { x } from '../page/ui/x.ts';", 'no-restricted-imports'],
  ['src/cli/b.ts', "import { x } from '../base/x.ts';", 'no-restricted-imports'],
  ['lab/bench/a.ts', "import { x } from '../../src/page/ui/x.ts';", 'no-restricted-imports'],
  ['lab/bench/b.ts', "import { x } from '../../src/run/loop/x.ts';", 'no-restricted-imports'],
  ['examples/a.ts', "import { x } from '../src/run/x.ts';", 'no-restricted-imports'],
  ['examples/b.ts', "import { x } from '../cli/x.ts';", 'no-restricted-imports'],
  ['examples/c.ts', "import { x } from '@rl-playground/engine/parts';", 'no-restricted-imports'],
  ['src/cli/console.ts', "console.log('x');", 'no-console'],
  ['lab/console.ts', "console.error('x');", 'no-console'],
  ['src/run/any.ts', 'let x: any = 1;', 'no-explicit-any'],
  // In two halves, or this file would be found by the check for such comments.
  ['src/run/ignore.ts', '// @ts-' + 'ignore\nconst x = 1;', 'ban-ts-comment'],
  ['src/run/cycle.ts', "import { x } from './cycle2.ts';", 'no-cycle'],
  ['src/run/typeCycle.ts', "import type { x } from './typeCycle2.ts';", 'no-cycle'],
  ['src/run/settings/ok.ts', "import { x } from '@rl-playground/tasks/parts';", null],
  ['src/engine/backend/ok.ts', "import { x } from '@rl-playground/base/x';", null],
  ['src/engine/calls/ok.ts', "import { x } from '../update/x.ts';", null],
  ['src/engine/hub/ok.test.ts', "import { x } from '../testing/x.ts';", null],
  ['src/tasks/ok.ts', "import { x } from '@rl-playground/base/x';", null],
  ['src/base/ok.ts', "import { x } from './x.ts';", null],
  ['src/page/ok.ts', "import { x } from '@rl-playground/bridges/report';", null],
  ['src/page/ui/parts/ok2.ts', "import { x } from '../text/x.ts';", null],
  ['src/page/see/charts/ok.ts', "import { x } from '../../run/state/x.ts';", null],
  ['src/page/own/sft/ok.ts', "import { x } from '../../learn/zoo/x.ts';", null],
  ['lab/bench/ok.ts', "import { x } from '@rl-playground/run/loop';", null],
  ['src/machines/ok.ts', "import { x } from '@rl-playground/run/session';", null],
  ['src/bridges/onnx/ok.ts', "import { x } from '@rl-playground/run/checkpoint';", null],
  ['src/run/ok.ts', "import { x } from '@rl-playground/engine/parts';", null],
  ['src/run/ok.test.ts', "import { x } from '@rl-playground/engine/testing/x';", null],
  ['examples/ok.ts', "import { x } from '@rl-playground/engine';", null],
  ['src/cli/ok.ts', "import { x } from '@rl-playground/machines';", null],
  ['src/base/print.ts', "console.log('x');", null],
];

let reported: ReadonlyMap<string, readonly string[]>;

beforeAll(() => {
  copyFileSync(join(repository, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  copyFileSync(join(repository, 'tsconfig.json'), join(folder, 'tsconfig.json'));
  const plant = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  for (const [file, statement] of PLANTED) {
    const use = statement.includes('import type') ? 'export type y = x;' : 'export const y = x;';
    plant(file, `${statement}\n${use}\n`);
  }
  plant('src/run/cycle2.ts', "import { y } from './cycle.ts';\nexport const x: number = y;\n");
  plant('src/run/typeCycle2.ts', "import type { y } from './typeCycle.ts';\nexport type x = y;\n");
  const run = spawnSync(process.execPath, [oxlint, '-f', 'json'], { cwd: folder, encoding: 'utf8' });
  const { diagnostics } = JSON.parse(run.stdout) as { diagnostics: { code: string; filename: string }[] };
  const byFile = new Map<string, string[]>();
  for (const { filename, code } of diagnostics) {
    const file = filename.replaceAll('\\', '/');
    byFile.set(file, [...(byFile.get(file) ?? []), code]);
  }
  reported = byFile;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(PLANTED)('%s: %s → %s', (file, _statement, rule) => {
  const codes = (reported.get(file) ?? []).filter((code) => !code.includes('no-unsafe'));
  if (rule === null) expect(codes).toEqual([]);
  else expect(codes.join()).toContain(rule);
});
