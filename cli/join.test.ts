/** Machines that join a run over a real nats-server: the run must be the one that it would have been alone, whatever happens to them. */
import type { ChildProcess } from 'node:child_process';
import { jetstreamManager } from '@nats-io/jetstream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectInNode } from '../src/machines/connectInNode.ts';
import { startBackendInNode } from '../src/backend/startInNode.ts';
import { parseServerAddress, type ServerAddress } from '../src/machines/addresses.ts';
import { getObject, putObject, removeObjects } from '../src/machines/objects.ts';
import { runAlone, runJoined, startGenerator, type JoinedOutcome, type Outcome } from './joinTrial.ts';
import { everyProof, provenBy } from '../src/testing/proofs.ts';
import { openGeneratorBrowser } from './generatorPage.ts';
import { freePort, lacksServer, newToken, startNatsServer, type NatsServer } from './natsServer.ts';
import { settingsOf } from './settingWords.ts';

const CONFIG = settingsOf('sum_digits', 3, [
  'numSteps=3',
  'problemsPerStep=8',
  'rolloutsPerProblem=4',
  'evalSamples=8',
  'passAtK=1',
  'warmStartSteps=0',
  'maxTokens=32',
]);

/** What the run reported but for a wait: on a busy machine a generator may take longer than 30 s to start. */
const troubles = ({ news }: JoinedOutcome) => news.filter(({ kind }) => kind !== 'waiting');

