/**
 * W&B by a recorded contract: no server of W&B was asked. The requests are those that its own client makes (wandb of August 2026:
 * core/api/graphql/mutation_run.graphql, core/internal/filestream, core/internal/api/credentials.go), the answers what it reads of them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  appendToLog,
  endTrackedRun,
  loggedNumbers,
  stepLines,
  writeTrackedRun,
} from '@rl-playground/run/testing/trackedRuns';
import { scriptedServer, type SeenRequest, type TrackingServer } from '../testing/trackingServers.ts';
import { deliver } from './deliver.ts';
import { destinationOf } from './destination.ts';
import { stateFolder, TrackState } from './state.ts';

interface StreamBody {
  readonly files?: Readonly<Record<string, { readonly offset: number; readonly content: readonly string[] }>>;
  readonly complete?: boolean;
  readonly exitcode?: number;
}

let folder = '';
let server: TrackingServer;
/** Lines of the history by their number: a request writes over what lies at its offset. */
let history: string[] = [];
let summary = '';
let exit: number | null = null;
let graphql: object = {};

const CREATED = {
  data: {
    upsertBucket: {
      bucket: { id: 'UnVuOjE=', name: 'given', project: { name: 'tests', entity: { name: 'some-team' } } },
      inserted: true,
    },
  },
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'wandb-'));
  writeTrackedRun(folder, 6);
  [history, summary, exit, graphql] = [[], '', null, CREATED];
  server = await scriptedServer(({ method, path, headers, body }) => {
    // "api:the-key" in base64.
    if (headers.authorization !== 'Basic YXBpOnRoZS1rZXk=') return [401, { error: 'invalid' }];
    if (`${method} ${path}` === 'POST /graphql') return [200, graphql];
    if (`${method} ${path}` !== 'POST /files/some-team/tests/given/file_stream') return [404, {}];
    const { files = {}, complete, exitcode } = body as StreamBody;
    const { offset = 0, content = [] } = files['wandb-history.jsonl'] ?? {};
    history.splice(offset, content.length, ...content);
    summary = files['wandb-summary.json']?.content[0] ?? summary;
    if (complete === true) exit = exitcode ?? null;
    return [200, { exitcode: null, limits: {} }];
  });
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** `pause`: follows the run, and is called when it has written nothing. */
function send(attempts = 5, pause?: () => Promise<void>): Promise<number> {
  const environment = { WANDB_API_KEY: 'the-key', WANDB_BASE_URL: server.url, WANDB_PROJECT: 'tests' };
  const destination = destinationOf('wandb', folder, { name: 'one' }, environment);
  const kept = stateFolder(folder, 'wandb', destination.text);
  const state = TrackState.open(folder, kept, { destination: destination.text, place: {} });
  const patience = {
    attempts: () => attempts,
    wait: () => Promise.resolve(),
    limit: () => new AbortController().signal,
    say: () => {},
  };
  const tracker = destination.tracker({ name: 'one', settings: new Map([['seed', 3]]) }, state, patience);
  const follow = pause !== undefined;
  return deliver(tracker, state, { folder, follow, writer: null, say: () => {}, ...(pause && { pause }) });
}

const numbers = (): [string, number][] =>
  history.flatMap((line) => {
    const { step, _step, _timestamp, _runtime, ...values } = JSON.parse(line) as Record<string, number>;
    expect([_timestamp, _runtime].every(Number.isFinite)).toBe(true);
    return Object.entries(values).map(([name, value]): [string, number] => [`${name}@${step}`, value]);
  });

test('a run is upserted under an id of ours, with its settings', async () => {
  await send();
  const { variables, query } = (server.requests[0] as SeenRequest).body as {
    readonly query: string;
    readonly variables: Readonly<Record<string, string | null>>;
  };
  expect(query).toMatch(/^mutation UpsertBucket\(.*\$config: JSONString\)/);
  expect(variables).toMatchObject({ project: 'tests', entity: null, displayName: 'one' });
  expect(variables['name']).toMatch(/^[0-9a-f]{32}$/);
  expect(JSON.parse(variables['config'] ?? '')).toEqual({
    seed: { value: 3 },
    // Our step is what charts are drawn over.
    _wandb: {
      value: {
        m: [
          { 1: 'step', 6: [3] },
          { 2: '*', 5: 1, 6: [1] },
        ],
      },
    },
  });
});

test('each line of the log is a line of the history, numbered from 0; the summary has the last values', async () => {
  await send();
  expect(numbers()).toEqual(loggedNumbers(folder));
  expect(history.map((line) => (JSON.parse(line) as { _step: number })._step)).toEqual(
    Array.from({ length: 13 }, (_, i) => i),
  );
  const last = new Map(loggedNumbers(folder).map(([name, value]) => [name.replace(/@-?\d+$/, ''), value]));
  expect(JSON.parse(summary)).toEqual({ ...Object.fromEntries(last), step: 6 });
  expect(exit).toBe(0);
});

test('what is sent again lies where it lay', async () => {
  server.fail('file_stream', 'dropped', 'unavailable-after', 'unavailable');
  await send();
  appendToLog(folder, stepLines(7));
  server.fail('file_stream', 'dropped');
  await expect(send(1)).rejects.toThrow(/W&B gave no usable answer/);
  appendToLog(folder, stepLines(8));
  await send();
  expect(numbers()).toEqual(loggedNumbers(folder));
  expect(JSON.parse(summary)).toMatchObject({ step: 8, 'sft/loss': 1.5 });
});

test('a project that may not be written to is named with the reason', async () => {
  graphql = { data: { upsertBucket: null }, errors: [{ message: 'permission denied' }] };
  await expect(send()).rejects.toThrow('W&B made no run in the project tests: permission denied');
});

test('a run that writes nothing for half a minute is said to go on', async () => {
  rmSync(join(folder, 'train_results.json'));
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1000);
  const bodies = (): unknown[] => server.requests.slice(2).map(({ body }) => body);
  const seen: unknown[][] = [];
  const times = [30_999, 31_000, 31_001];
  await send(5, () => {
    seen.push(bodies());
    const time = times.shift();
    if (time === undefined) endTrackedRun(folder);
    else clock.mockReturnValue(time);
    return Promise.resolve();
  });
  clock.mockRestore();
  expect(seen).toEqual([[], [], [{}], [{}]]);
});
