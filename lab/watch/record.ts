/** Labelled runs for the watch: made once, their metrics kept in a file each. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunConfig } from '@rl-playground/run/settings';
import { MACHINE_KEYS, METRICS, metricsOf, type StepMetrics } from '@rl-playground/run/metrics';
import { LOCAL_ENVIRONMENT } from '@rl-playground/engine/parts/tensors';
import { loadModelNamed } from '@rl-playground/run/models/node';
import { freshStart, Session } from '@rl-playground/run/session/onDevice';
import type { LabelledKind } from './kinds.ts';

/** The contents of a file: the keys once, a row of numbers for each step. */
interface Recorded {
  readonly kind: string;
  readonly config: RunConfig;
  readonly keys: readonly string[];
  readonly rows: readonly (readonly (number | null)[])[];
}

export interface LabelledRun {
  readonly kind: LabelledKind;
  readonly config: RunConfig;
  readonly metrics: readonly StepMetrics[];
}

const KEYS = METRICS.map(({ key }) => key).filter((key) => !MACHINE_KEYS.includes(key));

const fileOf = (folder: string, { name }: LabelledKind, seed: number): string =>
  join(folder, `${name}-${seed}.json`);

/** Six significant digits say all that a rule may depend on. */
const short = (value: number | null): number | null => (value === null ? null : Number(value.toPrecision(6)));

/** Makes a run, unless its file is there with the same settings. @throws Error if the run fails. */
export async function record(folder: string, kind: LabelledKind, config: RunConfig): Promise<boolean> {
  if (readRun(folder, kind, config) !== null) return false;
  mkdirSync(folder, { recursive: true });
  const session = await Session.open(
    config,
    freshStart(await loadModelNamed(config.model)),
    LOCAL_ENVIRONMENT,
  );
  try {
    while (session.step < kind.steps) await session.trainStep({});
    const rows = session.metrics.map((step) => KEYS.map((key) => short(step[key])));
    const recorded: Recorded = { kind: kind.name, config, keys: KEYS, rows };
    const path = fileOf(folder, kind, config.seed);
    writeFileSync(`${path}.part`, JSON.stringify(recorded));
    renameSync(`${path}.part`, path);
    return true;
  } finally {
    session.dispose();
  }
}

/** The run as it was recorded; null if it was not, or under other settings or for fewer steps. */
export function readRun(folder: string, kind: LabelledKind, config: RunConfig): LabelledRun | null {
  const path = fileOf(folder, kind, config.seed);
  if (!existsSync(path)) return null;
  const recorded = JSON.parse(readFileSync(path, 'utf8')) as Recorded;
  if (recorded.rows.length < kind.steps) return null;
  if (JSON.stringify(recorded.config) !== JSON.stringify(config)) return null;
  return { kind, config, metrics: metricsOfRows(recorded).slice(0, kind.steps) };
}

/** The records of steps that rows hold; missing values are null. */
export function metricsOfRows({ keys, rows }: Pick<Recorded, 'keys' | 'rows'>): StepMetrics[] {
  return rows.map((row, i) =>
    metricsOf(i + 1, [], [], ({ key, optional }) => row[keys.indexOf(key)] ?? (optional ? null : 0)),
  );
}
