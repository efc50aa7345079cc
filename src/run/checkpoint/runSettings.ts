/**
 * The settings of a run in the `config.json` of the model that it made, under `rl_playground.run`: one file is the model's config, as
 * Hugging Face's libraries read it, and the run's.
 */
import { z } from 'zod';
import { parseJsonObject, type LoadedModel } from '@rl-playground/engine/parts';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { CheckpointParts } from './checkpointParts.ts';
import type { RunFiles } from './runFiles.ts';
import { parseRecord, SETTINGS_VERSION, versionNote } from '../settings/settingsVersion.ts';

const ownSchema = z.looseObject({
  rl_playground: z
    .looseObject({
      run: z.unknown().optional(),
      /** The version of the settings (settingsVersion.ts); 0 if it is left out. */
      version: z.int().nonnegative().optional(),
    })
    .optional(),
});

/** Adds the settings of a run to the `config.json` of `ownConfig`. */
export function withRunSettings(configJson: object, settings: RunConfig): object {
  const { rl_playground: own, ...model } = ownSchema.parse(configJson);
  return { ...model, rl_playground: { ...own, version: SETTINGS_VERSION, run: settings } };
}

function withoutRunSettings(configJson: object): object {
  const { rl_playground: own, ...model } = ownSchema.parse(configJson);
  const others = Object.entries(own ?? {}).filter(([key]) => key !== 'run' && key !== 'version');
  return others.length > 0 ? { ...model, rl_playground: Object.fromEntries(others) } : model;
}

/** The `config.json` that came with a model, as it was before a run; null if none did. */
export function ownConfig({ name, sideFiles }: LoadedModel): object | null {
  const bytes = sideFiles.get('config.json');
  return bytes ? withoutRunSettings(parseJsonObject(bytes, 'config.json', name)) : null;
}

/** The settings in a `config.json`; null where it holds none. @throws Error naming what is wrong with them. */
export function runSettingsOf(configJson: object): RunConfig | null {
  const run = ownSchema.parse(configJson).rl_playground?.run;
  if (run === undefined) return null;
  const parsed = parseRecord(run);
  if (parsed.ok) return parsed.config;
  throw new Error(`rl_playground.run: ${parsed.errors.join(' ')}`);
}

/** The settings of a run, and what is to be said of their version; null for what its files do not have. @throws CheckpointError */
export function settingsOf(files: RunFiles): Pick<CheckpointParts, 'runConfig' | 'settingsNote'> {
  const found = files.json('config.json', (json) => {
    const runConfig = runSettingsOf(json);
    const note = runConfig && versionNote('The run', ownSchema.parse(json).rl_playground?.version ?? 0);
    return { runConfig, ...(note !== null && { settingsNote: note }) };
  });
  return found ?? { runConfig: null };
}
