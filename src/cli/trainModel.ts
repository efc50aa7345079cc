/**
 * The model of `npx rl-playground train`, if the page does not have it: it is found, described before any of it is fetched, and brought
 * to this machine.
 */
import { existsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { resolve } from 'node:path';
import { bytesText, grouped } from '@rl-playground/base/text';
import type { RunConfig } from '@rl-playground/run/settings';
import { filesAtPath, nameOfPath } from '@rl-playground/engine/parts/node';
import {
  readModelConfig,
  readPeftSettings,
  mayAskNamed,
  type ModelNames,
  parameterCount,
} from '@rl-playground/engine/parts';
import {
  loraSettings,
  loraText,
  LARGE_MODEL_NOTE,
  largeModelSettings,
  BUNDLED_MODELS,
  isScratchModel,
} from '@rl-playground/run/models';
import {
  bundledFolder,
  findModelNamed,
  type FoundModel,
  type ModelPaths,
} from '@rl-playground/run/models/node';
import { UNKNOWN_LIMITS, modelOfFiles, planRun, ratesOf } from '@rl-playground/run/plan';
import type { RunSnapshot } from '@rl-playground/run/session';
import { hubOptions, type HubWords } from './hubOptions.ts';
import { keepMachineRates } from './machineRates.ts';
import { printLine } from '@rl-playground/base/print';
import { START_FILE, type StartRecord } from './startRecord.ts';
import type { TrainArguments } from './trainArguments.ts';

/** True if the page has or makes the model. */
export const isModelNamed = (name: string): boolean => BUNDLED_MODELS.includes(name) || isScratchModel(name);

/** A model on this machine, an adapter beside it, and the facts that are printed and recorded about them. */
export interface ModelOnDisk extends ModelNames {
  readonly paths: ModelPaths;
  /** The name of the adapter; null for none. */
  readonly adapter: string | null;
}

/** A model that the page does not know by name, and its effect on settings that state nothing else. */
export interface GivenModel {
  readonly found: FoundModel;
  readonly settings: Partial<RunConfig> | null;
  /** The note about that effect. */
  readonly note: string;
}

/**
 * Finds the model; null for one that the page has or makes. An architecture or an adapter that is not supported is refused here, before
 * anything starts.
 *
 * @throws ModelFileError
 */
export async function modelFor({
  config,
  hub,
  adapter,
  loraStated,
  modelFile,
}: TrainArguments): Promise<GivenModel | null> {
  const { model } = config;
  if (isModelNamed(model) && adapter === null) return null;
  const found = await findModelNamed(model, hubOptions(hub), adapter ?? undefined, modelFile);
  const parameters = parameterCount(await readModelConfig(found.model));
  if (found.adapter === null) {
    const settings = loraStated ? null : largeModelSettings(parameters, config);
    return { found, settings, note: LARGE_MODEL_NOTE };
  }
  const lora = await readPeftSettings(found.adapter);
  const settings = loraStated
    ? null
    : { ...largeModelSettings(parameters, { loraRank: 0 }), ...loraSettings(lora) };
  return {
    found,
    settings,
    note: `The run begins from the adapter ${found.adapter.label}: ${loraText(lora)}.`,
  };
}

/** Prints what a model of a server will take before any of its weights is fetched, and brings it to this machine. */
export async function fetchedModel(
  { model: files, adapter, remoteBytes, fetched }: FoundModel,
  { config, backend }: Pick<TrainArguments, 'config' | 'backend'>,
): Promise<ModelOnDisk> {
  if (remoteBytes > 0) {
    const model = await modelOfFiles(files, config);
    const limits = { ...UNKNOWN_LIMITS, hostBytes: totalmem() };
    const { peak } = planRun({ model, config, limits, backend: backend ?? 'webgpu', rates: null });
    const memory =
      backend === 'wasm'
        ? bytesText(peak.host)
        : `${bytesText(peak.gpu)} on the GPU and ${bytesText(peak.host)} beside it`;
    printLine(
      `${files.label} at ${files.origin?.commit ?? 'no commit'}: ${grouped(parameterCount(model.config))} parameters in ${model.storedType}, ${bytesText(remoteBytes)} of files; the run takes about ${memory}.`,
    );
  }
  return { ...files, paths: await fetched(), adapter: adapter?.label ?? null };
}

/** The record with which a later process finds the model again. */
export const modelRecord = ({ label, paths, origin, adapter }: ModelOnDisk): StartRecord['model'] => ({
  label,
  paths: { model: resolve(paths.model), adapter: paths.adapter === null ? null : resolve(paths.adapter) },
  origin: origin ?? null,
  adapter,
});

/**
 * The model of a record: where it was, else from its origin, at the same commit. `hub` has the servers that the command line allows.
 *
 * @throws ModelFileError
 */
export async function recordedModel(
  record: NonNullable<StartRecord['model']>,
  hub: HubWords,
): Promise<ModelOnDisk> {
  const { label, paths, adapter } = record;
  const origin = record.origin ?? undefined;
  const kept = (path: string | null): boolean => path === null || existsSync(path);
  const rest = { label, name: nameOfPath(paths.model), adapter, ...(origin && { origin }) };
  if (kept(paths.model) && kept(paths.adapter)) return { ...rest, paths };
  const at = origin?.commit ? `${origin.name}@${origin.commit}` : origin?.name;
  const options = hubOptions(hub);
  const hubUrl = origin?.hubUrl ?? undefined;
  if (hubUrl !== undefined) await mayAskNamed(hubUrl, START_FILE, options);
  const found = await findModelNamed(
    kept(paths.model) ? paths.model : (at ?? paths.model),
    { ...options, ...(hubUrl !== undefined && { hubUrl }) },
    (kept(paths.adapter) ? paths.adapter : adapter) ?? undefined,
    START_FILE,
  );
  return { ...rest, paths: await found.fetched() };
}

/** A model that comes with the page, as a folder. */
export const bundledModel = (name: string): ModelOnDisk => ({
  label: name,
  paths: { model: bundledFolder(name), adapter: null },
  adapter: null,
});

/** Keeps the speed of this machine for `npx rl-playground plan`. Runs of models that are made anew do not count. */
export async function keepSpeed(
  config: RunConfig,
  model: ModelOnDisk | null,
  { metrics, backend }: RunSnapshot,
): Promise<void> {
  const { model: name } = config;
  const path = model?.paths.model ?? (BUNDLED_MODELS.includes(name) ? bundledFolder(name) : null);
  if (path === null) return;
  const rates = ratesOf({ config: await readModelConfig(await filesAtPath(path)) }, config, metrics);
  if (rates && backend) keepMachineRates(backend.backend, rates);
}
