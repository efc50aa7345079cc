/** Runs beside the plain one: LoRA, references that move, streaming and asynchronous schedules, several updates per batch. */
import { type LoadedModel, type Voice, adapterLength, widened } from '@rl-playground/engine/parts';
import { LOCAL_ENVIRONMENT, tf, startBackend, loraOf } from '@rl-playground/engine/parts/tensors';
import { beforeAll, describe, expect, test } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { provenBy } from '@rl-playground/base/testing/proofs';
import { relativeError } from '@rl-playground/engine/testing/accuracy';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { timeless } from '../metrics/metrics.ts';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { withBase } from '../checkpoint/baseModel.ts';
import { checkpointFiles } from '../checkpoint/checkpoint.ts';
import { chatAnswers, type ChatAnswers, type ChatQuestion, type Listening } from '../chat/chat.ts';
import { UNTRAINED_PROMPTS, untrainedAnswers } from '../chat/untrained.ts';
import { Session } from './session.ts';
import { freshStart } from './sessionStart.ts';
import { unzipped, zipBytes } from '@rl-playground/engine/testing/zips';
import { readZippedCheckpoint, writeCheckpoint } from '../testing/zips.ts';

let model: LoadedModel;
beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
  model = await tinyStarter(starterInNode());
});

/** An untrained model earns −1 everywhere; a moving baseline makes that a signal. */
const CONFIG: RunConfig = {
  ...defaultConfig('reverse_digits'),
  loss: 'reinforce',
  baseline: 'moving',
  learningRate: 3e-3,
  warmupSteps: 0,
  numSteps: 8,
  numGenerators: 1,
  problemsPerStep: 4,
  rolloutsPerProblem: 2,
  maxTokens: 12,
  microBatchTokens: 64,
  evalSamples: 4,
  seed: 12,
};
const LORA: RunConfig = { ...CONFIG, loraRank: 3, loraAlpha: 6, learningRate: 3e-2 };

const open = (config: RunConfig): Promise<Session> =>
  Session.open(config, freshStart(model), LOCAL_ENVIRONMENT);

async function steps(session: Session, count: number): Promise<Session> {
  for (let i = 0; i < count; i++) await session.trainStep({});
  return session;
}

async function outcome(session: Session) {
  const { model: trained, optimizer, adapter, metrics, trainerState } = await session.parts();
  session.dispose();
  return {
    weights: await widened(trained.weights),
    optimizer,
    adapter,
    trainerState,
    metrics: timeless(metrics),
  };
}

async function savedAndRead(session: Session): Promise<Session> {
  const parts = await readZippedCheckpoint(await writeCheckpoint(await session.parts()));
  session.dispose();
  return Session.open(parts.runConfig ?? CONFIG, parts, LOCAL_ENVIRONMENT);
}

const BOTH = [
  { voice: 'before', turns: [] },
  { voice: 'now', turns: [] },
] as const;
const question: ChatQuestion = {
  voices: BOTH,
  messages: [{ role: 'user', content: '1234' }],
  temperature: 0,
  maxTokens: 12,
};

const chat = (
  session: Session,
  asked: ChatQuestion,
  listening: Listening = {},
  untrained: LoadedModel | null = null,
): Promise<ChatAnswers> => session.converse(untrained, (whom) => chatAnswers(asked, whom, listening));

/** Asks, and returns the tokens of each voice by its name. */
async function said(session: Session, asked: ChatQuestion, untrained: LoadedModel | null = null) {
  const { answers, step } = await chat(session, asked, {}, untrained);
  const tokens = (of: Voice) =>
    answers.flatMap((answer) => ('tokens' in answer && answer.voice === of ? [answer.tokens] : []))[0];
  const kl = answers.flatMap((answer) => ('kl' in answer ? (answer.kl ?? []) : []))[0];
  return { before: tokens('before'), now: tokens('now'), kl, step };
}

