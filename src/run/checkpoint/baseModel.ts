/** Which model the adapter of a checkpoint belongs to, where its weights are not in the checkpoint: `base_model.json`. */
import * as z from 'zod';
import { jsonBytes } from '../../base/json.ts';
import { grouped } from '../../base/text.ts';
import { parseJsonObject } from '../../hub/readFile.ts';
import type { LoadedModel } from '../../hub/types.ts';
import { parameterCount } from '../../model/parameters.ts';
import { CheckpointError } from './checkpointParts.ts';

export const BASE_FILE = 'base_model.json';

const schema = z.object({
  name: z.string(),
  revision: z.string().nullable(),
  parameters: z.number(),
  /** `LoadedModel.contentHash`. */
  content_sha256: z.string().nullable(),
});

export function baseFile({ name, config, contentHash }: LoadedModel): Uint8Array {
  return jsonBytes({
    name,
    revision: null,
    parameters: parameterCount(config),
    content_sha256: contentHash,
  } satisfies z.input<typeof schema>);
}

/**
 * The model that a checkpoint was trained beside: `loaded`, where it is that one.
 * @throws CheckpointError naming the model that is needed and the one that is there.
 */
export function baseOf(bytes: Uint8Array, loaded: LoadedModel | null, label: string): LoadedModel {
  const parsed = schema.safeParse(parseJsonObject(bytes, BASE_FILE, label));
  if (!parsed.success)
    throw new CheckpointError(`${label}: ${BASE_FILE} does not say which model the adapter belongs to.`);
  const { name, parameters, content_sha256: hash } = parsed.data;
  const wanted = `${label} holds an adapter for ${name} (${grouped(parameters)} parameters), not the model itself.`;
  if (loaded === null) throw new CheckpointError(`${wanted} Open that model first, then this checkpoint.`);
  const known = hash !== null && loaded.contentHash !== null;
  const same = known ? hash === loaded.contentHash : parameters === parameterCount(loaded.config);
  if (same) return loaded;
  throw new CheckpointError(
    `${wanted} Loaded is ${loaded.name} (${grouped(parameterCount(loaded.config))} parameters), whose weights are others. Open ${name} first, then this checkpoint.`,
  );
}
