/** Servers that start again and lose things, and machines that meet it: over a real nats-server, each moment made on purpose. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NatsConnection } from '@nats-io/nats-core';
import { Objm } from '@nats-io/obj';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startBackendInNode } from '@rl-playground/engine/parts/startInNode';
import type { ServerAddress } from '@rl-playground/machines';
import { connectInNode } from '@rl-playground/machines/node';
import type { MachineEvent } from '@rl-playground/machines/joining';
import {
  type MachineNews,
  getObject,
  hasObject,
  putObject,
  putThrough,
  Reconnects,
} from '@rl-playground/machines/pool';
import {
  changedPool,
  machineHere,
  runAlone,
  runJoined,
  type JoinedOptions,
  type JoinedOutcome,
  type MachineHereOptions,
  type Outcome,
} from '@rl-playground/machines/testing/joinTrial';
import { lacksServer, startLocalServer, type LocalServer } from './testing/localServer.ts';
import { settingsOf } from './testing/settingWords.ts';

const CONFIG = settingsOf('sum_digits', 3, [
  'numSteps=2',
  'problemsPerStep=8',
  'rolloutsPerProblem=4',
  'evalSamples=4',
  'passAtK=1',
  'warmStartSteps=0',
  'maxTokens=32',
]);

/** That nobody was there is no news here: it depends on how fast a machine comes. */
const newsOf = ({ news }: JoinedOutcome) => news.filter(({ kind }) => kind !== 'waiting');

/** The run, or an error as soon as it has dropped its only machine, which it would else wait for without end. */
function keepingItsMachine(options: JoinedOptions, address: ServerAddress): Promise<JoinedOutcome> {
  return new Promise((resolve, reject) => {
    const onNews = (news: MachineNews): void => {
      options.onNews?.(news);
      if (news.kind === 'dropped') reject(new Error(`The machine was dropped: ${news.machine.dropped}`));
    };
    runJoined(CONFIG, address, { ...options, onNews }).then(resolve, reject);
  });
}

