import { describe, expect, it } from 'vitest';
import {
  FIELDS,
  textOfValue,
  defaultConfig,
  FIELD_KEYS,
  type RunConfig,
  PRESET_NAMES,
} from '@rl-playground/run/settings';
import primeRl from '../primeRl/fields.json';
import { primeRlFixed } from '../primeRl/primeRlFiles.ts';
import { PRIME_RL_ROWS } from '../primeRl/rows.ts';
import { HANDOFF_SYSTEMS, SYSTEM_NOTES, type HandoffSystem } from '../systems.ts';
import trl from '../trl/fields.json';
import { TRL_ROWS } from '../trl/rows.ts';
import { TRL_FIXED, trainFacts } from '../trl/trlFiles.ts';
import verl from '../verl/fields.json';
import { VERL_ROWS } from '../verl/rows.ts';
import { verlFixed } from '../verl/verlFiles.ts';
import { fateOf, fatesOf, fieldsOf, handoffRun, type Fields, type HandoffRun, type Table } from './fate.ts';

const SYSTEMS: Readonly<
  Record<
    HandoffSystem,
    {
      readonly rows: Table;
      readonly fixed: (run: HandoffRun) => Fields;
      readonly record: { readonly version: string; readonly fields: readonly string[] };
    }
  >
> = {
  trl: { rows: TRL_ROWS, fixed: () => TRL_FIXED, record: trl },
  verl: { rows: VERL_ROWS, fixed: verlFixed, record: verl },
  'prime-rl': { rows: PRIME_RL_ROWS, fixed: primeRlFixed, record: primeRl },
};

/** Fields that take whatever they are given. */
const OPEN_FIELDS = ['trainer.loss.kwargs.', 'orchestrator.train.sampling.extra_body.'];

const runOf = (config: RunConfig): HandoffRun =>
  handoffRun(config, {
    step: 2,
    promptTokens: 40,
    model: 'model',
    adapter: null,
    rows: 8,
    heldOut: 4,
    packages: [],
  });

const base = defaultConfig('reverse_digits');
/** Settings of runs among which each setting has some effect, somewhere. */
const BASES: readonly RunConfig[] = [
  base,
  ...PRESET_NAMES.map((preset) => ({ ...defaultConfig('reverse_digits', preset), rolloutsPerProblem: 4 })),
  { ...base, loraRank: 4, klBeta: 0.1, klReference: 'past', lossReduction: 'sum' },
  { ...base, loss: 'cispo', clipHigh: 5, ppoEpochs: 2, miniBatchSize: 32, warmupSteps: 9 },
  { ...base, loss: 'sapo', oldLogprobs: 'trainer', importanceCap: 2, importanceFloor: 0.5 },
  { ...base, loss: 'vespo', lrSchedule: 'cosine', schedule: 'async', thinking: 'on' },
  { ...base, loss: 'dro', lossReduction: 'sum', klPenaltyCoef: 0.1, schedule: 'stream' },
  { ...base, loss: 'ppo', baseline: 'value', lossReduction: 'sum', numSubsteps: 4, warmStartSteps: 5 },
  { ...base, baseline: 'leave_one_out', advantageScale: 'group', ratioLevel: 'sequence', weightDecay: 0.1 },
];

/** The config with another value of one setting; none for those that are text or structures. */
function changed(config: RunConfig, key: keyof RunConfig): RunConfig[] {
  const field = FIELDS.find((each) => each.key === key);
  if (field === undefined) return [];
  const value = config[key];
  switch (field.type) {
    case 'boolean':
      return [{ ...config, [key]: value !== true }];
    case 'choice':
      return field.choices
        .filter((each) => each.value !== value)
        .map((each) => ({ ...config, [key]: each.value }));
    case 'number': {
      const next = [Number(value) * 2, Number(value) + 1, Number(value) / 2].find(
        (each) =>
          each !== value &&
          each >= field.min &&
          each <= field.max &&
          (field.step !== 1 || Number.isInteger(each)),
      );
      return next === undefined ? [] : [{ ...config, [key]: next }];
    }
    case 'text':
    case 'structure':
      return [];
  }
}

