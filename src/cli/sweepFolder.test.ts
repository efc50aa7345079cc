/** A sweep that was killed leaves runs that end a moment later: what they still write is in nobody's way. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { replaceFile } from '@rl-playground/run/disk';
import { beginRun, type RunFolder } from './runDirectory.ts';
import { planOf } from './sweepGrid.ts';
import { SweepFolder } from './sweepFolder.ts';

const place = mkdtempSync(join(tmpdir(), 'rl-playground-sweep-folder-'));
afterAll(() => rmSync(place, { recursive: true }));

const plan = planOf('tasks: [sum_digits]\nseeds: 0\nbase: { numSteps: 1 }\ngrid: { learningRate: [1e-3] }\n');
const [run] = plan.runs;
if (run === undefined) throw new Error('The grid has one run.');
const { name, config } = run;

/** Leaves a folder as a killed process does: nobody has its lock, and everything else is unchanged. */
function killed(path: string): { readonly draft: string; readonly orphan: RunFolder } {
  const folder = SweepFolder.open(path, plan);
  const draft = folder.draft(name);
  const orphan = beginRun(draft, config);
  rmSync(join(path, 'run.lock'));
  return { draft, orphan };
}

test('the next process makes the run in another folder than the one that a run of the last still writes to', () => {
  const path = join(place, 'a');
  const { draft, orphan } = killed(path);
  const next = SweepFolder.open(path, plan);
  // The run of before writes a line, and makes its folder anew.
  replaceFile(join(draft, 'metrics.jsonl'), '{"step":1}\n');
  const own = next.draft(name);
  expect(own).not.toBe(draft);
  expect(existsSync(own)).toBe(false);
  const made = beginRun(own, config);
  replaceFile(join(draft, 'run.json'), '{}');
  writeFileSync(join(own, 'record.json'), JSON.stringify({}));
  made.release();
  orphan.release();
  expect(readdirSync(own)).not.toContain('run.json');
  next.close();
  expect(readdirSync(path).toSorted()).toEqual(['runs', 'sweep.json']);
});
