/** The messages of a run that lacks machines or room, over a real nats-server. */
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { Objm } from '@nats-io/obj';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startBackendInNode } from '@rl-playground/engine/parts/startInNode';
import {
  type ServerAddress,
  newKey,
  writeModel,
  namesOf,
  RUNS_SUBJECT,
  shortId,
  writePresence,
} from '@rl-playground/machines';
import { connectInNode } from '@rl-playground/machines/node';
import {
  serverError,
  type MachineNews,
  getObject,
  putObject,
  removeObject,
  HEARD,
  ROUND,
  RunChannel,
} from '@rl-playground/machines/pool';
import { Machine } from '@rl-playground/machines/joining';
import { tinyGenerator, createLocalPool } from '@rl-playground/engine/parts/tensors';
import { changedPool, machineHere, runAlone, runJoined } from '@rl-playground/machines/testing/joinTrial';
import type { NatsServer } from './natsServer.ts';
import { lacksServer, startLocalServer } from './testing/localServer.ts';
import { settingsOf } from './testing/settingWords.ts';

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
  const start = async (storeLimit?: number): Promise<ServerAddress> => {
    const server = await startLocalServer({ ...(storeLimit !== undefined && { storeLimit }) });
    servers.push(server);
    return server.address;
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
    const said: MachineNews[] = [];
    /** Joins when the run has said two times more that it is there, and so has looked around once more. */
    const joinLate = async (): Promise<void> => {
      const announced = connection.subscribe(`${RUNS_SUBJECT}.*`, { max: 2 });
      for await (const _ of announced);
      machines.push(machineHere(connection, 'late'));
    };
    const joined = await runJoined(CONFIG, address, {
      lonelyAfter: 0,
      onNews(news) {
        // How often it waits when somebody was there depends on the machine.
        if (machines.length > 0) return;
        said.push(news);
        if (said.length === 1) void joinLate();
      },
    });
    await machines[0]?.stop();
    const alone = await runAlone(CONFIG);
    expect(said).toEqual([{ kind: 'waiting' }]);
    expect(joined.metrics).toEqual(alone.metrics);
    expect(joined.weights).toBe(alone.weights);
  });

  test('is told apart from others of its name by letters of its id', async () => {
    const address = await start();
    const model = writeModel({ model: tinyGenerator('gqa', []), precision: 'f32' });
    const runs: RunChannel[] = [];
    for (let i = 0; i < 2; i++) {
      const channel = await RunChannel.open(await connectInNode(address, 'trainer'), SAID);
      await channel.offer(model);
      runs.push(channel);
    }
    const [, second] = runs as [RunChannel, RunChannel];
    const connection = await connectInNode(address, 'machine');
    connections.push(connection);
    const stop = new AbortController();
    const joined = await new Promise<string>((resolve) => {
      const machine = new Machine({
        connection,
        name: 'machine',
        runName: shortId(second.run).toLowerCase(),
        engineFor: () => ({ computation: 'wasm', createPool: (each) => createLocalPool(each.model) }),
        onNews: (news) => news.kind === 'joined' && resolve(news.run.run),
      });
      void machine.serve(stop.signal);
    });
    expect(joined).toBe(second.run);
    stop.abort();
    for (const channel of runs) await channel.close();
  });

  test('whose objects somebody else has written again is not believed, with or without what describes them', async () => {
    const address = await start();
    const connection = await connectInNode(address, 'trainer');
    const stranger = await connectInNode(address, 'stranger');
    connections.push(connection, stranger);
    const place = { connection, bucket: 'rlp-run' };
    const sound = await putObject(place, 'pool', [new Uint8Array(3000).fill(1)]);
    expect(await getObject(place, sound)).toEqual(new Uint8Array(3000).fill(1));
    await putObject({ ...place, connection: stranger }, 'pool', [new Uint8Array(3000).fill(2)]);
    const sentence =
      /object pool of the run at the server is not the one that the run has signed: somebody else/;
    await expect(getObject(place, sound)).rejects.toThrow(sentence);
    // Only the bytes: what stands beside them, with the digest that was signed, stays.
    for (const [name, forged] of [
      ['shorter', new Uint8Array(3000).fill(2)],
      ['longer', new Uint8Array(5000).fill(2)],
    ] as const) {
      const described = await putObject(place, name, [new Uint8Array(3000).fill(1)]);
      const store = await new Objm(stranger).open(`rlp-run-${name}`);
      const nuid = (await store.info('content'))?.nuid;
      const manager = await jetstreamManager(stranger);
      const subject = `$O.rlp-run-${name}.C.${nuid}`;
      await manager.streams.purge(`OBJ_rlp-run-${name}`, { filter: subject });
      await jetstream(stranger).publish(subject, forged);
      await expect(getObject(place, described)).rejects.toThrow(
        new RegExp(sentence.source.replace('pool', name)),
      );
    }
  });

  test('takes few words of a flood, leaves the others at the server, and hears sound machines again', async () => {
    const address = await start();
    const trainer = await connectInNode(address, 'trainer');
    const stranger = await connectInNode(address, 'stranger');
    connections.push(stranger);
    const channel = await RunChannel.open(trainer, SAID);
    const key = newKey();
    const machine = key.getPublicKey();
    const heard = new Promise<void>((resolve) => {
      channel.listen({
        answered: () => undefined,
        unwanted: () => 0,
        back: () => undefined,
        failed: () => undefined,
        hasAnswered: (id) => id === machine,
        overheard: () => undefined,
        present: ({ name }) => name === 'sound' && resolve(),
      });
    });
    const { machines } = namesOf(channel.run);
    const flood = 10_000;
    const before = trainer.stats().inMsgs;
    const began = performance.now();
    for (let i = 0; i < flood; i++) stranger.publish(`${machines}.invented-${i}`, new Uint8Array(330));
    await stranger.flush();
    const word = writePresence(key, { machine, name: 'sound', computation: 'wasm', leaving: false });
    const speaking = setInterval(() => stranger.publish(`${machines}.${machine}`, word), 50);
    await heard;
    clearInterval(speaking);
    // One more than have ended: the first began before the flood.
    const rounds = 2 + (performance.now() - began) / ROUND;
    // Beside them the server says that the queue of answers is empty.
    expect(trainer.stats().inMsgs - before).toBeLessThan(HEARD * rounds + 100);
    await channel.close();
  });

  test('whose queues have no room at the server is refused in a sentence', async () => {
    const address = await start(QUEUES - MEGABYTE);
    await expect(RunChannel.open(await connectInNode(address, 'trainer'), SAID)).rejects.toThrow(
      /^The store of the NATS server is full \(.*--store-limit/,
    );
  });

  test('whose machine finds the server full says so once, waits longer each time, and goes on when there is room', async () => {
    const address = await start(QUEUES + 16 * MEGABYTE);
    const stranger = await connectInNode(address, 'stranger');
    const connection = await connectInNode(address, 'machine');
    connections.push(stranger, connection);
    const manager = await jetstreamManager(stranger);
    const fill = async (): Promise<void> => {
      await manager.streams.add({ name: 'junk', subjects: ['junk'] });
      const most = new Uint8Array(900_000);
      for (let isFull = false; !isFull;)
        isFull = await jetstream(stranger)
          .publish('junk', most)
          .then(
            () => false,
            () => true,
          );
    };
    let asked = 0;
    const troubles: string[] = [];
    const machine = machineHere(connection, 'machine', {
      bend: (pool) =>
        changedPool(pool, async (...words) => {
          asked++;
          if (asked === 1) await fill();
          if (asked === 4) await manager.streams.delete('junk');
          return pool.generate(...words);
        }),
      onNews: (news) => news.kind === 'trouble' && troubles.push(news.text),
    });
    const joined = await runJoined(CONFIG, address, {});
    await machine.stop();
    const alone = await runAlone(CONFIG);
    expect(asked).toBeGreaterThanOrEqual(4);
    expect(troubles).toEqual([
      expect.stringMatching(/^The store of the NATS server is full \([^()]*\): give it more room/),
    ]);
    expect(joined.metrics).toEqual(alone.metrics);
    expect(joined.weights).toBe(alone.weights);
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
  });

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
  });
});
