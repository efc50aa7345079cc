/**
 * The frozen model that the adapter of a checkpoint belongs to: `base_model.json` says which it is, and `base/` is that model, as it came,
 * where the checkpoint is to need nothing else.
 */
import * as z from 'zod';
import {
  GGUF_FILE,
  loadModel,
  openBytes,
  safetensorsFile,
  filesUnder,
  type LoadedModel,
  type ModelFiles,
  type OpenFile,
  parameterCount,
} from '@rl-playground/engine/parts';
import { jsonBytes } from '@rl-playground/base/json';
import { grouped } from '@rl-playground/base/text';
import { CheckpointError } from './checkpointParts.ts';
import { BASE_FILE } from './runFiles.ts';
import { ownConfig } from './runSettings.ts';

const FOLDER = 'base';

const schema = z.object({
  /** `org/name` for a model of the Hub. */
  name: z.string(),
  revision: z.string().nullable(),
  /** The server, where it is not the Hugging Face Hub. */
  hub_url: z.string().optional(),
  parameters: z.number(),
  /** `LoadedModel.contentHash`. */
  content_sha256: z.string().nullable(),
});

/** Begins to load a model that comes with the page; null where none has that name. */
export type BundledModels = (name: string) => Promise<LoadedModel> | null;

export function baseFile({ name, origin, config, contentHash }: LoadedModel): Uint8Array {
  return jsonBytes({
    name: origin?.name ?? name,
    revision: origin?.commit ?? null,
    ...(origin?.hubUrl ? { hub_url: origin.hubUrl } : {}),
    parameters: parameterCount(config),
    content_sha256: contentHash,
  } satisfies z.input<typeof schema>);
}

/** The origin of a base that a checkpoint holds; a base of a machine has none. */
function originOf({ name, revision, hub_url: hubUrl }: z.infer<typeof schema>): Pick<LoadedModel, 'origin'> {
  if (revision === null) return {};
  return { origin: { name, revision, commit: revision, hubUrl: hubUrl ?? null } };
}

/**
 * The files of a checkpoint with the model that its adapter belongs to among them, weights in their own file's words. One that holds its
 * model anyway stays as it is.
 */
export function withBase(files: ReadonlyMap<string, OpenFile>, base: LoadedModel): Map<string, OpenFile> {
  const all = new Map(files);
  if (!files.has(BASE_FILE)) return all;
  for (const [name, bytes] of base.sideFiles) all.set(`${FOLDER}/${name}`, openBytes(bytes));
  const config = ownConfig(base);
  if (config) all.set(`${FOLDER}/config.json`, openBytes(jsonBytes(config)));
  // safetensors has no blocks, so a base of blocks goes in the file that it came in.
  return base.gguf
    ? all.set(`${FOLDER}/${GGUF_FILE}`, base.gguf)
    : all.set(`${FOLDER}/model.safetensors`, safetensorsFile(base.weights, { format: 'pt' }));
}

/** @throws CheckpointError where `base_model.json` does not name a model. */
export function parseBase(json: object, label: string): z.infer<typeof schema> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new CheckpointError(`${label}: ${BASE_FILE} does not say which model the adapter belongs to.`);
}

/** The name by which programs find the base (`org/name@commit`, a path), and its server if that is not the Hub. @throws CheckpointError */
export function namedBase(json: object, label: string): { readonly name: string; readonly hubUrl?: string } {
  const { name, revision, hub_url: hubUrl } = parseBase(json, label);
  return { name: revision === null ? name : `${name}@${revision}`, ...(hubUrl ? { hubUrl } : {}) };
}

/** Tells whether a checkpoint holds the model that its adapter belongs to. */
export async function holdsBase(files: ModelFiles): Promise<boolean> {
  return (await filesUnder(files, FOLDER).open('config.json')) !== null;
}

/**
 * The model that a checkpoint was trained beside: `loaded`, where it is that one, else the one in the checkpoint, else a bundled one.
 * @throws CheckpointError naming the model that is needed and the one that is there.
 */
export async function baseOf(
  json: object,
  files: ModelFiles,
  loaded: LoadedModel | null,
  bundled: BundledModels,
): Promise<LoadedModel> {
  const { label } = files;
  const recorded = parseBase(json, label);
  const { name, parameters, content_sha256: hash } = recorded;
  const isIt = ({ contentHash, config }: LoadedModel): boolean =>
    hash !== null && contentHash !== null ? hash === contentHash : parameters === parameterCount(config);
  if (loaded !== null && isIt(loaded)) return loaded;
  if (await holdsBase(files)) {
    const base = { ...(await loadModel(filesUnder(files, FOLDER))), name, ...originOf(recorded) };
    if (isIt(base)) return base;
    throw new CheckpointError(
      `${label}: ${FOLDER}/ holds ${grouped(parameterCount(base.config))} parameters which are not those of ${name} that ${BASE_FILE} names. The file is damaged or was changed; download it again.`,
    );
  }
  const named = recorded.revision === null ? await bundled(name) : null;
  if (named !== null && isIt(named)) return named;
  const wanted = `${label} holds an adapter for ${name} (${grouped(parameters)} parameters), not the model itself.`;
  if (loaded === null) throw new CheckpointError(`${wanted} Open that model first, then this checkpoint.`);
  throw new CheckpointError(
    `${wanted} Loaded is ${loaded.name} (${grouped(parameterCount(loaded.config))} parameters), whose weights are others. Open ${name} first, then this checkpoint.`,
  );
}
