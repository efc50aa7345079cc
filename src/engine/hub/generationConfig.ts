/** Reads `generation_config.json`: the ends of a model's answers, and its makers' settings for sampling. */
import { shownJson } from '@rl-playground/base/json';
import { z } from 'zod';
import type { ModelConfig } from '../model/config.ts';
import { ModelFileError, type SamplingDefaults } from './types.ts';

const eosSchema = z.union([z.number().int().nonnegative(), z.array(z.number().int().nonnegative())]);

/** `eos_token_id` of a config called `name` as a list; empty if the field is missing. @throws ModelFileError if an entry is no token. */
export function stopIdsOf(json: object | null, name: string, config: ModelConfig, label: string): number[] {
  const value: unknown =
    json === null ? undefined : Object.entries(json).find(([key]) => key === 'eos_token_id')?.[1];
  if (value === undefined || value === null) return [];
  const parsed = eosSchema.safeParse(value);
  const ids = parsed.success ? [parsed.data].flat() : [];
  if (!parsed.success || ids.some((id) => id >= config.vocabSize))
    throw new ModelFileError(
      `${label}: eos_token_id in ${name} must be one or more token ids from 0 to ${config.vocabSize - 1}, found ${shownJson(value, 80)}.`,
    );
  return ids;
}

const stopSchema = z.looseObject({
  stop_strings: z.union([z.string().min(1), z.array(z.string().min(1))]).nullish(),
});

/** `stop_strings` as a list. @throws ModelFileError if an entry is no text. */
export function stopStringsOf(json: object | null, label: string): string[] {
  const parsed = stopSchema.safeParse(json ?? {});
  if (parsed.success) return [parsed.data.stop_strings ?? []].flat();
  throw new ModelFileError(
    `${label}: stop_strings in generation_config.json must be one or more texts of at least one character.`,
  );
}

const number = z.number().nullish().catch(null);
const samplingSchema = z.object({
  temperature: number,
  top_p: number,
  top_k: number,
  min_p: number,
  repetition_penalty: number,
});

/** The sampling settings that the file states. No run adopts them by itself. */
export function samplingDefaultsOf(json: object | null): SamplingDefaults {
  const stated = samplingSchema.parse(json ?? {});
  return Object.fromEntries(
    Object.entries(stated).flatMap(([key, value]) => (value == null ? [] : [[key, value] as const])),
  );
}