describe.each([
  ['all weights', CONFIG],
  ['LoRA', LORA],
  ['LoRA beside a frozen base', { ...LORA, baseFormat: '16bit' as const }],
])('a question outside of the run, %s', (_, config) => {
  test('is answered by the model of the start and by that of now, and changes nothing', async () => {
    const undisturbed = await outcome(await steps(await open(config), 2));
    const session = await open(config);
    const first = await said(session, question);
    expect(first.now).toEqual(first.before);
    expect(first.kl).toBeCloseTo(0, 6);
    await steps(session, 1);
    const heard: Voice[] = [];
    await chat(session, question, { onText: (of) => heard.push(of) });
    // Small models write both at once.
    expect(heard.indexOf('now')).toBeLessThan(heard.lastIndexOf('before'));
    expect(heard.indexOf('before')).toBeLessThan(heard.lastIndexOf('now'));
    const second = await said(session, question);
    expect(second.before).toEqual(first.before);
    expect(second.kl).toBeGreaterThan(1e-5);
    expect(second.step).toBe(1);
    const { model: trained } = await session.parts();
    if (config === CONFIG) {
      const alone = await Session.open(CONFIG, freshStart(trained), LOCAL_ENVIRONMENT);
      expect((await said(alone, question)).before).toEqual(second.now);
      alone.dispose();
    }
    await steps(session, 1);
    // The weights of the step before answer as they did then, and prompts that no task trains on too.
    const version = session.metrics[0]?.policyVersion ?? NaN;
    const past = await chat(session, { ...question, voices: [{ voice: version, turns: [] }] });
    expect(past.answers).toMatchObject([{ voice: version, tokens: second.now }]);
    const { answers } = await session.converse(null, (whom) => untrainedAnswers(whom));
    expect(answers.map(({ prompt }) => prompt)).toEqual(UNTRAINED_PROMPTS);
    expect(Math.min(...answers.map(({ kl }) => kl))).toBeGreaterThan(0);
    expect(await outcome(session)).toEqual(undisturbed);
  });

  test('that has no room is not answered, with the numbers; nor by weights that are not kept', async () => {
    const session = await open(config);
    const long = await chat(session, { ...question, maxTokens: 100_000 });
    const problems = ({ answers }: ChatAnswers): string[] =>
      answers.map((answer) => ('problem' in answer ? answer.problem : ''));
    expect(problems(long)).toHaveLength(2);
    for (const problem of problems(long)) expect(problem).toMatch(/up to 100000.*positions/);
    const gone = await chat(session, { ...question, voices: [{ voice: 77, turns: [] }] });
    expect(problems(gone).join()).toContain('no longer kept');
    session.dispose();
  });
});

test('a question is put to the model before training where the reference is another by now', async () => {
  const drawn: ChatQuestion = { ...question, temperature: 1 };
  const begun = await Session.open(CONFIG, freshStart(model), LOCAL_ENVIRONMENT);
  const { before } = await said(begun, drawn);
  begun.dispose();
  // A rate that moves every answer, and a reference that follows it.
  const moving = { ...CONFIG, klReference: 'past', klReferenceEvery: 1, learningRate: 0.3 } as const;
  const session = await steps(await Session.open(moving, freshStart(model), LOCAL_ENVIRONMENT), 2);
  const followed = await said(session, drawn);
  expect(followed.before).not.toEqual(before);
  const again = await said(session, drawn, model);
  expect(again.before).toEqual(before);
  // KL is that from the model before training, which is further away than the reference that follows.
  expect(again.kl).toBeGreaterThan(followed.kl ?? Infinity);
  session.dispose();
});

describe('LoRA', () => {
  test('trains factors beside a base that stays, hands over their bytes alone, and samples as it trains', async () => {
    const tensors = tf.memory().numTensors;
    const session = await steps(await open(LORA), 3);
    const { adapter, model: merged } = await session.parts();
    const lora = loraOf(LORA);
    if (adapter === null || lora === null) throw new Error('The run has no adapter.');
    const weights = await widened(model.weights);
    expect(adapter.base).toEqual(weights);
    expect(
      relativeError(
        merged.weights.get('model.norm.weight')?.data ?? [],
        weights.get('model.norm.weight')?.data ?? [],
      ),
    ).toBe(0);
    const name = 'model.layers.0.self_attn.q_proj.weight';
    expect(merged.weights.get(name)?.data).not.toEqual(weights.get(name)?.data);
    for (const { handedOverBytes, klSampleTrainV2, kl } of session.metrics.slice(1)) {
      expect(handedOverBytes).toBe(4 * adapterLength(model.config, lora));
      // The generator merges, the trainer does not: the gap is the rounding of both.
      expect(klSampleTrainV2).toBeLessThan(1e-8);
      expect(kl).toBeGreaterThan(0);
    }
    session.dispose();
    expect(tf.memory().numTensors).toBe(tensors);
  });

  test('stopped, saved, read and resumed equals one never stopped, to the bit', async () => {
    const whole = await outcome(await steps(await open(LORA), 2));
    const resumed = await savedAndRead(await steps(await open(LORA), 1));
    expect(resumed.step).toBe(1);
    expect(await outcome(await steps(resumed, 1))).toEqual(whole);
  });

  test('after a warm-up KL is measured against what it made, or against the base where that is asked for', async () => {
    const warm: RunConfig = { ...LORA, warmStartSteps: 4, warmStartBatch: 4 };
    const kls = async (config: RunConfig): Promise<number> => {
      const session = await open(config);
      while (session.inSft) await session.sftStep();
      await steps(session, 1);
      const [metrics] = session.metrics;
      session.dispose();
      return metrics?.kl ?? NaN;
    };
    // The reference is merged, the policy is not: zero but for rounding.
    expect(Math.abs(await kls(warm))).toBeLessThan(1e-6);
    expect(await kls({ ...warm, klReference: 'base' })).toBeGreaterThan(1e-4);
  });
});

