/** Sweeps as a person makes them: on this machine, and over machines that join; killed and gone on with. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addressWithToken, parseServerAddress, type ServerAddress } from '../src/machines/addresses.ts';
import { connectInNode } from '../src/machines/connectInNode.ts';
import { readSweep, type Sweep } from '../src/run/sweeps/sweepFile.ts';
import { sweepTable } from '../src/run/sweeps/sweepTable.ts';
import { everyProof } from '../src/testing/proofs.ts';
import { startGenerator } from './joinTrial.ts';
import { freePort, lacksServer, newToken, startNatsServer, type NatsServer } from './natsServer.ts';
import { repository } from './tools.ts';

/** What must be shown takes 6 settings x 4 seeds. */
const GRID = `
tasks: [sum_digits]
seeds: ${everyProof ? '0-3' : '0-1'}
base: { numSteps: 2, evalSamples: 12, problemsPerStep: 4, passAtK: ${everyProof ? 8 : 2}, warmStartSteps: 0${everyProof ? '' : ', maxTokens: 32'} }
grid:
  learningRate: ${everyProof ? '[1e-4, 1e-3, 4e-3]' : '[1e-3]'}
  rolloutsPerProblem: ${everyProof ? '[2, 4]' : '[4]'}
`;
const RUNS = everyProof ? 24 : 2;

interface Program {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly text: string }>;
  /** Resolves once it has printed that so many runs are done. */
  done(count: number): Promise<void>;
}

function sweep(...words: string[]): Program {
  const child = spawn(process.execPath, [join(repository, 'cli/run.mjs'), 'sweep', ...words], {
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
    done: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if ((text.match(/ done$/gm) ?? []).length >= count) resolve();
        };
        waiting.push(look);
        look();
      }),
  };
}

/** What a sweep comes to, without what the machine decides. */
const outcome = (folder: string): { readonly sweep: Sweep; readonly table: unknown } => {
  const found = readSweep(readFileSync(join(folder, 'sweep.json'), 'utf8'));
  return { sweep: found, table: sweepTable(found) };
};

const doneIn = (text: string): string[] =>
  [...text.matchAll(/^\[\d+ of \d+\] (\S+).* done$/gm)].flatMap(([, name]) => name ?? []);

describe('a sweep', () => {
  const place = mkdtempSync(join(tmpdir(), 'rl-playground-sweep-'));
  const grid = join(place, 'grid.yaml');
  const alone = join(place, 'alone');
  writeFileSync(grid, GRID);

  afterAll(() => rmSync(place, { recursive: true, force: true }));

  test('that is killed goes on with the same command, and makes each run once', async () => {
    const first = sweep(grid, '--jobs', '2', '--out', alone);
    await first.done(1);
    first.child.kill('SIGKILL');
    const { text: before } = await first.ended;
    const records = join(place, 'records.json');
    const second = await sweep(grid, '--jobs', '2', '--out', alone, '--json', records).ended;
    expect(second.code).toBe(0);
    const made = [...doneIn(before), ...doneIn(second.text)];
    expect(made).toHaveLength(RUNS);
    expect(new Set(made).size).toBe(RUNS);
    expect(readdirSync(join(alone, 'runs')).toSorted()).toEqual(made.toSorted());
    expect(JSON.parse(readFileSync(records, 'utf8'))).toHaveLength(RUNS);
    const [row] = sweepTable(outcome(alone).sweep);
    expect(row?.n).toBe(everyProof ? 4 : 2);
    // Something can be told apart.
    expect(row?.greedy.after?.mean).toBeGreaterThan(0);
  }, 900_000);

  test('refuses to go on with another grid, and says what each is', async () => {
    const other = join(place, 'other.yaml');
    writeFileSync(other, GRID.replace('1e-3', '2e-3'));
    const { code, text } = await sweep(other, '--out', alone).ended;
    expect(code).toBe(2);
    expect(text).toMatch(/holds another sweep: its grid is .*0\.001.* asked for is .*0\.002.*--out/);
  }, 60_000);

  test('that Ctrl-C ends says how far it is, and keeps what is done', async () => {
    const folder = join(place, 'ended');
    const program = sweep(grid, '--jobs', '1', '--out', folder);
    await program.done(1);
    program.child.kill('SIGINT');
    const { code, text } = await program.ended;
    expect(code).toBe(130);
    expect(text).toContain(`of ${RUNS} are done; the same command goes on.`);
    const { runs } = outcome(folder).sweep;
    const kept = runs.filter(({ record }) => record !== null).map(({ name }) => name);
    expect(kept).toEqual(doneIn(text));
    expect(readdirSync(folder).toSorted()).toEqual(['runs', 'sweep.json', 'table.md']);
  }, 300_000);

  describe.skipIf(lacksServer())('over machines that join', () => {
    let server: NatsServer;
    let address: ServerAddress;
    const machines: ChildProcess[] = [];

    beforeAll(async () => {
      const [port, token] = [await freePort(), newToken()];
      server = await startNatsServer({ host: '127.0.0.1', port, webSocketPort: null, token, store: null });
      address = parseServerAddress(`nats://${token}@127.0.0.1:${port}`);
    }, 60_000);

    afterAll(async () => {
      for (const machine of machines) machine.kill('SIGKILL');
      await server?.close();
    });

    test('comes to the same table, with PROOFS=all though it is killed half-way with a machine, and gone on with', async () => {
      const folder = join(place, 'joined');
      const words = [grid, '--out', folder, '--join', addressWithToken(address)];
      const begin = (name: string) => machines.push(startGenerator(address, name, undefined, ['--runs']));
      begin('one');
      let before = '';
      if (everyProof) {
        begin('two');
        const first = sweep(...words);
        await first.done(RUNS / 2);
        first.child.kill('SIGKILL');
        machines[0]?.kill('SIGKILL');
        before = (await first.ended).text;
        begin('three');
      }
      const second = await sweep(...words).ended;
      expect(second.code).toBe(0);
      const made = [...doneIn(before), ...doneIn(second.text)];
      expect(made.toSorted()).toEqual(readdirSync(join(folder, 'runs')).toSorted());
      expect(new Set(made).size).toBe(RUNS);
      expect(outcome(folder).table).toEqual(outcome(alone).table);
      const names = new Set(outcome(folder).sweep.runs.map(({ machine }) => machine));
      expect(names.size).toBeGreaterThanOrEqual(everyProof ? 2 : 1);
      // Nothing of it is left at the server.
      const connection = await connectInNode(address, 'looking');
      const manager = await jetstreamManager(connection);
      expect(await manager.streams.list().next()).toEqual([]);
      await connection.close();
    }, 900_000);
  });
});
