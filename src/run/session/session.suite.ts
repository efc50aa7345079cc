/** Whole runs with a tiny model on the current backend: repeatable to the bit, resumable, and without a tensor too many. */
import {
  type LoadedModel,
  type ModelFiles,
  type GeneratorPool,
  widened,
  type EngineEnvironment,
} from '@rl-playground/engine/parts';
import { LOCAL_ENVIRONMENT, tf, createLocalPool } from '@rl-playground/engine/parts/tensors';
import { beforeAll, describe, expect, test } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { timeless } from '../metrics/metrics.ts';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { likeliestAt } from './likeliest.ts';
import { Session } from './session.ts';
import { freshStart } from './sessionStart.ts';
import { readZippedCheckpoint, writeCheckpoint } from '../testing/zips.ts';

let model: LoadedModel;

/** An untrained model earns −1 everywhere; a moving baseline makes that a signal. */
const CONFIG: RunConfig = {
  ...defaultConfig('reverse_digits'),
  loss: 'reinforce',
  baseline: 'moving',
  klBeta: 0.05,
  learningRate: 3e-3,
  warmupSteps: 1,
  weightDecay: 0.01,
  numSteps: 5,
  numGenerators: 1,
  problemsPerStep: 3,
  rolloutsPerProblem: 2,
  maxTokens: 20,
  microBatchTokens: 64,
  evalSamples: 5,
  seed: 12,
};

let clock = 0;
const ENVIRONMENT: EngineEnvironment = {
  ...LOCAL_ENVIRONMENT,
  now: () => (clock += 1 + Math.random()),
};

const open = (config = CONFIG, environment = ENVIRONMENT): Promise<Session> =>
  Session.open(config, freshStart(model), environment);

async function steps(session: Session, count: number): Promise<Session> {
  for (let i = 0; i < count; i++) await session.trainStep({});
  return session;
}

/** All that a run has come to, without what the clock says; the session is disposed of. */
async function outcome(session: Session) {
  const { model: trained, optimizer, metrics, evaluations, trainerState, reference } = await session.parts();
  session.dispose();
  return {
    weights: await widened(trained.weights),
    reference,
    optimizer,
    trainerState,
    metrics: timeless(metrics),
    evaluations: evaluations.map((evaluation) => ({ ...evaluation, seconds: 0 })),
  };
}

async function evaluatedRun(config = CONFIG): Promise<Session> {
  const session = await open(config);
  await session.evaluate({});
  await steps(session, 4);
  await session.evaluate({});
  return session;
}

