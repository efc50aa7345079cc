/** A model of the Hub or of another server, looked up before anything of it is loaded. */
import { messageOf } from '@rl-playground/base/errors';
import {
  readModelConfig,
  baseOfAdapter,
  readPeftSettings,
  parseModelAddress,
  type FindOptions,
  mayAskNamed,
  filesOf,
  findModel,
  type RemoteModel,
  ModelFileError,
  OpenFolder,
  openHeaders,
  type ModelConfig,
  type LoraSettings,
} from '@rl-playground/engine/parts';
import { typesOf } from '../plan/model.ts';
import type { PlannedModel } from '../plan/types.ts';

export interface FoundRemote {
  readonly remote: RemoteModel;
  /** The adapter that was named, if it was one; `remote` is its base. */
  readonly adapter: { readonly remote: RemoteModel; readonly settings: LoraSettings } | null;
  readonly config: ModelConfig;
  /** Everything about the model that a plan needs. */
  readonly planned: PlannedModel;
}

/**
 * Looks a model up by `org/name[@revision]` or a folder's URL: its files, its architecture, and the headers of its weights, of which not a
 * number is fetched. The base of a LoRA adapter is looked up on the same server.
 * @throws ModelFileError with what is wrong and what to do.
 */
export async function lookUpModel(text: string, options: FindOptions): Promise<FoundRemote> {
  const address = parseModelAddress(text);
  if (address === null)
    throw new ModelFileError(
      `"${text}" names no model. Write org/name or org/name@revision as the Hugging Face Hub has it, or the address of a folder (https://…).`,
    );
  const found = await findModel(address, options);
  const named = new OpenFolder(filesOf(found, options), options);
  const base = await baseOfAdapter(named);
  const adapter = base === null ? null : { remote: found, settings: await readPeftSettings(named) };
  const remote = base === null ? found : await findBase(base, found.label, options);
  const files = base === null ? named : new OpenFolder(filesOf(remote, options), options);
  const config = await readModelConfig(files);
  const weights = await openHeaders(files, config);
  if (files.names?.includes('tokenizer.json') !== true)
    throw new ModelFileError(
      `${remote.label}: there is no tokenizer.json, which a model needs here. Choose a copy of the model that has one.`,
    );
  return {
    remote,
    adapter,
    config,
    planned: { config, ...typesOf(weights), promptTokens: null },
  };
}

/** @throws ModelFileError where the server has no such model. */
async function findBase(base: string, label: string, options: FindOptions): Promise<RemoteModel> {
  const wanted = `${label} is a LoRA adapter of ${base}`;
  const address = parseModelAddress(base);
  if (address === null)
    throw new ModelFileError(
      `${wanted}, which is not a name on the Hub. Load that model, then drop the adapter's files on the page.`,
    );
  if (address.kind === 'url') await mayAskNamed(address.url, label, options);
  try {
    return await findModel(address, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw new ModelFileError(`${wanted}. ${messageOf(error)}`, { cause: error });
  }
}