describe('LoRA on a frozen base', () => {
  const formats: readonly RunConfig['baseFormat'][] = ['f32', '16bit', 'q8', 'q4'];
  // f32 trains below, and q8 too, with a checkpoint.
  const few = ['16bit', 'q4'] as const;

  test.each(provenBy(formats, few))(
    '%s: samples as it trains, and hands over the adapter alone',
    async (baseFormat) => {
      const tensors = tf.memory().numTensors;
      const session = await steps(await open({ ...LORA, baseFormat }), 3);
      const lora = loraOf(LORA);
      for (const { handedOverBytes, klSampleTrainV2, kl } of session.metrics.slice(1)) {
        expect(handedOverBytes).toBe(lora && 4 * adapterLength(model.config, lora));
        expect(klSampleTrainV2).toBeLessThan(1e-8);
        expect(kl).toBeGreaterThan(0);
      }
      session.dispose();
      expect(tf.memory().numTensors).toBe(tensors);
    },
  );

  test('in 32 bit it trains as one in a pool does', async () => {
    const [frozen, pooled] = await Promise.all(
      (['f32', 'auto'] as const).map(async (baseFormat) =>
        outcome(await steps(await open({ ...LORA, baseFormat }), 3)),
      ),
    );
    for (const [name, { data }] of pooled?.adapter?.arrays ?? [])
      expect(relativeError(frozen?.adapter?.arrays.get(name)?.data ?? [], data)).toBeLessThan(1e-3);
  });

  test('its checkpoint holds the adapter, needs its model unless it brings that along, and resumes to the bit', async () => {
    const config: RunConfig = {
      ...LORA,
      baseFormat: 'q8',
      warmStartSteps: 2,
      warmStartBatch: 4,
      klReference: 'start',
    };
    const run = async (session: Session, count: number): Promise<Session> => {
      while (session.inSft) await session.sftStep();
      return steps(session, count);
    };
    const whole = await outcome(await run(await open(config), 2));
    const session = await run(await open(config), 1);
    const saved = await checkpointFiles(await session.parts());
    const zip = await zipBytes(saved);
    const full = await zipBytes(withBase(saved, model));
    session.dispose();
    const files = [...(await unzipped(zip)).keys()].filter((name) => name.endsWith('safetensors'));
    expect(files.sort()).toEqual([
      'adapter/adapter_model.safetensors',
      'optimizer.safetensors',
      'reference.safetensors',
    ]);
    const other = await tinyStarter(starterInNode(), 2);
    await expect(readZippedCheckpoint(zip, 'run.zip')).rejects.toThrow(
      /adapter for tiny.*Open that model first/,
    );
    await expect(readZippedCheckpoint(zip, 'run.zip', other)).rejects.toThrow(/whose weights are others/);
    for (const parts of [
      await readZippedCheckpoint(zip, 'run.zip', model),
      await readZippedCheckpoint(full, 'run.zip'),
    ]) {
      const resumed = await Session.open(parts.runConfig ?? CONFIG, parts, LOCAL_ENVIRONMENT);
      expect(resumed.step).toBe(1);
      expect(await outcome(await run(resumed, 1))).toEqual(whole);
    }
  });
});

