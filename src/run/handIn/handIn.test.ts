import { beforeAll, describe, expect, it } from 'vitest';
import { startBackend, LOCAL_ENVIRONMENT } from '@rl-playground/engine/parts/tensors';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { computationOf } from '../environment/computation.ts';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import {
  differenceTells,
  firstDifference,
  readHandIn,
  unconfirmed,
  writeHandIn,
  type RunLeft,
} from './handIn.ts';
import { checkHandIn } from './check.ts';
import { refutedByTexts } from './handInTexts.ts';
import { Session } from '../session/session.ts';
import { freshStart } from '../session/sessionStart.ts';

const CONFIG: RunConfig = {
  ...defaultConfig('reverse_digits'),
  numSteps: 3,
  problemsPerStep: 2,
  rolloutsPerProblem: 2,
  numGenerators: 1,
  maxTokens: 12,
  evalSamples: 4,
};

const open = async (config: RunConfig): Promise<Session> =>
  Session.open(config, freshStart(await tinyStarter(starterInNode())), LOCAL_ENVIRONMENT);

/** A run of the tiny model, whole or stopped after some steps. */
async function runOf(config: RunConfig, steps = config.numSteps): Promise<RunLeft> {
  const session = await open(config);
  try {
    await session.evaluate({});
    for (let i = 0; i < steps; i++) await session.trainStep({});
    await session.evaluate({});
    const { metrics, evaluations } = session;
    return { config, customTasks: [], metrics: [...metrics], evaluations: [...evaluations] };
  } finally {
    session.dispose();
  }
}

