/** Calls at a wrong time or with arguments of no sense at all: each is refused in words, and the engine is as it was. */
import { expect, test } from 'vitest';
import { createLocalPool } from '../rollout/localPool.ts';
import type { EngineOptions, OpenEngine } from './createEngine.ts';
import { engineBatch } from '../testing/engineBatch.ts';
import { tinyEngines } from '../testing/tinyEngine.ts';
import type { EngineState } from './state.ts';
import type { Engine } from './engine.ts';

const engines = tinyEngines();
const open = (settings: EngineOptions['settings'] = {}): Promise<OpenEngine> => engines.open({ settings });

const LORA = { loraRank: 2, loraAlpha: 4 };
const batch = engineBatch(1);
const request = { promptIds: [3, 4], samples: 2, seed: 0, step: 0, problem: 0 };

/** Calls with any values, as a page's console may make them. */
type Loose = Record<keyof Engine, (...values: unknown[]) => unknown>;
const loose = ({ engine }: OpenEngine): Loose => engine as unknown as Loose;

test.each<[call: keyof Engine, values: unknown[], words: string]>([
  ['forwardBackward', [undefined, 'ppo'], 'The sequences are undefined; pass a list'],
  ['forwardBackward', [batch[0], 'ppo'], 'The sequences are an object; pass a list'],
  ['forwardBackward', [[null], 'ppo'], 'Sequence 0 is null; an object with promptIds and tokens is needed.'],
  ['forwardBackward', [[{ promptIds: [1] }], 'ppo'], 'Sequence 0: tokens is undefined; a list of numbers'],
  ['forwardBackward', [[{ ...batch[0], advantages: 1 }], 'ppo'], 'Sequence 0: advantages is 1; a list'],
  ['forwardBackward', [[{ ...batch[0], tokens: 'text' }], 'ppo'], 'Sequence 0: tokens is "text"; a list'],
  ['forwardBackward', [batch], 'The loss is undefined; pass a name, an object with the name as loss, or a'],
  ['forwardBackward', [batch, 'ppo', { temprature: 2 }], 'There is no option "temprature"; there are:'],
  ['forwardBackward', [batch, 'ppo', null], 'The options are null; pass an object'],
  ['computeLogprobs', [batch, 'ref'], `of "ref"; pass 'policy' or 'reference'`],
  ['computeLogprobs', [batch, { temperature: 2 }], `of an object; pass 'policy' or 'reference', and options`],
  ['optimStep', [{ learningRate: 1e-3 }], 'The learning rate is an object'],
  ['optimStep', ['1e-3'], 'The learning rate is "1e-3"'],
  ['optimStep', [1e-3, { clipNorm: 1 }], 'There is no option "clipNorm"; there are: gradientScale.'],
  ['sample', [request, { maxTokens: 2 }], 'The requests are an object; pass a list'],
  ['sample', [[request]], 'The sampling settings are undefined; pass an object'],
  ['sample', [[request], { maxTokens: 2, top_p: 0.5 }], 'There is no sampling setting "top_p"; there are:'],
  ['sample', [[request], { maxTokens: 2, stop: 'x' }], 'stop is "x"; pass a list of texts'],
  [
    'sample',
    [[{ ...request, promptIds: 'text' }], { maxTokens: 2 }],
    'promptIds is "text"; a list of token ids',
  ],
])('%s of what it can not take, %#', async (call, values, words) => {
  const made = await open();
  await made.engine.forwardBackward(batch, 'ppo');
  const gradients = async (): Promise<Float32Array> =>
    (await made.engine.optimizer.gradients.tensor.data<'float32'>()).slice();
  const before = await gradients();
  await expect(loose(made)[call](...values)).rejects.toThrow(words);
  expect(await gradients()).toEqual(before);
  expect((await made.engine.optimStep(1e-3)).gradNorm).toBeGreaterThan(0);
});

test('an update without gradients is refused, and moves nothing', async () => {
  const { engine } = await open();
  const refused = () =>
    expect(engine.optimStep(1e-2)).rejects.toThrow('There are no gradients to update with');
  await refused();
  await engine.forwardBackward(batch, 'ppo');
  await engine.optimStep(1e-2);
  const state = await engine.saveState();
  await refused();
  await engine.forwardBackward(batch, 'ppo');
  engine.clearGradients();
  await refused();
  await engine.forwardBackward(batch, 'ppo');
  engine.loadState(state);
  await refused();
  expect(await engine.saveState()).toEqual(state);
});

test('calls that are not awaited go one after the other, as they were made', async () => {
  const awaited = await open();
  const first = await awaited.engine.forwardBackward(batch, 'ppo');
  const update = await awaited.engine.optimStep(1e-2);
  const second = await awaited.engine.computeLogprobs(batch);
  const version = await awaited.engine.saveWeightsForSampler();
  const state = await awaited.engine.saveState();

  const { engine } = await open();
  const calls = [
    engine.forwardBackward(batch, 'ppo'),
    engine.optimStep(1e-2),
    engine.computeLogprobs(batch),
    engine.saveWeightsForSampler(),
    engine.saveState(),
  ];
  expect(() => engine.loadState(state)).toThrow('loadState was called while forwardBackward was at work');
  expect(() => engine.clearGradients()).toThrow(
    'clearGradients was called while forwardBackward was at work',
  );
  expect(await Promise.all(calls)).toEqual([first, update, second, version, state]);
  engine.loadState(state);
});