describe('a reference that is a past step', () => {
  test('is the policy of that step: KL begins at 0 again after each renewal', async () => {
    const tensors = tf.memory().numTensors;
    const session = await steps(await open({ ...CONFIG, klReference: 'past', klReferenceEvery: 2 }), 5);
    const kls = session.metrics.map(({ kl }) => kl ?? NaN);
    expect([kls[0], kls[2], kls[4]]).toEqual([0, 0, 0]);
    expect(Math.min(kls[1] ?? NaN, kls[3] ?? NaN)).toBeGreaterThan(0);
    session.dispose();
    expect(tf.memory().numTensors).toBe(tensors);
  });

  test('is a share of the policy and the rest of what it was', async () => {
    const config: RunConfig = { ...CONFIG, klReference: 'past', klReferenceEvery: 1, klReferenceMixup: 0.25 };
    const session = await open(config);
    const policy = async () => widened((await session.parts()).model.weights);
    let expected = await policy();
    for (let step = 0; step < 2; step++) {
      await steps(session, 1);
      const now = await policy();
      const { reference } = await session.parts();
      for (const [name, { data }] of expected) {
        const mixed = data.map((value, i) => 0.75 * value + 0.25 * (now.get(name)?.data[i] ?? NaN));
        expect(relativeError(reference?.get(name)?.data ?? [], mixed)).toBeLessThan(1e-6);
      }
      expected = new Map(reference ?? []);
    }
    expect(session.metrics[1]?.kl).toBeGreaterThan(0);
    session.dispose();
  });

  test('goes with the checkpoint', async () => {
    const config: RunConfig = { ...CONFIG, klReference: 'past', klReferenceEvery: 2 };
    const whole = await outcome(await steps(await open(config), 4));
    expect(await outcome(await steps(await savedAndRead(await steps(await open(config), 3)), 1))).toEqual(
      whole,
    );
  });
});

describe('schedules', () => {
  test('streaming trains on the same answers as taking turns, in parts', async () => {
    const sync = await outcome(await steps(await open(CONFIG), 1));
    const stream = await outcome(
      await steps(await open({ ...CONFIG, schedule: 'stream', numMinibatches: 2 }), 1),
    );
    const { reward, completionTokens, loss } = sync.metrics[0] ?? {};
    expect(stream.metrics[0]).toMatchObject({ reward, completionTokens, updates: 1 });
    expect(stream.metrics[0]?.['loss']).toBeCloseTo(Number(loss), 5);
    for (const [name, { data }] of sync.weights)
      expect(relativeError(stream.weights.get(name)?.data ?? [], data)).toBeLessThan(1e-3);
  });

  test('side by side: whole batches, none too old, every problem of the stream in its turn', async () => {
    const config: RunConfig = {
      ...CONFIG,
      schedule: 'async',
      maxStepsOffPolicy: 2,
      loss: 'ppo',
      lossReduction: 'sum',
    };
    const session = await open(config);
    const seen: { index: number; attempt: number; age: number }[] = [];
    for (let step = 0; step < 6; step++) {
      const rollouts = await session.trainStep({});
      expect(rollouts).toHaveLength(8);
      seen.push(...rollouts.map(({ index, attempt, policyAge: age }) => ({ index, attempt, age })));
    }
    expect(Math.max(...seen.map(({ age }) => age))).toBeLessThanOrEqual(2);
    expect(Math.max(...seen.map(({ age }) => age))).toBeGreaterThan(0);
    const problems = new Set(seen.map(({ index }) => index));
    expect(problems.size).toBe(24);
    const { trainerState } = await session.parts();
    expect(trainerState?.position.next).toBeGreaterThanOrEqual(24);
    session.dispose();
  });

  test('a saved asynchronous run asks again what was under way, and loses no problem', async () => {
    const config: RunConfig = { ...CONFIG, schedule: 'async', maxStepsOffPolicy: 2 };
    const first = await open(config);
    const asked = (await first.trainStep({})).map(({ index }) => index);
    asked.push(...(await first.trainStep({})).map(({ index }) => index));
    const resumed = await savedAndRead(first);
    for (let step = 0; step < 3; step++)
      asked.push(...(await resumed.trainStep({})).map(({ index }) => index));
    resumed.dispose();
    const counts = new Map<number, number>();
    for (const index of asked) counts.set(index, (counts.get(index) ?? 0) + 1);
    expect([...counts.values()].every((count) => count === config.rolloutsPerProblem)).toBe(true);
    // 20 different problems, and none of the first 16 is missing.
    expect(counts.size).toBe(20);
    for (let index = 0; index < 16; index++) expect(counts.has(index)).toBe(true);
  });
});

describe('KL as shaping of advantages', () => {
  test('changes single tokens of an answer and sums to zero over the batch', async () => {
    const config: RunConfig = { ...CONFIG, klPenaltyCoef: 0.5, lossReduction: 'sum' };
    const session = await steps(await open(config), 1);
    // In the first step the policy is the reference: nothing to shape.
    const rollouts = await session.trainStep({});
    const baseline = session.metrics[1]?.baseline ?? NaN;
    const gains = rollouts.flatMap(({ advantages, reward }) =>
      advantages.map((advantage) => advantage - (reward.total - baseline)),
    );
    expect(Math.max(...gains.map(Math.abs))).toBeGreaterThan(1e-4);
    expect(Math.abs(gains.reduce((sum, gain) => sum + gain, 0))).toBeLessThan(1e-4);
    session.dispose();
  });
});