/** The same words under either value, or said in another file than the configuration. */
const SAID_ELSEWHERE: Readonly<Record<string, string>> = {
  renderer: 'a chat template either way: role_colon is refused',
  loraRank: 'the adapter is in files of its own',
  loraAlpha: 'the adapter is in files of its own',
  klReference: 'the reference is in a file of its own',
  lossReduction: 'two reductions are one where a batch makes one update',
  loss: 'losses that differ in their reduction alone are one there',
  clipMeaning: 'nothing is clipped',
  clipLow: 'nothing is clipped',
  clipHigh: 'nothing is clipped',
};

describe.each(HANDOFF_SYSTEMS)('what %s is told', (system) => {
  const { rows, fixed, record } = SYSTEMS[system];
  const configOf = (config: RunConfig): Fields =>
    fieldsOf(fatesOf(rows, runOf(config)), fixed(runOf(config)));

  it('has a row for every setting there is, and no other', () => {
    expect(Object.keys(rows).toSorted()).toEqual([...FIELD_KEYS].toSorted());
  });

  it('is made of fields that the recorded version has', () => {
    const known = new Set(record.fields);
    const unknown = BASES.flatMap((config) =>
      Object.keys(configOf(config)).filter(
        (name) => !known.has(name) && !OPEN_FIELDS.some((open) => name.startsWith(open)),
      ),
    );
    expect([...new Set(unknown)]).toEqual([]);
    expect(SYSTEM_NOTES[system].version).toContain(record.version.split(',')[0]);
  });

  it('says why of all that is lost or means something else', () => {
    const silent = BASES.flatMap((config) =>
      fatesOf(rows, runOf(config)).filter(
        ([, { kind, why }]) => (why === '') !== (kind === 'same' || kind === 'idle'),
      ),
    );
    expect(silent).toEqual([]);
  });

  it('differs wherever a setting that is carried as it is differs', () => {
    const told = (config: RunConfig): string =>
      JSON.stringify([configOf(config), system === 'trl' && trainFacts(runOf(config), null)]);
    const lost = new Set<string>();
    let compared = 0;
    for (const config of BASES)
      for (const key of FIELD_KEYS)
        for (const other of changed(config, key)) {
          const kinds = [config, other].map((each) => fateOf(rows, key, runOf(each)).kind);
          if (!kinds.every((kind) => kind === 'same')) continue;
          compared++;
          if (told(config) === told(other) && !(key in SAID_ELSEWHERE))
            lost.add(`${key}: ${textOfValue(config[key])}, ${textOfValue(other[key])}`);
        }
    expect([...lost]).toEqual([]);
    expect(compared).toBeGreaterThan(200);
  });
});

it('TRL’s learning rate, weights of the loss and steps are those of the run', () => {
  const run = runOf({
    ...base,
    lossReduction: 'sum',
    maxTokens: 50,
    problemsPerStep: 4,
    rolloutsPerProblem: 8,
  });
  // Σ over 32 answers of at most 50 tokens: TRL's dr_grpo divides by both.
  expect(trainFacts(run, null)).toMatchObject({
    loss_scale: 32 * 50,
    learning_rate: { peak: 3e-4, kind: 'linear', steps_made: 2, total_steps: 150, updates_per_step: 1 },
  });
  expect(fieldsOf(fatesOf(TRL_ROWS, run), TRL_FIXED)).toMatchObject({
    bf16: false,
    gradient_checkpointing: false,
    use_bias_correction_kl: false,
    loss_type: 'dr_grpo',
    max_steps: 148,
  });
});

it('verl’s dual clip and weight decay are written over with the run’s', () => {
  const fields = fieldsOf(fatesOf(VERL_ROWS, runOf(base)), {});
  expect(fields['actor_rollout_ref.actor.clip_ratio_c']).toBe(1e9);
  expect(fields['actor_rollout_ref.actor.optim.weight_decay']).toBe(0);
});
