/** MLflow-shaped: a server with its paths and limits, which keeps a metric as often as it gets it (src/bridges/testing/trackingServers.ts). */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { provenBy } from '@rl-playground/base/testing/proofs';
import {
  appendToLog,
  loggedNumbers,
  stepLines,
  writeTrackedRun,
} from '@rl-playground/run/testing/trackedRuns';
import {
  mlflowServer,
  type MlflowServer,
  type SeenRequest,
  type TrackingFault,
} from '../testing/trackingServers.ts';
import { deliver } from './deliver.ts';
import { destinationOf } from './destination.ts';
import type { Patience } from './http.ts';
import { mlflowName } from './mlflow.ts';
import { stateFolder, TrackState } from './state.ts';

const KEY = 'a-very-secret-token';
/** Requests that bring metrics. */
const METRICS = 'log-batch run_id metrics';
let folder = '';
let server: MlflowServer;
let said: string[] = [];
/** Ends the last attempt, as the clock would. */
let attempt = new AbortController();
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mlflow-'));
  writeTrackedRun(folder, 3);
  server = await mlflowServer(KEY);
  said = [];
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const patience = (attempts: number): Patience => ({
  attempts: () => attempts,
  wait: () => Promise.resolve(),
  limit: () => (attempt = new AbortController()).signal,
  say: (text) => void said.push(text),
});

async function send(attempts = 6): Promise<number> {
  const environment = { MLFLOW_TRACKING_URI: server.url, MLFLOW_TRACKING_TOKEN: KEY };
  const place = { name: 'one', project: 'tests' };
  const destination = destinationOf('mlflow', folder, place, environment);
  const kept = stateFolder(folder, 'mlflow', destination.text);
  const state = TrackState.open(folder, kept, { destination: destination.text, place: {} });
  const settings = new Map<string, string | number | boolean>([
    ['seed', 3],
    ['taskConfig.max', 9],
    ['long', 'x'.repeat(9000)],
  ]);
  const tracker = destination.tracker({ name: 'one', settings }, state, patience(attempts));
  return deliver(tracker, state, {
    folder,
    follow: false,
    writer: null,
    say: (text) => void said.push(text),
  });
}

const wanted = (): [string, number][] =>
  loggedNumbers(folder).map(([name, value]) => [name.replace('pass@8', 'pass_at_8'), value]);
/** The server has each number of the log once, and no run beside. */
function expectAllOnce(): void {
  expect(server.runs).toHaveLength(1);
  const sorted = (numbers: [string, number][]) => numbers.toSorted(([a], [b]) => (a < b ? -1 : 1));
  expect(sorted(server.numbers())).toEqual(sorted(wanted()));
}

test('a run arrives whole: experiment, name, settings, every number at its step, its end', async () => {
  // More than one request may bring.
  writeTrackedRun(folder, 12);
  expect(await send()).toBe(22);
  expectAllOnce();
  expect([...server.experiments]).toEqual([['tests', '1']]);
  expect(server.runs[0]).toMatchObject({ name: 'one', status: 'FINISHED' });
  expect(server.runs[0]?.params).toEqual(
    new Map([
      ['seed', '3'],
      ['taskConfig.max', '9'],
      ['long', `${'x'.repeat(499)}…`],
    ]),
  );
  // A step is later than the one before it by the time it took.
  const times = server.runs[0]?.metrics.filter(({ key }) => key === 'reward').map((each) => each.timestamp);
  expect(times).toEqual(times?.toSorted((a, b) => a - b));
  expect(new Set(times)).toHaveLength(12);
});

