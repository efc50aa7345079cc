/** Machines that join a run over a real nats-server: the run must be the one that it would have been alone, whatever happens to them. */
import type { ChildProcess } from 'node:child_process';
import type { NatsConnection } from '@nats-io/nats-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startBackendInNode } from '@rl-playground/engine/parts/startInNode';
import { parseServerAddress } from '@rl-playground/machines';
import { connectInNode } from '@rl-playground/machines/node';
import { managerOf } from '@rl-playground/machines/pool';
import {
  changedPool,
  hasAnswered,
  isHere,
  machineHere,
  MachinesSeen,
  runAlone,
  runJoined,
  startGenerator,
  type JoinedOutcome,
} from '@rl-playground/machines/testing/joinTrial';
import { everyProof, provenBy } from '@rl-playground/base/testing/proofs';
import { openGeneratorBrowser } from './generatorPage.ts';
import { lacksServer, startLocalServer, type LocalServer } from './testing/localServer.ts';
import { settingsOf } from './testing/settingWords.ts';

const CONFIG = settingsOf('sum_digits', 3, [
  'numSteps=3',
  'problemsPerStep=8',
  'rolloutsPerProblem=2',
  'evalSamples=4',
  'passAtK=1',
  'warmStartSteps=0',
  'maxTokens=16',
]);

/** The run's reports except for a wait: a generator may take longer than 30 s to start. */
const troubles = ({ news }: JoinedOutcome) => news.filter(({ kind }) => kind !== 'waiting');

const workersOf = ({ machines }: JoinedOutcome): string[] =>
  machines
    .filter(({ groups }) => groups > 0)
    .map(({ name }) => name)
    .toSorted();