test('a call that fails holds up none behind it', async () => {
  const { engine } = await open();
  const wrong = engine.forwardBackward([], 'pg' as 'ppo', { temperature: -1 });
  const right = engine.computeLogprobs(batch);
  await expect(wrong).rejects.toThrow('it must be a number above 0');
  expect((await right).logprobs).toHaveLength(batch.length);
});

test('weights handed over while answers are sampled are those of the next answers', async () => {
  const { engine } = await open();
  const asked = () => engine.sample([request], { maxTokens: 20 });
  const before = await asked();
  const under = asked();
  await engine.forwardBackward(batch, 'ppo');
  await engine.optimStep(0.1);
  const version = engine.saveWeightsForSampler();
  const state = engine.saveState();
  const [group] = await under;
  expect(group?.policyVersion).toBe(0);
  expect(group?.completions).toEqual(before[0]?.completions);
  expect(await version).toBe(1);
  expect((await state).version).toBe(1);
  expect((await asked())[0]?.policyVersion).toBe(1);
});

test('after its end an engine says so, to calls under way as to later ones', async () => {
  const made = await open();
  const { engine } = made;
  const state = await engine.saveState();
  const under = [
    engine.forwardBackward(batch, 'ppo'),
    engine.optimStep(1e-3),
    engine.sample([request], { maxTokens: 30 }),
  ].map((call) => expect(call).rejects.toThrow('disposed of'));
  made.dispose();
  await Promise.all(under);
  const later: (() => Promise<unknown>)[] = [
    () => engine.sample([request], { maxTokens: 2 }),
    () => engine.computeLogprobs(batch),
    () => engine.forwardBackward(batch, 'ppo'),
    () => engine.optimStep(1e-3),
    () => engine.saveWeightsForSampler(),
    () => engine.saveState(),
    () => made.trainedModel(),
  ];
  for (const call of later)
    await expect(call()).rejects.toThrow('was called, but the engine is disposed of; open another');
  expect(() => engine.loadState(state)).toThrow('loadState was called, but the engine is disposed of');
  expect(() => engine.clearGradients()).toThrow('the engine is disposed of');
  made.dispose();
});

test('a call to generators that never answer ends with the engine', async () => {
  const made = await engines.open({
    createPool: (model) => {
      const pool = createLocalPool(model);
      return { ...pool, generate: () => new Promise(() => undefined) };
    },
  });
  const under = made.engine.sample([request], { maxTokens: 2 });
  made.dispose();
  await expect(under).rejects.toThrow('The engine was disposed of before sample had ended');
});

const withMoment = (state: EngineState, m: Float32Array): EngineState => {
  const [[name, moments] = ['', { m, v: m }]] = state.optimizer.moments;
  return {
    ...state,
    optimizer: {
      ...state.optimizer,
      moments: new Map([...state.optimizer.moments, [name, { ...moments, m }]]),
    },
  };
};

test.each<[what: string, change: (state: EngineState) => unknown, words: string]>([
  ['nothing', () => undefined, 'The state is undefined.'],
  ['an empty object', () => ({}), 'The state is of no engine; this engine has no LoRA'],
  ['weights of another number', (state) => ({ ...state, trained: state.trained.slice(1) }), 'trained is '],
  ['weights that are none', (state) => ({ ...state, trained: state.trained.map(() => NaN) }), 'is NaN at 0'],
  ['no optimizer', (state) => ({ ...state, optimizer: undefined }), 'no optimizer with a step and moments'],
  [
    'no moments',
    (state) => ({ ...state, optimizer: { step: 1, moments: new Map() } }),
    'moment m of model.embed_tokens.weight is undefined',
  ],
  [
    'a moment too short',
    (state) => withMoment(state, new Float32Array(3)),
    'is 3 numbers; a Float32Array of',
  ],
  ['half a version', (state) => ({ ...state, version: 0.5 }), "The state's version is 0.5"],
])('a state with %s is refused, and the engine goes on as it was', async (_, change, words) => {
  const made = await open();
  await made.engine.forwardBackward(batch, 'ppo');
  await made.engine.optimStep(1e-2);
  const state = await made.engine.saveState();
  expect(() => loose(made).loadState(change(state))).toThrow(words);
  expect(await made.engine.saveState()).toEqual(state);
});

test.each<[of: EngineOptions['settings'], into: EngineOptions['settings']]>([
  [LORA, {}],
  [{}, LORA],
  [LORA, { ...LORA, loraRank: 3 }],
  [LORA, { ...LORA, loraAlpha: 5 }],
  [
    { ...LORA, loraTargets: ['q_proj'] },
    { ...LORA, loraTargets: ['o_proj'] },
  ],
])('a state of %j is none of %j', async (of, into) => {
  const state = await (await open(of)).engine.saveState();
  const { engine } = await open(into);
  const before = await engine.saveState();
  expect(() => engine.loadState(state)).toThrow(
    /^The state is of .*; this engine has .*\. Load what saveState/,
  );
  expect(await engine.saveState()).toEqual(before);
});