type Trouble = [what: string, path: string, faults: TrackingFault[]];
const TROUBLES: readonly Trouble[] = [
  ['503 thrice', METRICS, ['unavailable', 'unavailable', 'unavailable']],
  ['no answer in time', METRICS, ['silent']],
  ['kept, but answered 503', METRICS, ['unavailable-after']],
  ['trouble while it is looked up', METRICS, ['half', 'dropped']],
  ['trouble with the settings', 'log-batch run_id params', ['dropped', 'unavailable-after']],
  ['the run is made, but no answer comes', 'runs/create', ['dropped', 'unavailable-after', 'unavailable']],
  ['the experiment is made, but no answer comes', 'experiments/create', ['dropped']],
  ['trouble at the end', 'runs/update', ['dropped', 'unavailable']],
];
/** The server keeps what it gives no or a bad answer to, so it is looked up as under two of the troubles above. */
const MORE_TROUBLES: readonly Trouble[] = [
  ['kept, but the connection ends', METRICS, ['dropped', 'dropped']],
  ['kept by half, and again', METRICS, ['half', 'half']],
];

test.each(provenBy([...TROUBLES, ...MORE_TROUBLES], TROUBLES))(
  'each number is there once: %s',
  async (_, path, faults) => {
    server.fail(path, ...faults);
    server.fail('get-history', 'unavailable');
    const sent = send();
    if (faults.includes('silent')) {
      const bringsMetrics = ({ path, body }: SeenRequest): boolean =>
        path.includes('log-batch') && typeof body === 'object' && body !== null && 'metrics' in body;
      await server.until(() => server.requests.some(bringsMetrics));
      attempt.abort(new Error('No answer came.'));
    }
    await sent;
    expectAllOnce();
    expect(server.runs[0]?.status).toBe('FINISHED');
    expect(said.join('\n')).toContain('trying again');
  },
);

test('what was given up on arrives later, once, though it had been kept without an answer', async () => {
  server.fail(METRICS, 'half', 'unavailable-after');
  const givesUp = /MLflow gave no usable answer in 1 attempt .*the same command goes on/;
  await expect(send(1)).rejects.toThrow(givesUp);
  await expect(send(1)).rejects.toThrow(givesUp);
  expect(server.runs[0]?.status).toBe('RUNNING');
  appendToLog(folder, stepLines(6));
  await send();
  expectAllOnce();
  expect(server.runs[0]?.status).toBe('FINISHED');
});

test('a second time sends what is new alone', async () => {
  await send();
  const before = server.requests.length;
  expect(await send()).toBe(0);
  expect(server.requests.slice(before).map(({ path }) => path.split('/').at(-1))).toEqual([
    'update',
    'update',
  ]);
  appendToLog(folder, stepLines(6) + stepLines(7));
  expect(await send()).toBe(3);
  expectAllOnce();
});

test('a refused key ends it at once and stands in no message and no file', async () => {
  await server.close();
  server = await mlflowServer('another');
  const failed = await send().catch((error: unknown) => error as Error);
  expect(failed).toMatchObject({
    name: 'Refused',
    message: expect.stringMatching(/refused the key \(401 .*MLFLOW_TRACKING_TOKEN/) as string,
  });
  expect(server.requests).toHaveLength(1);
  await server.close();
  server = await mlflowServer(KEY);
  await send();
  const written = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  expect([...written, ...said, String(failed)].join('\n')).not.toContain(KEY);
});

test('a server that leads elsewhere is not followed, because the key would go along', async () => {
  const { scriptedServer } = await import('../testing/trackingServers.ts');
  const elsewhere = await scriptedServer(() => [302, {}]);
  await server.close();
  server = { ...server, ...elsewhere };
  await expect(send()).rejects.toThrow(/answered 302: it leads to nowhere/);
  expect(elsewhere.requests).toHaveLength(1);
});

test('names are such as MLflow takes', () => {
  expect(mlflowName('env/all/reward/total')).toBe('env/all/reward/total');
  expect(mlflowName('eval/pass@8')).toBe('eval/pass_at_8');
  expect(mlflowName('env/own:sums/../x')).toBe('env/own_3a_sums/_../x');
  expect(mlflowName('a//b')).toBe('a/_/b');
});