/** The connection of a machine whose line fails when it looks for weights, for as long as `isTroubled` says. */
function troubled(connection: NatsConnection, isTroubled: () => boolean): NatsConnection {
  const request: NatsConnection['request'] = (subject, ...rest) =>
    /STREAM\.INFO\.OBJ_.*-pool-/.test(subject) && isTroubled()
      ? Promise.reject(new Error('timeout'))
      : connection.request(subject, ...rest);
  return new Proxy(connection, {
    get(target, key) {
      if (key === 'request') return request;
      const value = Reflect.get(target, key, target) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

describe.skipIf(lacksServer())('when a server starts again, or a machine fails', () => {
  const folder = mkdtempSync(join(tmpdir(), 'join-restart-'));
  const streams = join(folder, 'jetstream', '$G', 'streams');
  let server: LocalServer;
  let address: ServerAddress;
  let alone: Outcome;
  const connections: NatsConnection[] = [];
  const connected = async (name: string): Promise<NatsConnection> => {
    const connection = await connectInNode(address, name);
    connections.push(connection);
    return connection;
  };
  const withMachine = async (
    options: MachineHereOptions,
    run: () => Promise<JoinedOutcome>,
    connection?: NatsConnection,
  ): Promise<JoinedOutcome> => {
    const machine = machineHere(connection ?? (await connected('machine')), 'machine', options);
    try {
      return await run();
    } finally {
      await machine.stop();
    }
  };

  beforeAll(async () => {
    await startBackendInNode();
    const local = await startLocalServer({ store: folder });
    ({ address } = local);
    server = local;
    alone = await runAlone(CONFIG);
    return async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    };
  });

  afterEach(async () => {
    for (const connection of connections.splice(0)) await connection.close();
  });

  /** Resolves when the server has weights that no machine has been asked with yet, whole. */
  const newWeights = async (used: ReadonlySet<string>): Promise<void> => {
    const looking = await connected('looking');
    const isWhole = async (bucket: string): Promise<boolean> => {
      const store = await new Objm(looking).open(bucket).catch(() => null);
      return (await store?.info('content')) != null;
    };
    for (;;) {
      const buckets = readdirSync(streams)
        .filter((name) => /^OBJ_.*-pool-/.test(name))
        .map((name) => name.slice('OBJ_'.length))
        .filter((bucket) => ![...used].some((name) => bucket.endsWith(name)));
      for (const bucket of buckets) if (await isWhole(bucket)) return;
      // Gives the run its turn.
      await looking.flush();
    }
  };

  test('weights and model that the server has lost are put there again, and the machine that missed them is not dropped', async () => {
    const used = new Set<string>();
    const troubles: string[] = [];
    const onNews = (news: MachineEvent): void => {
      if (news.kind === 'asked') used.add(news.request.weights.pool?.name ?? '');
      else if (news.kind === 'trouble') troubles.push(news.text);
    };
    const restarts: Promise<void>[] = [];
    let isAway = false;
    const joined = await withMachine({ onNews }, () =>
      keepingItsMachine(
        {
          async onStep(step) {
            if (step !== 1) return;
            await newWeights(used);
            await server.kill();
            // The queues stay, so that what the run asks now will be there, and name what is gone.
            for (const name of readdirSync(streams).filter((each) => each.startsWith('OBJ_')))
              rmSync(join(streams, name), { recursive: true });
            isAway = true;
          },
          onAsk() {
            if (isAway && restarts.length === 0) restarts.push(server.restart());
          },
        },
        address,
      ),
    );
    await Promise.all(restarts);
    expect(troubles.join()).toMatch(/The run has no object pool-\S+ at the server any more/);
    expect(newsOf(joined)).toEqual([]);
    expect(joined.metrics).toEqual(alone.metrics);
    expect(joined.weights).toBe(alone.weights);
    expect(joined.machines).toMatchObject([{ name: 'machine', dropped: null }]);
  });

  test('a machine whose line to the server fails again and again is not dropped, and goes on trying', async () => {
    let said = false;
    const line = troubled(await connected('machine'), () => !said);
    const onNews = ({ kind }: MachineNews): void => {
      if (kind === 'trouble') said = true;
    };
    const joined = await withMachine({}, () => keepingItsMachine({ onNews }, address), line);
    expect(newsOf(joined)).toEqual([
      {
        kind: 'trouble',
        text: 'machine has met trouble with the server 3 times in a row, and goes on trying: timeout',
      },
    ]);
    expect(joined.metrics).toEqual(alone.metrics);
    expect(joined.weights).toBe(alone.weights);
    expect(joined.machines).toMatchObject([{ name: 'machine', dropped: null }]);
  });

  test('a machine that can’t answer is dropped, and is given work again when it comes back', async () => {
    let failures = 0;
    const joined = await withMachine(
      {
        awayFor: 1,
        bend: (pool) =>
          changedPool(pool, (...asked) =>
            ++failures > 3 ? pool.generate(...asked) : Promise.reject(new Error('no memory')),
          ),
      },
      () => runJoined(CONFIG, address),
    );
    expect(newsOf(joined)).toMatchObject([
      { kind: 'dropped', machine: { name: 'machine', dropped: 'it failed 3 times in a row: no memory' } },
    ]);
    expect(joined.metrics).toEqual(alone.metrics);
    expect(joined.machines).toMatchObject([{ name: 'machine', dropped: null }]);
  });

  test('an object is written again, and what was begun before takes nothing of it away', async () => {
    const connection = await connected('trainer');
    const place = { connection, bucket: 'rlp-run' };
    const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
    let times = 0;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const reference = await putThrough(new Reconnects(connection), place, 'weights', async function* () {
      const first = ++times === 1;
      yield bytes;
      if (!first) return;
      await server.kill();
      await server.restart();
      // The first time fails only when the second has succeeded, as a call does whose answer was lost.
      await ended;
    });
    expect(times).toBe(2);
    expect(await getObject(place, reference)).toEqual(bytes);
    end();
    while (readdirSync(streams).filter((name) => name.startsWith('OBJ_rlp-run')).length > 1)
      await connection.flush();
    expect(await getObject(place, reference)).toEqual(bytes);
  });

  test('an object is there, or is not, or is another one under the same name', async () => {
    const place = { connection: await connected('trainer'), bucket: 'rlp-has' };
    const reference = await putObject(place, 'weights', [new Uint8Array(1000).fill(1)]);
    expect(await hasObject(place, reference)).toBe(true);
    expect(await hasObject(place, { ...reference, name: 'others' })).toBe(false);
    await putObject(place, 'weights', [new Uint8Array(1000).fill(2)]);
    expect(await hasObject(place, reference)).toBe(false);
  });
});
