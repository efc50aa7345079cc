/** Sweeps as a person makes them: killed and gone on with. Their runs are processes, and so is what is killed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { readSweep, type Sweep, sweepTable } from '@rl-playground/run/sweeps';
import { everyProof } from '@rl-playground/base/testing/proofs';
import sweep from './sweep.ts';
import { repository } from './tools.ts';

/** The grid of the proof, which takes 6 settings x 4 seeds. */
const GRID = `
tasks: [sum_digits]
seeds: ${everyProof ? '0-3' : '0-1'}
base: { numSteps: ${everyProof ? 2 : 1}, evalSamples: 12, problemsPerStep: 4, passAtK: ${everyProof ? 8 : 2}, warmStartSteps: 0${everyProof ? '' : ', maxTokens: 32'} }
grid:
  learningRate: ${everyProof ? '[1e-4, 1e-3, 4e-3]' : '[1e-3]'}
  rolloutsPerProblem: ${everyProof ? '[2, 4]' : '[4]'}
`;
const RUNS = everyProof ? 24 : 2;

/** A run that is done soon, and one that never is. */
const ENDLESS = `
tasks: [sum_digits]
seeds: 0
base: { evalSamples: 4, problemsPerStep: 2, rolloutsPerProblem: 2, passAtK: 1, warmStartSteps: 0, maxTokens: 8 }
grid: { numSteps: [1, 100000] }
`;

interface Program {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly text: string }>;
  /** Resolves once this holds of what it has printed. */
  until(holds: (text: string) => boolean): Promise<void>;
}

/** A sweep in a process of its own, which can be killed. */
function startSweep(...words: string[]): Program {
  const child = spawn(process.execPath, [join(repository, 'src/cli/run.mjs'), 'sweep', ...words], {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const waiting: (() => void)[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      for (const look of waiting) look();
    });
  return {
    child,
    ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, text }))),
    until: (holds) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (holds(text)) resolve();
        };
        waiting.push(look);
        look();
      }),
  };
}

/** A sweep in this process, and what it prints. */
async function sweepHere(
  ...words: string[]
): Promise<{ readonly code: number | null; readonly text: string }> {
  let text = '';
  const print = (line: unknown): void => void (text += `${String(line)}\n`);
  const spies = (['log', 'error'] as const).map((name) => vi.spyOn(console, name).mockImplementation(print));
  try {
    return { code: await sweep(words), text };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** The result of a sweep, without the numbers that the machine decides. */
const outcome = (folder: string): { readonly sweep: Sweep; readonly table: unknown } => {
  const found = readSweep(readFileSync(join(folder, 'sweep.json'), 'utf8'));
  return { sweep: found, table: sweepTable(found) };
};

/** Names of the runs that a program says are done. */
const doneIn = (text: string): string[] =>
  [...text.matchAll(/^\[\d+ of \d+\] (\S+).* done$/gm)].flatMap(([, name]) => name ?? []);

describe('a sweep', () => {
  const place = mkdtempSync(join(tmpdir(), 'rl-playground-sweep-'));
  const grid = join(place, 'grid.yaml');
  const alone = join(place, 'alone');
  writeFileSync(grid, GRID);

  afterAll(() => rmSync(place, { recursive: true, force: true }));

  test('that is killed goes on with the same command, and makes each run once', async () => {
    const first = startSweep(grid, '--jobs', '2', '--out', alone);
    await first.until((text) => doneIn(text).length >= 1);
    first.child.kill('SIGKILL');
    await first.ended;
    // It may have been killed between the two: a run that lies there is done, whether that was said or not.
    const before = readdirSync(join(alone, 'runs'));
    expect(before).not.toEqual([]);
    const records = join(place, 'records.json');
    const second = await sweepHere(grid, '--jobs', '2', '--out', alone, '--json', records);
    expect(second.code, `${second.text}`).toBe(0);
    const made = [...before, ...doneIn(second.text)];
    expect(made).toHaveLength(RUNS);
    expect(new Set(made).size).toBe(RUNS);
    expect(readdirSync(join(alone, 'runs')).toSorted()).toEqual(made.toSorted());
    expect(JSON.parse(readFileSync(records, 'utf8'))).toHaveLength(RUNS);
    const [row] = sweepTable(outcome(alone).sweep);
    expect(row?.n).toBe(everyProof ? 4 : 2);
    // Something can be told apart.
    expect(row?.greedy.after?.mean).toBeGreaterThan(0);
  });

  test('refuses to go on with another grid, and says what each is', async () => {
    const other = join(place, 'other.yaml');
    writeFileSync(other, GRID.replace('1e-3', '2e-3'));
    const { code, text } = await sweepHere(other, '--out', alone);
    expect(code).toBe(2);
    expect(text).toMatch(/holds another sweep: its grid is .*0\.001.* asked for is .*0\.002.*--out/);
  });

  test('that Ctrl-C ends says how far it is, and keeps what is done', async () => {
    const folder = join(place, 'ended');
    const endless = join(place, 'endless.yaml');
    writeFileSync(endless, ENDLESS);
    const program = startSweep(endless, '--jobs', '1', '--out', folder);
    await program.until((text) => doneIn(text).length === 1);
    program.child.kill('SIGINT');
    const { code, text } = await program.ended;
    expect(code).toBe(130);
    expect(text).toContain('1 run of 2 are done; the same command goes on.');
    const { runs } = outcome(folder).sweep;
    const kept = runs.filter(({ record }) => record !== null).map(({ name }) => name);
    expect(kept).toEqual(doneIn(text));
    expect(kept).toHaveLength(1);
    expect(readdirSync(folder).toSorted()).toEqual(['runs', 'sweep.json', 'table.md']);
  });
});
