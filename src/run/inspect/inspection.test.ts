/** The answers about a model, held against Hugging Face's libraries; and rows that can't be answered. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBackendInNode } from '@rl-playground/engine/parts/startInNode';
import { filesInFolder } from '@rl-playground/engine/parts/node';
import { filesInMemory } from '@rl-playground/engine/parts';
import { worstDifference } from '@rl-playground/engine/testing/accuracy';
import { parseExpectedTensors } from '@rl-playground/engine/testing/expectedTensors';
import { expectedFolders, expectedModel, readJson } from '@rl-playground/engine/testing/huggingFaceFolders';
import { tinyModelFolder } from '@rl-playground/engine/testing/modelFolder';
import { describeShared } from '@rl-playground/base/testing/shared';
import { Inspection } from './inspection.ts';

const TOLERANCE = 1e-4;

beforeAll(async () => {
  await startBackendInNode();
});

async function asked(inspection: Inspection, row: object): Promise<Record<string, unknown>> {
  return JSON.parse(await inspection.answer(JSON.stringify(row))) as Record<string, unknown>;
}

async function withModel(
  folder: string,
  adapter: string | null,
  body: (inspection: Inspection) => Promise<void>,
): Promise<void> {
  const files = { model: filesInFolder(folder), adapter: adapter === null ? null : filesInFolder(adapter) };
  const inspection = await Inspection.open(files, 'auto');
  await body(inspection);
  inspection.dispose();
}

/** Compares the answers to one op with what a folder's expected.safetensors has for the sequences of `model`. */
async function compare(inspection: Inspection, model: string, answers: string): Promise<void> {
  const tensors = (folder: string) =>
    parseExpectedTensors(readFileSync(join(folder, 'expected.safetensors')));
  const expected = tensors(answers);
  for (const i of [0, 1, 2]) {
    const ids = [...(tensors(model).get(`seq${i}/input_ids`)?.values ?? [])];
    const logits = expected.get(`seq${i}/logits`);
    if (logits) {
      const answer = (await asked(inspection, { op: 'logits', ids })) as { logits: number[][] };
      expect([answer.logits.length, answer.logits[0]?.length]).toEqual(logits.shape);
      expect(worstDifference(answer.logits.flat(), logits.values)).toBeLessThan(TOLERANCE);
    }
    for (const temperature of [1, 0.7]) {
      const logprobs = expected.get(`seq${i}/logprobs_t${temperature}`);
      if (!logprobs) continue;
      const answer = await asked(inspection, { op: 'logprobs', ids, temperature });
      const found = answer as { logprobs: number[]; entropy: number[] };
      expect(worstDifference(found.logprobs, logprobs.values)).toBeLessThan(TOLERANCE);
      const entropy = expected.get(`seq${i}/entropy_t${temperature}`);
      if (entropy) expect(worstDifference(found.entropy, entropy.values)).toBeLessThan(TOLERANCE);
    }
  }
}

