/**
 * The run's settings inside a checkpoint's `config.json`, under `rl_playground.run`: one file is the model's config, as Hugging
 * Face's libraries read it, and the run's.
 */
import { z } from 'zod';
import { parseConfig } from '../../config/check.ts';
import type { RunConfig } from '../../config/schema.ts';

const ownSchema = z.looseObject({ rl_playground: z.looseObject({ run: z.unknown().optional() }).optional() });

/** `config.json` with the settings in it, in place of any that were there. */
export function withRunSettings(configJson: object, settings: RunConfig): object {
  const { rl_playground: own, ...model } = ownSchema.parse(configJson);
  return { ...model, rl_playground: { ...own, run: settings } };
}

/** `config.json` as it was before a run. */
export function withoutRunSettings(configJson: object): object {
  const { rl_playground: own, ...model } = ownSchema.parse(configJson);
  const others = Object.entries(own ?? {}).filter(([key]) => key !== 'run');
  return others.length > 0 ? { ...model, rl_playground: Object.fromEntries(others) } : model;
}

/** The settings in a `config.json`; null where it holds none. @throws Error naming what is wrong with them. */
export function runSettingsOf(configJson: object): RunConfig | null {
  const run = ownSchema.parse(configJson).rl_playground?.run;
  if (run === undefined) return null;
  const parsed = parseConfig(run);
  if (parsed.ok) return parsed.config;
  throw new Error(`rl_playground.run: ${parsed.errors.join(' ')}`);
}