describe('a hand-in', () => {
  let run: RunLeft;
  let text: string;
  beforeAll(async () => {
    await startBackend('wasm', { wasmPath: wasmPathInNode });
    run = await runOf(CONFIG);
    text = writeHandIn('Ada', computationOf(''), run);
  });

  it('is what the run is when it is made again, by another number of generators too', async () => {
    const handIn = readHandIn(text);
    expect(handIn.learner).toBe('Ada');
    expect(handIn.settings).toEqual(CONFIG);
    const again = await runOf({ ...handIn.settings, numGenerators: 2 });
    expect(firstDifference(handIn, again)).toBeNull();
    expect(unconfirmed(handIn, again)).toBeNull();
    expect(differenceTells(handIn, computationOf(''))).toBe(true);
  });

  describe('that is checked', () => {
    const check = async (file: string, signal = new AbortController().signal) => {
      const agreed: number[] = [];
      const verdict = await checkHandIn(readHandIn(file), {
        open,
        computation: () => computationOf(''),
        onStep: (steps) => agreed.push(steps),
        betweenSteps: () => Promise.resolve(),
        signal,
      });
      return { verdict, agreed };
    };

    it('is verified where it is what it says, stopped early or not', async () => {
      const { verdict, agreed } = await check(text);
      expect(verdict).toEqual({ kind: 'same' });
      expect(agreed).toEqual(expect.arrayContaining([1, 2, 3]));
      const stopped = writeHandIn('Ada', computationOf(''), await runOf(CONFIG, 2));
      expect(await check(stopped)).toMatchObject({ verdict: { kind: 'same' } });
    });

    it('is refuted by the first step that differs, and no further one is made', async () => {
      const file = JSON.parse(text) as { metrics: { reward: number }[] };
      Object.assign(file.metrics[1] ?? {}, { reward: 7 });
      const { verdict, agreed } = await check(JSON.stringify(file));
      expect(verdict).toMatchObject({ kind: 'different', difference: { place: 'Step 2', claimed: '7' } });
      expect(Math.max(...agreed)).toBe(1);
      const elsewhere = JSON.stringify({ ...file, computation: 'webgpu, some adapter' });
      expect((await check(elsewhere)).verdict).toMatchObject({ kind: 'undecided' });
    });

    it('is refuted by its own answers before a step is made', async () => {
      const file = JSON.parse(text) as { evaluations: { accuracy: number }[] };
      Object.assign(file.evaluations.at(-1) ?? {}, { accuracy: 0.99 });
      expect(await check(JSON.stringify(file))).toMatchObject({ verdict: { kind: 'refuted' }, agreed: [] });
    });

    it('has no verdict where the check is broken off', async () => {
      expect((await check(text, AbortSignal.abort())).verdict).toBeNull();
    });
  });

  it('that was changed differs where it was changed', () => {
    const changed = (change: (file: ReturnType<typeof readHandIn>) => void) => {
      const file = structuredClone(readHandIn(text));
      change(file);
      return firstDifference(file, run);
    };
    const reward = run.metrics[1]?.reward ?? NaN;
    expect(
      changed(({ metrics }) => {
        Object.assign(metrics[1] ?? {}, { reward: reward + 1e-12 });
      }),
    ).toEqual({
      place: 'Step 2',
      key: 'reward',
      claimed: String(reward + 1e-12),
      found: String(reward),
    });
    expect(
      changed(({ evaluations }) => {
        Object.assign(evaluations[1] ?? {}, { accuracy: 0.99 });
      }),
    ).toMatchObject({ place: 'The evaluation after step 3', key: 'accuracy', claimed: '0.99' });
  });

  it('may explain its rewards in other words, but not pay others', () => {
    const last = run.evaluations.at(-1);
    const [sample] = last?.samples ?? [];
    const { reason, total } = sample?.reward ?? { reason: '', total: NaN };
    const file = (was: string, is: string) => readHandIn(text.split(was).join(is));
    const reworded = file(`"reason":${JSON.stringify(reason)}`, '"reason":"as another version says it"');
    expect(JSON.stringify(reworded.evaluations)).toContain('as another version says it');
    expect(firstDifference(reworded, run)).toBeNull();
    expect(firstDifference(file(`"total":${total},`, `"total":${total + 1},`), run)).toMatchObject({
      key: 'samples',
    });
  });

  it('may hold figures too deep to be written, which differ from what was found', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    const reward = `"reward":${run.metrics[1]?.reward ?? NaN},`;
    const file = readHandIn(text.split(reward).join(`"reward":${deep},`));
    expect(firstDifference(file, run)).toMatchObject({
      key: 'reward',
      claimed: 'a value too deep to be shown',
    });
  });

  it('can’t claim an evaluation that nobody makes again', () => {
    const forged = (change: (evaluations: Record<string, unknown>[]) => void): string => {
      const file = JSON.parse(text) as { evaluations: Record<string, unknown>[] };
      change(file.evaluations);
      return JSON.stringify(file);
    };
    const claim = (step: number) => (all: Record<string, unknown>[]) => all.push({ step, accuracy: 1 });
    expect(() => readHandIn(forged(claim(99)))).toThrow(/an evaluation after step 99, where .* makes none/);
    expect(() => readHandIn(forged(([, last]) => Object.assign(last ?? {}, { step: 3.5 })))).toThrow(
      /an evaluation after step 3.5/,
    );
    expect(() => readHandIn(forged(claim(3)))).toThrow(/after step 3 follows one after step 3/);
    // Between the first and the last there is none under these settings.
    expect(() => readHandIn(forged((all) => all.splice(1, 0, { step: 2, accuracy: 1 })))).toThrow(/step 2/);
    expect(() =>
      readHandIn(JSON.stringify({ ...JSON.parse(text), settings: { ...CONFIG, numSteps: 2 } })),
    ).toThrow(/3 steps, but its settings end a run after 2/);
  });

  describe('by its own answers, on any machine,', () => {
    type Sample = Record<string, unknown> & { readonly greedy: Record<string, unknown> };
    type Evaluation = Record<string, unknown> & { readonly samples: Sample[] };
    /** Checks the file after a change of its last evaluation. */
    const refuted = (change: (last: Evaluation) => void) => {
      const file = JSON.parse(text) as { evaluations: Evaluation[] };
      const last = file.evaluations.at(-1);
      if (last) change(last);
      return refutedByTexts(readHandIn(JSON.stringify(file)));
    };

    it('is borne out where nobody changed it', async () => {
      expect(await refuted(() => undefined)).toBeNull();
    });

    it('is refuted where a share, a verdict, a text or a problem is another', async () => {
      const accuracy = run.evaluations.at(-1)?.accuracy ?? NaN;
      expect(await refuted((last) => Object.assign(last, { accuracy: 0.99 }))).toEqual({
        place: 'The evaluation after step 3',
        key: 'accuracy',
        claimed: '0.99',
        found: String(accuracy),
      });
      expect(
        await refuted((last) => Object.assign(last, { greedy: { accuracy: 0.99, format: 1 } })),
      ).toMatchObject({ key: 'greedy accuracy' });
      // An answer that a generator lost is left out, and the likeliest of its problem is still counted.
      expect(
        await refuted((last) => {
          const wrong = last.samples.findIndex(({ correct }) => correct === false);
          last.samples.splice(wrong, 1);
          const right = (key: string): number =>
            last.samples.filter((sample) => sample[key] === true).length / last.samples.length;
          Object.assign(last, { accuracy: right('correct'), format: right('format') });
          Object.assign(last, { greedy: { accuracy: 0.25, format: 0.25 } });
        }),
      ).toBeNull();
      // Its shares go with the verdicts, and its verdicts not with the texts.
      const allRight = (last: Evaluation): void => {
        for (const sample of last.samples) Object.assign(sample, { correct: true });
        Object.assign(last, { accuracy: 1 });
      };
      expect(await refuted(allRight)).toEqual({
        place: 'The evaluation after step 3',
        key: 'answer 1',
        claimed: 'right',
        found: 'wrong',
      });
      // Texts that nobody can tell from the model's own are left to the run that is made again.
      const written = (last: Evaluation): void => {
        allRight(last);
        for (const sample of last.samples)
          Object.assign(sample, { text: `[ANSWER] ${String(sample['answer'])}` });
      };
      expect(await refuted(written)).toBeNull();
      expect(
        await refuted((last) => {
          written(last);
          Object.assign(last.samples[2] ?? {}, { answer: '1', text: '[ANSWER] 1' });
        }),
      ).toMatchObject({ key: 'problem 3', claimed: '1' });
      expect(await refuted((last) => Object.assign(last, { samples: [] }))).toMatchObject({
        key: 'samples',
      });
    });
  });

  it('is not confirmed while an evaluation that it claims was not made again', () => {
    const [first] = run.evaluations;
    const again = { ...run, evaluations: first ? [first] : [] };
    expect(firstDifference(readHandIn(text), again)).toBeNull();
    expect(unconfirmed(readHandIn(text), again)).toMatchObject({
      place: 'The evaluation after step 3',
      found: 'nothing',
    });
  });

  it('leaves out what the user evaluated besides, and the draws that only a press of Evaluate makes', () => {
    const [first, last] = run.evaluations;
    if (!first || !last) throw new Error('There are two evaluations.');
    const config = { ...CONFIG, evalEvery: 2 };
    const evaluations = [{ ...last, step: -2 }, first, { ...last, step: 1 }, { ...last, step: 2 }, last];
    const handIn = readHandIn(writeHandIn('Ada', 'x', { ...run, config, evaluations }));
    expect(handIn.evaluations.map(({ step }) => step)).toEqual([0, 2, 3]);
    expect(handIn.evaluations.map((each) => 'passAtK' in each)).toEqual([true, false, true]);
    expect(JSON.stringify(handIn.evaluations[1])).not.toContain('correctDraws');
  });

  it('that claims other settings differs from its first step on', async () => {
    const forged = JSON.stringify({ ...JSON.parse(text), settings: { ...CONFIG, seed: 5 } });
    const handIn = readHandIn(forged);
    expect(firstDifference(handIn, await runOf(handIn.settings))?.place).toBe('Step 1');
  });

  it('says nothing of a machine that rounds otherwise', () => {
    const handIn = readHandIn(text);
    expect(differenceTells(handIn, 'webgpu, some adapter')).toBe(false);
    const onGpu = readHandIn(JSON.stringify({ ...JSON.parse(text), computation: 'webgpu, some adapter' }));
    expect(differenceTells(onGpu, 'webgpu, some adapter')).toBe(false);
  });

  it.each([
    ['{', /not JSON/],
    ['{}', /not a hand-in \(kind/],
    [JSON.stringify({ kind: 'rl-playground own tasks', version: 1 }), /not a hand-in \(kind/],
  ])('refuses %s', (wrong, message) => {
    expect(() => readHandIn(wrong)).toThrow(message);
  });

  it('refuses settings that it does not know, and a file without a step', () => {
    const file = JSON.parse(text) as Record<string, unknown>;
    for (const other of [5, 999])
      expect(() => readHandIn(JSON.stringify({ ...file, settingsVersion: other }))).toThrow(
        RegExp(`version ${other}, .*Open it on a page of its own version`),
      );
    expect(() => readHandIn(JSON.stringify({ ...file, settings: { ...CONFIG, numSteps: -1 } }))).toThrow(
      /can’t be used: numSteps: -1/,
    );
    expect(() => readHandIn(JSON.stringify({ ...file, metrics: [] }))).toThrow(/no step/);
  });
});