describeShared('models of the Hub', 'refdata/hf', (root) => {
  describe.each(root === '' ? [] : expectedFolders(root))('$name', ({ path }) => {
    const { greedy, stop_token_ids: stopTokenIds } = expectedModel(path);

    it('computes what it should, and goes on as it should', () =>
      withModel(path, null, async (inspection) => {
        await compare(inspection, path, path);
        for (const { prompt, completion } of greedy)
          expect(await asked(inspection, { op: 'greedy', ids: prompt, max: 24 })).toEqual({
            ids: completion,
          });
        expect(await asked(inspection, { op: 'info' })).toMatchObject({ stopTokenIds });
      }));

    const adapters = join(path, 'adapters');
    it.each(existsSync(adapters) ? readdirSync(adapters) : [])('with the adapter %s', async (name) => {
      const adapter = join(adapters, name);
      const { supported: plain } = readJson(join(adapter, 'expected.json')) as { supported: boolean };
      const opening = withModel(path, adapter, (inspection) => compare(inspection, path, adapter));
      if (plain) await opening;
      else await expect(opening).rejects.toThrow(/is no plain LoRA adapter \(/);
    });
  });
});

describe('rows of a small model', () => {
  let inspection: Inspection;
  beforeAll(async () => {
    const files = { model: filesInMemory('tiny', tinyModelFolder()), adapter: null };
    inspection = await Inspection.open(files, 'auto');
  });
  afterAll(() => inspection.dispose());

  it('are answered whatever came before', async () => {
    const [first] = [(await asked(inspection, { op: 'greedy', ids: [3, 4], max: 300 }))['ids']];
    const found = first as number[];
    // One at a time, over the border at which caches are made anew.
    for (const at of [1, 255, 256, 299].filter((each) => each < found.length)) {
      const next = await asked(inspection, { op: 'greedy', ids: [3, 4, ...found.slice(0, at)], max: 1 });
      expect(next).toEqual({ ids: [found[at]] });
    }
    expect(await asked(inspection, { op: 'greedy', ids: [3], max: 0 })).toEqual({ ids: [] });
    expect(await asked(inspection, { op: 'logprobs', ids: [3], temperature: 1 })).toEqual({
      logprobs: [],
      entropy: [],
    });
  });

  it('agree with each other', async () => {
    const ids = [3, 9, 14, 1, 5];
    const { logits } = (await asked(inspection, { op: 'logits', ids })) as { logits: number[][] };
    const temperature = 0.6;
    const { logprobs, entropy } = (await asked(inspection, { op: 'logprobs', ids, temperature })) as {
      logprobs: number[];
      entropy: number[];
    };
    logprobs.forEach((value, t) => {
      const scaled = (logits[t] ?? []).map((logit) => logit / temperature);
      const total = Math.log(scaled.reduce((sum, logit) => sum + Math.exp(logit), 0));
      expect(value).toBeCloseTo((scaled[ids[t + 1] ?? 0] ?? NaN) - total, 5);
      const expected = -scaled.reduce((sum, logit) => sum + Math.exp(logit - total) * (logit - total), 0);
      expect(entropy[t]).toBeCloseTo(expected, 5);
    });
  });

  it.each<[string, RegExp]>([
    ['not json', /This line is no JSON/],
    ['', /This line is no JSON/],
    ['[]', /JSON object with the field "op"/],
    ['{}', /with the field "op"/],
    ['{"op":"toString"}', /There is no op "toString"; the ops are encode, decode/],
    ['{"op":"encode"}', /text must be a text/],
    ['{"op":"decode","ids":"12"}', /ids must be a list of token ids/],
    ['{"op":"decode","ids":[99]}', /There is no token 99: .* 0 to 19/],
    ['{"op":"chat","messages":{}}', /messages must be a list/],
    ['{"op":"chat","messages":[1]}', /messages\[0\]: /],
    ['{"op":"chat","messages":[],"add_generation_prompt":1}', /add_generation_prompt must be true or false/],
    ['{"op":"template","template":1,"variables":{}}', /template must be a text/],
    ['{"op":"template","template":"","variables":[]}', /variables must be an object/],
    ['{"op":"logits","ids":[]}', /at least one token id/],
    ['{"op":"logits","ids":[20]}', /There is no token 20/],
    ['{"op":"logits","ids":[1.5]}', /ids\[0\]: /],
    ['{"op":"logprobs","ids":[-1],"temperature":1}', /ids\[0\]: /],
    ['{"op":"logprobs","ids":[1,2],"temperature":0}', /temperature must be a number above 0/],
    ['{"op":"greedy","ids":[1]}', /max must be a whole number/],
    ['{"op":"greedy","ids":[1],"max":-1}', /max must be a whole number of at least 0/],
  ])('that can’t be answered say why: %s', async (line, reason) => {
    const { error, ...rest } = JSON.parse(await inspection.answer(line)) as Record<string, unknown>;
    expect([error, rest]).toEqual([expect.stringMatching(reason), {}]);
  });
});

it('a tokenizer alone knows texts, and says what it lacks', async () => {
  const folder = tinyModelFolder();
  const text = new Map([...folder].filter(([name]) => name.startsWith('tokenizer')));
  const open = (files: Map<string, Uint8Array>) =>
    Inspection.open({ model: filesInMemory('tiny', files), adapter: null }, 'auto');
  const inspection = await open(text);
  expect(await asked(inspection, { op: 'encode', text: '40=' })).toEqual({ ids: [7, 3, 14] });
  expect(await asked(inspection, { op: 'decode', ids: [0, 7, 99] })).toEqual({ text: '4' });
  const messages = [{ role: 'user', content: '1' }];
  expect(await asked(inspection, { op: 'chat', messages })).toEqual({ text: '<bos>1\n', ids: [0, 4, 15] });
  const template = { template: '{{ x }} {{ y }} {{ z }}', variables: { y: 2, z: ['é'] } };
  const line = JSON.stringify({ op: 'template', ...template }).replace('{"y"', '{"x":1.0,"y"');
  expect(JSON.parse(await inspection.answer(line))).toEqual({ text: "1.0 2 ['é']" });
  const wrong = { ...template, template: '{{ nothing.x }}' };
  expect(await asked(inspection, { op: 'template', ...wrong })).toEqual({
    error: "'nothing' is undefined",
  });
  const alone = { error: expect.stringContaining('a tokenizer alone') as unknown };
  expect(await asked(inspection, { op: 'logits', ids: [1] })).toEqual(alone);
  expect(await asked(inspection, { op: 'info' })).toEqual(alone);
  inspection.dispose();

  const weights = new Map([...folder].filter(([name]) => !name.startsWith('tokenizer')));
  const bare = await open(weights);
  expect(await asked(bare, { op: 'encode', text: '1' })).toEqual({
    error: expect.stringContaining('no tokenizer.json') as unknown,
  });
  expect(await asked(bare, { op: 'info' })).toMatchObject({ vocabSize: 20, stopTokenIds: [1, 15] });
  bare.dispose();

  await expect(open(new Map())).rejects.toThrow('neither config.json nor tokenizer.json');
  const adapter = filesInMemory('adapter', new Map());
  const opening = Inspection.open({ model: filesInMemory('tiny', text), adapter }, 'auto');
  await expect(opening).rejects.toThrow('tiny is a tokenizer alone, and an adapter needs its base model');
});
