/** `grid.yaml`: tasks, seeds, settings that all runs have, and settings with several values each; and the runs that these make. */
import { z } from 'zod';
import { parseText, settle } from '@rl-playground/run/settings/files';
import {
  keyOfName,
  readNames,
  unknownName,
  defaultConfig,
  type FieldKey,
  type RunConfig,
  PRESET_NAMES,
} from '@rl-playground/run/settings';
import { modelProblem } from '@rl-playground/run/models';
import { findTask, taskNameError } from '@rl-playground/tasks/parts';
import { BadInput } from '@rl-playground/base/errors';
import { LAST_SEED, seedRange } from './program.ts';
import { isModelNamed } from './trainModel.ts';

/** The most runs, which are more than anyone waits for. */
const MOST_RUNS = 10_000;

export interface PlannedRun {
  readonly name: string;
  readonly config: RunConfig;
  /** Its value on each axis. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface Plan {
  readonly axes: readonly FieldKey[];
  /** A text that is the same for the same runs alone. */
  readonly grid: string;
  readonly runs: readonly PlannedRun[];
  /** The changes that settings brought along, one sentence each. */
  readonly notes: readonly string[];
}

const settings = z.record(z.string(), z.unknown());
const fileSchema = z.strictObject({
  tasks: z.union([z.string().transform((name) => [name]), z.array(z.string()).min(1)]),
  seeds: z.union([z.number(), z.string(), z.array(z.number()).min(1)]),
  base: settings.nullable().default({}),
  grid: z.record(z.string(), z.array(z.unknown()).min(1)).nullable().default({}),
});
type GridFile = z.infer<typeof fileSchema>;

const EXAMPLE = 'tasks: [sum_digits], seeds: 0-3, base: {numSteps: 20}, grid: {learningRate: [1e-4, 3e-4]}';

function readFile(text: string): GridFile {
  const parsed = parseText(text);
  if (!parsed.ok) throw new BadInput(parsed.errors.join('\n'));
  const file = fileSchema.safeParse(parsed.tree);
  if (file.success) return file.data;
  const lines = file.error.issues.map((issue) => {
    const path = issue.path.join('.');
    const line = parsed.lineOf(path);
    return `${line === null ? '' : `line ${line}: `}${path === '' ? '' : `${path}: `}${issue.message}`;
  });
  throw new BadInput(`${lines.join('\n')}\nA grid is, for example: ${EXAMPLE}.`);
}

/** @throws BadInput */
function seedsOf({ seeds }: GridFile): number[] {
  if (typeof seeds === 'string') {
    try {
      return seedRange(seeds);
    } catch {
      throw new BadInput(`seeds: "${seeds}" are no seeds; write 0-3, or [0, 1, 2, 3].`);
    }
  }
  const all = [...new Set([seeds].flat())];
  const odd = all.find((seed) => !(Number.isInteger(seed) && seed >= 0 && seed <= LAST_SEED));
  if (odd !== undefined) throw new BadInput(`seeds: ${odd} is no seed; write whole numbers from 0 on.`);
  return all;
}

/** Settings by their names in the code. @throws BadInput */
function named(part: string, values: Readonly<Record<string, unknown>>): Map<FieldKey, unknown> {
  const found = new Map<FieldKey, unknown>();
  for (const [name, value] of Object.entries(values)) {
    const key = keyOfName(name);
    if (key === null) throw new BadInput(`${part}.${unknownName(name, value)}`);
    if (key === 'task' || key === 'seed')
      throw new BadInput(`${part}.${name}: each run has its own; list them under ${key}s.`);
    if (found.has(key)) throw new BadInput(`${part}.${name}: ${key} is there already; give it once.`);
    found.set(key, value);
  }
  return found;
}

/** All ways to choose one value of each axis; the last axis changes first. */
function combinations(axes: ReadonlyMap<FieldKey, readonly unknown[]>): Readonly<Record<string, unknown>>[] {
  return [...axes].reduce<Readonly<Record<string, unknown>>[]>(
    (all, [key, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [key]: value }))),
    [{}],
  );
}

function configOf(
  task: string,
  seed: number,
  values: Readonly<Record<string, unknown>>,
): { readonly config: RunConfig; readonly notes: readonly string[] } {
  const preset = PRESET_NAMES.find((name) => name === values['preset']);
  const read = readNames(Object.entries(values));
  const settled = settle({ ...defaultConfig(task, preset), seed }, read);
  if (!settled.ok) {
    const at = Object.entries(values).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    throw new BadInput(`${task} with {${at.join(', ')}}: ${settled.errors.join('\n')}`);
  }
  return settled;
}

/** Refuses a bundled model that can't read what the task asks, before anything runs. @throws BadInput */
export function checkModel(config: RunConfig): void {
  const problem = isModelNamed(config.model) ? modelProblem(config) : null;
  if (problem !== null) throw new BadInput(`${config.task}: ${problem.title}. ${problem.text}`);
}

/** The runs of a grid: by task, then by settings, then by seed. @throws BadInput naming the line, the value found and what is needed. */
export function planOf(text: string): Plan {
  const file = readFile(text);
  const tasks = [...new Set(file.tasks)].map((name) => {
    const error = taskNameError(name);
    if (error !== null) throw new BadInput(`tasks: ${error}`);
    return findTask(name)?.name ?? name;
  });
  const seeds = seedsOf(file);
  const base = named('base', file.base ?? {});
  const axes = new Map(
    [...named('grid', file.grid ?? {})].map(([key, values]) => [key, values as unknown[]]),
  );
  const twice = [...axes.keys()].find((key) => base.has(key));
  if (twice !== undefined) throw new BadInput(`${twice} is in base and in grid; give it in one of them.`);
  for (const [key, values] of axes)
    if (new Set(values.map((value) => JSON.stringify(value))).size < values.length)
      throw new BadInput(`grid.${key}: a value is there twice; give each once.`);
  const chosen = combinations(axes);
  const total = tasks.length * chosen.length * seeds.length;
  if (total > MOST_RUNS)
    throw new BadInput(`${total} runs are too many; a sweep has at most ${MOST_RUNS}. Give fewer values.`);
  const digits = String(chosen.length).length;
  const notes = new Set<string>();
  const runs = tasks.flatMap((task) =>
    chosen.flatMap((setting, i) =>
      seeds.map((seed) => {
        const made = configOf(task, seed, { ...Object.fromEntries(base), ...setting });
        for (const note of made.notes) notes.add(note);
        checkModel(made.config);
        const combination = chosen.length > 1 ? `-c${String(i + 1).padStart(digits, '0')}` : '';
        return { name: `${task}${combination}-seed${seed}`, config: made.config, settings: setting };
      }),
    ),
  );
  const grid = JSON.stringify({
    tasks,
    seeds,
    base: Object.fromEntries(base),
    grid: Object.fromEntries(axes),
  });
  return { axes: [...axes.keys()], grid, runs, notes: [...notes] };
}