describe.skipIf(lacksServer())('machines that join', () => {
  let server: NatsServer;
  let port: number;
  let address: ServerAddress;
  /** For tabs, by the server's own WebSocket. */
  let pageAddress: ServerAddress;
  let alone: Outcome;
  const generators: ChildProcess[] = [];
  const join = (name: string, more: readonly string[] = []): ChildProcess => {
    const say = (text: string): unknown => process.env['DEBUG'] && console.log(name, text);
    const child = startGenerator(address, name, say, more);
    generators.push(child);
    return child;
  };
  /** One that answers, be it of an earlier test: each takes seconds to start, and all share two cores. */
  const joinAnyway = (): void => {
    if (!generators.some((child) => child.exitCode === null && child.signalCode === null)) join('for it');
  };
  /** Those of earlier tests would answer too. */
  const dismiss = (): void => {
    for (const child of generators.splice(0)) child.kill('SIGKILL');
  };

  beforeAll(async () => {
    await startBackendInNode();
    port = await freePort();
    const token = newToken();
    const pages = await freePort();
    server = await startNatsServer({ host: '127.0.0.1', port, webSocketPort: pages, token, store: null });
    pageAddress = parseServerAddress(`ws://${token}@127.0.0.1:${pages}`);
    address = parseServerAddress(`nats://${token}@127.0.0.1:${port}`);
    alone = await runAlone(CONFIG);
  }, 120_000);

  afterAll(async () => {
    dismiss();
    await server?.close();
  });

  test('two give the run that it is alone, to the bit, though one is killed and the server starts again in its middle', async () => {
    const [first] = [join('one'), join('two')];
    const joined = await runJoined(CONFIG, address, {
      async onStep(step) {
        if (step === 1) {
          first.kill('SIGKILL');
          join('three');
        }
        if (step !== 2) return;
        await server.kill();
        await server.restart();
      },
    });
    expect(joined.metrics).toEqual(alone.metrics);
    expect(joined.weights).toBe(alone.weights);
    expect(troubles(joined)).toEqual([]);
    const worked = joined.machines.filter(({ groups }) => groups > 0);
    expect(worked.length).toBeGreaterThanOrEqual(2);
  }, 120_000);

  test('an object that a run writes anew is found by who looked for it before', async () => {
    const connection = await connectInNode(address, 'objects');
    const [whole, late] = ['rlp-whole', 'rlp-late'].map((bucket) => ({ connection, bucket }));
    if (whole === undefined || late === undefined) throw new Error('There are two places.');
    const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
    const reference = await putObject(whole, 'weights', [bytes]);
    await expect(getObject({ connection, bucket: 'rlp-none' }, reference)).rejects.toThrow(/not found/);
    const looked = getObject(late, reference);
    // The first look has been answered: there is none.
    await connection.flush();
    await putObject(late, 'weights', [bytes]);
    expect(await looked).toEqual(bytes);
    for (const place of [whole, late]) await removeObjects(place);
    await connection.close();
  }, 60_000);

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
  )(
    'the run is the same with %s',
    async (name, changes) => {
      const config = { ...CONFIG, numSteps: 2, ...changes };
      const expected = await runAlone(config);
      joinAnyway();
      const joined = await runJoined(config, address, { local: name.includes('of its own') });
      expect(joined.metrics).toEqual(expected.metrics);
      expect(joined.weights).toBe(expected.weights);
      expect(troubles(joined)).toEqual([]);
    },
    120_000,
  );

  test.each(provenBy(['stream', 'async'] as const, ['async'] as const))(
    'the schedule %s takes its answers from them',
    async (schedule) => {
      joinAnyway();
      const joined = await runJoined({ ...CONFIG, schedule }, address);
      expect(joined.metrics).toHaveLength(CONFIG.numSteps + 2);
      expect(troubles(joined)).toEqual([]);
      // Evaluations and steps; the asynchronous schedule may have asked for more than were trained on.
      const answers = joined.machines.reduce((sum, machine) => sum + machine.answers, 0);
      expect(answers).toBeGreaterThanOrEqual(CONFIG.numSteps * 32);
    },
    120_000,
  );

  test('nothing of a run is left at the server', async () => {
    const connection = await connectInNode(address, 'looking');
    const manager = await jetstreamManager(connection);
    const names = (await manager.streams.list().next()).map(({ config }) => config.name);
    await connection.close();
    expect(names).toEqual([]);
  });

  test.each([
    ['a wrong token', () => `nats://wrong-token@127.0.0.1:${port}`, /does not take this token/],
    ['no server', () => 'nats://token@127.0.0.1:1', /no NATS server at nats:\/\/127\.0\.0\.1:1.*npm run hub/],
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
      dismiss();
      const expected = await runAlone(config);
      const browser = await openGeneratorBrowser(pageAddress);
      try {
        join('node 1');
        join('node 2');
        const tabs = [await browser.open('tab 1', 'wasm'), await browser.open('tab 2', 'wasm')];
        const joined = await runJoined(config, address, {
          async onStep(step) {
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
        const worked = joined.machines.filter(({ answers }) => answers > 0).map(({ name }) => name);
        expect(worked.toSorted()).toEqual(['node 1', 'node 2', 'tab 1', 'tab 2']);
        for (const tab of tabs) expect((await tab.state()).problem).toBeNull();
      } finally {
        await browser.close();
      }
    },
    900_000,
  );

  test.runIf(everyProof)(
    'a generator on WebGPU, started by its command, answers close to the trainer and is checked like the others',
    async () => {
      dismiss();
      join('on WebGPU', ['--backend', 'webgpu']);
      const joined = await runJoined(CONFIG, address);
      expect(joined.metrics).toHaveLength(CONFIG.numSteps + 2);
      expect(troubles(joined)).toEqual([]);
      expect(joined.machines.map(({ name }) => name)).toEqual(['on WebGPU']);
      const [machine] = joined.machines;
      expect(machine?.computation).toContain('webgpu');
      expect(machine?.replayed).toBe(0);
      expect(machine?.largestGap).toBeLessThan(1e-4);
      expect(machine?.largestGap).toBeGreaterThan(0);
    },
    300_000,
  );

  test.runIf(everyProof)(
    'forty steps of the default run are what they are alone, with one of four killed every five seconds',
    async () => {
      // The one on WebGPU above all, whose answers differ in their last bits.
      dismiss();
      const config = settingsOf('sum_digits', 0, ['numSteps=40', 'evalSamples=20']);
      const expected = await runAlone(config);
      const here = [join('a'), join('b'), join('c'), join('d')];
      const killing = setInterval(() => {
        here.shift()?.kill('SIGKILL');
        here.push(join('next'));
      }, 5000);
      try {
        const joined = await runJoined(config, address);
        expect(joined.metrics).toEqual(expected.metrics);
        expect(joined.weights).toBe(expected.weights);
        console.log(
          `alone ${expected.seconds.toFixed(0)} s, joined ${joined.seconds.toFixed(0)} s, ${joined.machines.length} machines, largest |Δ log p| ${Math.max(...joined.machines.map(({ largestGap }) => largestGap))}`,
        );
      } finally {
        clearInterval(killing);
      }
    },
    900_000,
  );
});
