/** Trackio-shaped: a server with the path and arguments of Trackio's HTTP API, which keeps a log_id once (src/bridges/testing/trackingServers.ts). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  appendToLog,
  loggedNumbers,
  stepLines,
  writeTrackedRun,
} from '@rl-playground/run/testing/trackedRuns';
import { trackioServer, type TrackingFault, type TrackioServer } from '../testing/trackingServers.ts';
import { deliver } from './deliver.ts';
import { destinationOf } from './destination.ts';
import { stateFolder, TrackState } from './state.ts';

const KEY = 'write-me';
let folder = '';
let server: TrackioServer;
/** Ends the last attempt, as the clock would. */
let attempt = new AbortController();
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trackio-'));
  writeTrackedRun(folder, 140);
  server = await trackioServer(KEY);
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function send(key = KEY, attempts = 5): Promise<number> {
  // As `trackio show` prints it.
  const environment = { TRACKIO_SERVER_URL: `${server.url}/?write_token=${key}` };
  const destination = destinationOf('trackio', folder, { project: 'tests', name: 'one' }, environment);
  const kept = stateFolder(folder, 'trackio', destination.text);
  const state = TrackState.open(folder, kept, { destination: destination.text, place: {} });
  const patience = {
    attempts: () => attempts,
    wait: () => Promise.resolve(),
    limit: () => (attempt = new AbortController()).signal,
    say: () => {},
  };
  const tracker = destination.tracker({ name: 'one', settings: new Map([['seed', 3]]) }, state, patience);
  return deliver(tracker, state, { folder, follow: false, writer: null, say: () => {} });
}

test('a run arrives whole, with its settings', async () => {
  expect(await send()).toBe(3 + 1 + 140 + 70);
  expect(server.numbers()).toEqual(loggedNumbers(folder));
  expect(server.entries[0]).toMatchObject({ project: 'tests', run: 'one', step: -2, config: { seed: 3 } });
  expect(new Set(server.entries.map(({ run_id }) => run_id))).toHaveLength(1);
  // Two requests of at most 200 lines.
  expect(server.requests).toHaveLength(2);
});

test.each<[what: string, faults: TrackingFault[]]>([
  ['503 thrice', ['unavailable', 'unavailable', 'unavailable']],
  ['no answer in time', ['silent']],
  ['kept, but the connection ends', ['dropped', 'dropped']],
  ['kept, but answered 503', ['unavailable-after']],
  ['kept by half', ['half', 'dropped']],
])('each number is there once: %s', async (_, faults) => {
  server.fail('bulk_log', ...faults);
  const sent = send();
  if (faults.includes('silent')) {
    await server.until(() => server.requests.length > 0);
    attempt.abort(new Error('No answer came.'));
  }
  await sent;
  expect(server.numbers()).toEqual(loggedNumbers(folder));
});

test('what was given up on arrives later, once', async () => {
  server.fail('bulk_log', 'dropped', 'half');
  await expect(send(KEY, 2)).rejects.toThrow(/Trackio gave no usable answer in 2 attempts/);
  appendToLog(folder, stepLines(141));
  await send();
  expect(server.numbers()).toEqual(loggedNumbers(folder));
});

test('a refused token ends it at once, and is not repeated', async () => {
  await expect(send('wrong-token')).rejects.toThrow(/answered 400: .*write_token is required/);
  await expect(send('wrong-token')).rejects.not.toThrow(/wrong-token/);
  expect(server.entries).toEqual([]);
});

test('a Space is reached at its own address, with the token of the Hub', () => {
  const named = destinationOf('trackio', folder, { space: 'Some.One/My_Board' }, { HF_TOKEN: 'hf_x' });
  expect(named.text).toContain('https://some-one-my-board.hf.space, project rl-playground');
});
