/** What a run says where machines or room are lacking, over a real nats-server. */
import type { NatsConnection } from '@nats-io/nats-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startBackendInNode } from '../src/backend/startInNode.ts';
import { parseServerAddress } from '../src/machines/addresses.ts';
import { connectInNode } from '../src/machines/connectInNode.ts';
import { serverError } from '../src/machines/connection.ts';
import { newKey } from '../src/machines/frames.ts';
import { putObject, removeObject } from '../src/machines/objects.ts';
import { RunChannel } from '../src/machines/runChannel.ts';
import { SweepChannel } from '../src/machines/sweepChannel.ts';
import type { RunResult } from '../src/machines/sweepMessages.ts';
import { Runner } from '../src/machines/sweepWork.ts';
import { machineHere, runAlone, runJoined } from './joinTrial.ts';
import { freePort, lacksServer, newToken, startNatsServer, type NatsServer } from './natsServer.ts';
import { settingsOf } from './settingWords.ts';

const MEGABYTE = 2 ** 20;
/** That a run's two queues reserve. */
const QUEUES = 320 * MEGABYTE;

const CONFIG = settingsOf('sum_digits', 2, [
  'numSteps=1',
  'problemsPerStep=4',
  'rolloutsPerProblem=2',
  'evalSamples=4',
  'passAtK=1',
  'warmStartSteps=0',
  'maxTokens=16',
]);
const SAID = { name: 'a run', about: 'sums', computation: 'wasm' };

describe.skipIf(lacksServer())('a run that machines may join', () => {
  const servers: NatsServer[] = [];
  const connections: NatsConnection[] = [];
  const start = async (storeLimit?: number) => {
    const [port, token] = [await freePort(), newToken()];
    servers.push(
      await startNatsServer({ host: '127.0.0.1', port, webSocketPort: null, token, store: null, storeLimit }),
    );
    return parseServerAddress(`nats://${token}@127.0.0.1:${port}`);
  };

  beforeAll(async () => {
    await startBackendInNode();
  });

  afterEach(async () => {
    for (const connection of connections.splice(0)) await connection.close();
    for (const server of servers.splice(0)) await server.close();
  });

  test('says once that nobody is there, waits, and goes on as soon as somebody comes', async () => {
    const address = await start();
    const connection = await connectInNode(address, 'late');
    connections.push(connection);
    const machines: { stop(): Promise<void> }[] = [];
    const joined = await runJoined(CONFIG, address, {
      lonelyAfter: 1500,
      onNews: ({ kind }) => void (kind === 'waiting' && machines.push(machineHere(connection, 'late'))),
    });
    await machines[0]?.stop();
    const alone = await runAlone(CONFIG);
    expect(joined.news).toEqual([{ kind: 'waiting' }]);
    expect(joined.metrics).toEqual(alone.metrics);
    expect(joined.weights).toBe(alone.weights);
  }, 60_000);

  test('whose queues have no room at the server is refused in a sentence', async () => {
    const address = await start(QUEUES - MEGABYTE);
    await expect(RunChannel.open(await connectInNode(address, 'trainer'), SAID)).rejects.toThrow(
      /^The store of the NATS server is full \(.*--store-limit/,
    );
  });

  test('and weights that have no room at the server are refused in the same sentence', async () => {
    const connection = await connectInNode(await start(4 * MEGABYTE), 'trainer');
    connections.push(connection);
    const place = { connection, bucket: 'rlp-run' };
    const pieces = Array.from({ length: 8 }, () => new Uint8Array(MEGABYTE));
    const put = putObject(place, 'large', pieces);
    await expect(put.catch((error: unknown) => Promise.reject(serverError(error)))).rejects.toThrow(
      /^The store of the NATS server is full \(.*--store-limit/,
    );
  }, 60_000);

  test('and weights of many versions that come and go take no more room than those that stay', async () => {
    const connection = await connectInNode(await start(4 * MEGABYTE), 'trainer');
    connections.push(connection);
    const place = { connection, bucket: 'rlp-run' };
    for (let version = 0; version < 6; version++) {
      const put = putObject(place, `pool-${version}`, [new Uint8Array(MEGABYTE)]);
      await expect(put).resolves.toMatchObject({
        bytes: MEGABYTE,
      });
      if (version > 0) await removeObject(place, `pool-${version - 1}`);
    }
  }, 60_000);

  test('of a sweep, whose run directory has no room, fails and says so', async () => {
    const address = await start(2 * MEGABYTE);
    const machine = await connectInNode(address, 'machine');
    connections.push(machine);
    const stop = new AbortController();
    const runner = new Runner({
      connection: machine,
      name: 'machine',
      computation: 'wasm',
      make: () =>
        Promise.resolve({
          zip: () => Array.from({ length: 8 }, () => new Uint8Array(MEGABYTE)),
          dispose: () => undefined,
        }),
      onNews: () => undefined,
    });
    const served = runner.serve(stop.signal);
    let channel: SweepChannel | null = null;
    const connection = await connectInNode(address, 'sweep');
    const result = await new Promise<RunResult>((resolve, reject) => {
      SweepChannel.open({
        connection,
        key: newKey(),
        name: 'a sweep',
        runs: [{ name: 'large', config: CONFIG }],
        isDone: () => false,
        onResult: (each) => Promise.resolve(resolve(each)),
        onTrouble: (text) => reject(new Error(text)),
      }).then((opened) => (channel = opened), reject);
    });
    stop.abort();
    await served;
    await (channel as SweepChannel | null)?.close();
    expect(result).toMatchObject({ run: 0, machineName: 'machine', files: null });
    expect(result.error).toMatch(/^The store of the NATS server is full/);
  }, 60_000);
});