describe.skipIf(lacksServer())('machines that join', () => {
  let server: LocalServer;
  const generators: ChildProcess[] = [];
  const machines: { stop(): Promise<void> }[] = [];
  const connections: NatsConnection[] = [];
  const connected = async (name: string): Promise<NatsConnection> => {
    const connection = await connectInNode(server.address, name);
    connections.push(connection);
    return connection;
  };
  /** A machine in this process, for the time of a test. */
  const here = async (name: string, ...more: [Parameters<typeof machineHere>[2]?]): Promise<void> => {
    machines.push(machineHere(await connected(name), name, ...more));
  };
  /** One in a process of its own. */
  const join = (name: string, more: readonly string[] = []): ChildProcess => {
    const say = (text: string): unknown => process.env['DEBUG'] && console.log(name, text);
    const child = startGenerator(server.address, name, say, more);
    generators.push(child);
    return child;
  };

  /** Returns the streams of runs that the server keeps. */
  const kept = async (): Promise<string[]> => {
    const manager = await managerOf(await connected('looking'));
    return (await manager.streams.list().next()).map(({ config }) => config.name);
  };

  beforeAll(async () => {
    await startBackendInNode();
    // Tabs come by the server's own WebSocket.
    server = await startLocalServer({ webSocketPort: 0 });
  });

  afterEach(async () => {
    for (const child of generators.splice(0)) child.kill('SIGKILL');
    for (const machine of machines.splice(0)) await machine.stop();
    for (const connection of connections.splice(0)) await connection.close();
  });

  afterAll(() => server?.close());

  test('two give the run that it is alone, to the bit, though one is killed and the server starts again in its middle', async () => {
    const alone = await runAlone(CONFIG);
    const first = join('first');
    const seen = new MachinesSeen();
    let asked = 0;
    const joined = await runJoined(CONFIG, server.address, {
      seen,
      async onStep(step) {
        if (step === 1) {
          // Until now the first has answered alone.
          await here('second', {
            bend: (pool) =>
              changedPool(pool, async (...request) => {
                if (++asked === 1) {
                  // Both are at work.
                  first.kill('SIGKILL');
                  await server.kill();
                  await server.restart();
                }
                return pool.generate(...request);
              }),
          });
          await seen.until(isHere('second'));
        }
        // From now on the second answers alone.
        if (step === 2) first.kill('SIGKILL');
      },
    });
    expect(joined.metrics).toEqual(alone.metrics);
    expect(joined.weights).toBe(alone.weights);
    expect(troubles(joined)).toEqual([]);
    expect(workersOf(joined)).toEqual(['first', 'second']);
    expect(await kept()).toEqual([]);
  });

  const FROZEN = ['LoRA beside a frozen base in 8 bits', { loraRank: 4, baseFormat: 'q8' }] as const;
  const BESIDE = ['a generator of its own beside them', { repetitionPenalty: 1.5 }] as const;
  test.each(
    provenBy(
      [
        FROZEN,
        BESIDE,
        ['LoRA, whose factors travel beside a base', { loraRank: 4 }],
        ['weights in 16 bit', { generatorPrecision: 'f16' }],
      ] as const,
      [FROZEN, BESIDE],
    ),
  )('the run is the same with %s', async (name, changes) => {
    const config = { ...CONFIG, numSteps: 2, ...changes };
    const expected = await runAlone(config);
    await here('machine');
    const seen = new MachinesSeen();
    const joined = await runJoined(config, server.address, {
      local: name.includes('of its own'),
      seen,
      // Where the run has a generator of its own, it waits for no machine, and counts on one that has shown what it can.
      onStep: (step) => seen.until(step === 1 ? isHere('machine') : hasAnswered('machine')),
    });
    expect(joined.metrics).toEqual(expected.metrics);
    expect(joined.weights).toBe(expected.weights);
    expect(troubles(joined)).toEqual([]);
    expect(workersOf(joined)).toEqual(['machine']);
    expect(await kept()).toEqual([]);
  });

  test.each(provenBy(['stream', 'async'] as const, ['async'] as const))(
    'the schedule %s takes its answers from them',
    async (schedule) => {
      await here('machine');
      const joined = await runJoined({ ...CONFIG, schedule }, server.address);
      expect(joined.metrics).toHaveLength(CONFIG.numSteps + 2);
      expect(troubles(joined)).toEqual([]);
      // Evaluations and steps; the asynchronous schedule may have asked for more than were trained on.
      const answers = joined.machines.reduce((sum, machine) => sum + machine.answers, 0);
      expect(answers).toBeGreaterThanOrEqual(
        CONFIG.numSteps * CONFIG.problemsPerStep * CONFIG.rolloutsPerProblem,
      );
      expect(await kept()).toEqual([]);
    },
  );

  test.each([
    ['a wrong token', () => `nats://wrong-token@127.0.0.1:${server.port}`, /does not take this token/],
    [
      'no server',
      () => 'nats://token@127.0.0.1:1',
      /no NATS server at nats:\/\/127\.0\.0\.1:1.*npx rl-playground hub/,
    ],
  ])('%s is a sentence without the token', async (_, text, sentence) => {
    const failure = connectInNode(parseServerAddress(text()), 'looking');
    await expect(failure).rejects.toThrow(sentence);
    await expect(failure).rejects.not.toThrow(/wrong-token/);
  });

  test.runIf(everyProof)(
    'forty steps of the default run are what they are alone, with two generators under Node and two tabs of a browser, and the server killed half-way',
    async () => {
      const config = settingsOf('sum_digits', 0, [
        `numSteps=${process.env['STEPS'] ?? 40}`,
        'evalSamples=20',
      ]);
      const expected = await runAlone(config);
      const { token, webSocketPort } = server;
      const browser = await openGeneratorBrowser(
        parseServerAddress(`ws://${token}@127.0.0.1:${webSocketPort}`),
      );
      const names = ['node 1', 'node 2', 'tab 1', 'tab 2'];
      try {
        join('node 1');
        join('node 2');
        const tabs = [await browser.open('tab 1', 'wasm'), await browser.open('tab 2', 'wasm')];
        const seen = new MachinesSeen();
        const joined = await runJoined(config, server.address, {
          seen,
          async onStep(step) {
            await seen.until(isHere(...names));
            if (step !== config.numSteps / 2) return;
            await server.kill();
            await server.restart();
          },
        });
        console.log(
          `alone ${expected.seconds.toFixed(0)} s, joined ${joined.seconds.toFixed(0)} s\n${joined.machines
            .map(({ name, computation, answers, replayed, largestGap }) =>
              [
                name,
                computation,
                `${answers} answers, ${replayed} made again, |Δ log p| ≤ ${largestGap}`,
              ].join(': '),
            )
            .join('\n')}`,
        );
        expect(joined.metrics).toEqual(expected.metrics);
        expect(joined.weights).toBe(expected.weights);
        expect(workersOf(joined)).toEqual(names);
        for (const tab of tabs) expect((await tab.state()).problem).toBeNull();
      } finally {
        await browser.close();
      }
    },
  );

  test.runIf(everyProof)(
    'a generator on WebGPU, started by its command, answers close to the trainer and is checked like the others',
    async () => {
      join('on WebGPU', ['--backend', 'webgpu']);
      const joined = await runJoined(CONFIG, server.address);
      expect(joined.metrics).toHaveLength(CONFIG.numSteps + 2);
      expect(troubles(joined)).toEqual([]);
      expect(joined.machines.map(({ name }) => name)).toEqual(['on WebGPU']);
      const [machine] = joined.machines;
      expect(machine?.computation).toContain('webgpu');
      expect(machine?.replayed).toBe(0);
      expect(machine?.largestGap).toBeLessThan(1e-4);
      expect(machine?.largestGap).toBeGreaterThan(0);
    },
  );

  test.runIf(everyProof)(
    'forty steps of the default run are what they are alone, with one of four killed after every forty groups',
    async () => {
      // The one on WebGPU above all, whose answers differ in their last bits.
      const config = settingsOf('sum_digits', 0, ['numSteps=40', 'evalSamples=20']);
      const expected = await runAlone(config);
      const living = [join('a'), join('b'), join('c'), join('d')];
      const seen = new MachinesSeen();
      let over = false;
      const killing = async (): Promise<void> => {
        for (let groups = 40; !over; groups += 40) {
          await seen.until((all) => over || all.reduce((sum, each) => sum + each.groups, 0) >= groups);
          living.shift()?.kill('SIGKILL');
          living.push(join('next'));
        }
      };
      const killed = killing();
      const joined = await runJoined(config, server.address, { seen });
      over = true;
      seen.look([]);
      await killed;
      expect(joined.metrics).toEqual(expected.metrics);
      expect(joined.weights).toBe(expected.weights);
      console.log(
        `alone ${expected.seconds.toFixed(0)} s, joined ${joined.seconds.toFixed(0)} s, ${joined.machines.length} machines, largest |Δ log p| ${Math.max(...joined.machines.map(({ largestGap }) => largestGap))}`,
      );
    },
  );
});