/** `starter`: the bundled model's folder, whose tokenizer is used. `repeated`: whether a whole run is made three times. */
export function sessionSuite(starter: ModelFiles, repeated = true): void {
  beforeAll(async () => {
    model = await tinyStarter(starter);
  });

  describe('a run', () => {
    test.runIf(repeated)('is the same to the bit when repeated, and another under another seed', async () => {
      const first = await outcome(await evaluatedRun());
      expect(first.metrics).toHaveLength(4);
      expect(first.evaluations.map(({ step }) => step)).toEqual([0, 4]);
      expect(first.metrics.every(({ gradNorm }) => Number(gradNorm) > 0)).toBe(true);
      expect(first.weights).not.toEqual(await widened(model.weights));
      expect(await outcome(await evaluatedRun())).toEqual(first);
      const other = await outcome(await evaluatedRun({ ...CONFIG, seed: 13 }));
      expect(other.metrics[0]?.['loss']).not.toBe(first.metrics[0]?.['loss']);
    });

    test('stopped, saved, read and resumed equals one never stopped, to the bit', async () => {
      const whole = await outcome(await evaluatedRun());
      const before = await open();
      await before.evaluate({});
      await steps(before, 2);
      const zip = await writeCheckpoint(await before.parts());
      before.dispose();
      const parts = await readZippedCheckpoint(zip);
      expect(parts.runConfig).toEqual(CONFIG);
      const resumed = await Session.open(parts.runConfig ?? CONFIG, parts, ENVIRONMENT);
      expect(resumed.step).toBe(2);
      await steps(resumed, 2);
      await resumed.evaluate({});
      expect(await outcome(resumed)).toEqual(whole);
    });

    test.each([
      ['all weights', {}],
      ['LoRA', { loraRank: 2, loraAlpha: 8 }],
    ] as const)('asks about an answer the weights that wrote it, %s', async (_, lora) => {
      const session = await open({ ...CONFIG, ...lora, learningRate: 0.03 });
      try {
        const [answer] = await session.trainStep({});
        if (answer === undefined) throw new Error('No answer was written.');
        await steps(session, 2);
        const tensors = tf.memory().numTensors;
        const ask = (place: number, version = answer.policyVersion) => {
          const before = [...answer.promptIds, ...answer.tokens.slice(0, place)];
          return likeliestAt(session, { before, token: answer.tokens[place] ?? NaN, version });
        };
        const then = await Promise.all(Array.from(answer.tokens, (__, place) => ask(place)));
        const now = await Promise.all(Array.from(answer.tokens, (__, place) => ask(place, 99)));
        expect(then.every(({ own, step }) => own && step === 3)).toBe(true);
        expect(now.some(({ own }) => own)).toBe(false);
        const furthest = (found: typeof then): number =>
          Math.max(...found.map(({ logprob }, at) => Math.abs(logprob - (answer.logprobs[at] ?? NaN))));
        expect(furthest(then)).toBeLessThan(1e-5);
        expect(furthest(now)).toBeGreaterThan(1e-3);
        expect(tf.memory().numTensors).toBe(tensors);
      } finally {
        session.dispose();
      }
    });

    test('has the same first answers however many are drawn', async () => {
      const session = await open();
      const measured = async (passAtK: boolean) => {
        await session.evaluate({ passAtK });
        const { accuracy, format, greedy, samples = [], passAtK: pass } = session.evaluation ?? {};
        const answers = samples.map(({ correctDraws: _draws, ...answer }) => answer);
        return { pass, first: { accuracy, format, greedy, answers } };
      };
      const alone = await measured(false);
      const whole = await measured(true);
      session.dispose();
      expect([alone.pass, whole.pass?.k]).toEqual([undefined, CONFIG.passAtK]);
      expect(whole.first.answers).toHaveLength(CONFIG.evalSamples);
      expect(whole.first).toEqual(alone.first);
    });

    test('an aborted step changes nothing: the run goes on as if it had not been asked', async () => {
      const undisturbed = await outcome(await steps(await open(), 2));
      const session = await steps(await open(), 1);
      const tensors = tf.memory().numTensors;
      const abort = new AbortController();
      const aborted = session.trainStep({
        signal: abort.signal,
        onProgress: ({ tokens }) => tokens > 20 && abort.abort(new Error('stopped by the person')),
      });
      await expect(aborted).rejects.toThrow('stopped by the person');
      expect(session.step).toBe(1);
      expect(tf.memory().numTensors).toBe(tensors);
      expect(await outcome(await steps(session, 1))).toEqual(undisturbed);
    });

    test('a step that fails behind its updates is undone: the run goes on as if it had not been asked', async () => {
      const config = { ...CONFIG, ppoEpochs: 2 };
      const undisturbed = await outcome(await steps(await open(config), 2));
      let fails = false;
      const session = await open(config, {
        ...ENVIRONMENT,
        createPool: (generatorModel) => {
          const pool = createLocalPool(generatorModel);
          const setWeights: GeneratorPool['setWeights'] = (version, packed) =>
            fails ? Promise.reject(new Error('no memory')) : pool.setWeights(version, packed);
          return { ...pool, setWeights };
        },
      });
      await steps(session, 1);
      const { model: before } = await session.parts();
      fails = true;
      await expect(session.trainStep({})).rejects.toThrow('no memory');
      fails = false;
      const parts = await session.parts();
      expect(await widened(parts.model.weights)).toEqual(await widened(before.weights));
      expect(parts.optimizer?.step).toBe(2);
      expect([session.step, session.metrics.length, session.log.steps.length]).toEqual([1, 1, 1]);
      expect(session.intact).toBe(true);
      expect(await outcome(await steps(session, 1))).toEqual(undisturbed);
    });

    test('generators with 16-bit weights sample from a slightly different policy, and the step says so', async () => {
      const exact = await steps(await open(), 1);
      const rounded = await steps(await open({ ...CONFIG, generatorPrecision: 'f16' }), 1);
      const gap = (session: Session): number => session.metrics[0]?.klSampleTrainV2 ?? NaN;
      expect(gap(exact)).toBeLessThan(1e-8);
      expect(gap(rounded)).toBeGreaterThan(1e-9);
      expect(gap(rounded)).toBeLessThan(1e-4);
      exact.dispose();
      rounded.dispose();
    });

    test('another number of generators in mid-run changes nothing', async () => {
      const undisturbed = await outcome(await steps(await open(), 2));
      const sizes: number[] = [];
      const session = await open(CONFIG, {
        ...ENVIRONMENT,
        createPool: (generatorModel, { numGenerators }) => {
          sizes.push(numGenerators);
          return createLocalPool(generatorModel);
        },
      });
      await steps(session, 1);
      await session.adopt({ ...CONFIG, numGenerators: 3 });
      expect(sizes).toEqual([1, 3]);
      expect(await outcome(await steps(session, 1))).toEqual(undisturbed);
    });
  });

  describe('a session', () => {
    test('holds as many tensors after every step and evaluation, and none once disposed of', async () => {
      const before = tf.memory().numTensors;
      const session = await open();
      const counts: number[] = [];
      for (let i = 0; i < 3; i++) {
        await steps(session, 1);
        counts.push(tf.memory().numTensors);
        await session.evaluate({});
        counts.push(tf.memory().numTensors);
      }
      expect(new Set(counts).size).toBe(1);
      session.dispose();
      expect(tf.memory().numTensors).toBe(before);
    });

    test('trains on what came back when one group fails however often it is asked for', async () => {
      const session = await open(CONFIG, {
        ...ENVIRONMENT,
        createPool: (generatorModel): GeneratorPool => {
          const pool = createLocalPool(generatorModel);
          return {
            ...pool,
            async generate(requests, sampling, options) {
              const groups = await pool.generate(requests, sampling, options);
              const failed = { tokens: [], logprobs: [], stopReason: 'error', error: 'worker lost' } as const;
              return groups.map((group, i) =>
                requests[i]?.problem === 1 ? { ...group, completions: [failed, failed] } : group,
              );
            },
          };
        },
      });
      const rollouts = await session.trainStep({});
      expect(rollouts).toHaveLength(4);
      expect(session.step).toBe(1);
      expect(session.metrics[0]?.gradNorm).toBeGreaterThan(0);
      await expect(session.evaluate({})).rejects.toThrow(
        'Problem 2 of the evaluation got no answer: worker lost',
      );
      session.dispose();
    });

    test('refuses answers longer than the model has positions, with the numbers and the largest that fits', async () => {
      const { maxPositions } = model.config;
      const refused = open({ ...CONFIG, maxTokens: maxPositions });
      await expect(refused).rejects.toThrow(
        new RegExp(`Its context holds ${maxPositions} tokens, .*\\. Set tokens per answer to \\d+ or less`),
      );
    });

    test('a pool that cannot take the weights fails the opening and leaves no tensor behind', async () => {
      const before = tf.memory().numTensors;
      const refused = open(CONFIG, {
        ...ENVIRONMENT,
        createPool: (generatorModel) => ({
          ...createLocalPool(generatorModel),
          setWeights: () => Promise.reject(new Error('no memory')),
        }),
      });
      await expect(refused).rejects.toThrow('no memory');
      expect(tf.memory().numTensors).toBe(before);
    });
  });
}
