/** The reward model of `npx rl-playground train`: a folder of this machine, or a model of the Hub or of a server, which is brought here. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BadInput } from '@rl-playground/base/errors';
import { printLine } from '@rl-playground/base/print';
import { bytesText } from '@rl-playground/base/text';
import { chosenPaths } from '@rl-playground/bridges/rewardModel/files';
import {
  addressText,
  findOnnxModel,
  mayAskNamed,
  ModelFileError,
  type ModelOrigin,
  parseModelAddress,
  type RemoteModel,
} from '@rl-playground/engine/parts';
import { fetchedToDisk, fromCaller, isModelPath, nameOfPath } from '@rl-playground/engine/parts/node';
import { hubOptions, type HubWords } from './hubOptions.ts';
import { START_FILE, type StartRecord } from './startRecord.ts';
import type { TrainArguments } from './trainArguments.ts';

/** A reward model on this machine. */
export interface RewardModelOnDisk {
  /** The name that the run records. */
  readonly name: string;
  readonly path: string;
  /** The origin; null for a folder of this machine. */
  readonly origin: ModelOrigin | null;
}

type Backend = TrainArguments['backend'];

/** The paths of files in a folder and in the one below it that the Hub keeps ONNX files in. */
function pathsIn(folder: string): string[] {
  const below = join(folder, 'onnx');
  return [
    ...readdirSync(folder),
    ...(existsSync(below) ? readdirSync(below).map((name) => `onnx/${name}`) : []),
  ];
}

/** The folder that settings name; null where they name none. @throws BadInput where it is not there */
function folderNamed(rewardModel: string): string | null {
  const path = fromCaller(rewardModel);
  if (existsSync(path)) return path;
  if (isModelPath(rewardModel)) throw new BadInput(`--reward-model: there is no folder ${path}.`);
  return null;
}

const chosenIn = (path: string, backend: Backend): string[] =>
  chosenPaths({ label: nameOfPath(path), names: pathsIn(path) }, backend ?? 'wasm');

function inFolder(path: string, backend: Backend): RewardModelOnDisk {
  chosenIn(path, backend);
  return { name: nameOfPath(path), path: resolve(path), origin: null };
}

/** The model of an address, of which nothing is fetched yet; null where the text is none. */
async function found(
  text: string,
  hub: HubWords,
  backend: Backend,
  namedBy: string | null,
): Promise<{ readonly name: string; readonly model: RemoteModel } | null> {
  const address = parseModelAddress(text);
  if (address === null) return null;
  const options = hubOptions(hub);
  if (address.kind === 'url' && namedBy !== null) await mayAskNamed(address.url, namedBy, options);
  return { name: addressText(address), model: await findOnnxModel(address, backend ?? 'wasm', options) };
}

/** Brings the model of an address to this machine; null where the text is none. */
async function fetched(
  text: string,
  hub: HubWords,
  backend: Backend,
  namedBy: string | null,
): Promise<RewardModelOnDisk | null> {
  const remote = await found(text, hub, backend, namedBy);
  if (remote === null) return null;
  const { name, model } = remote;
  printLine(`Reward model ${model.label}: ${bytesText(model.bytes)} of files.`);
  return { name, path: await fetchedToDisk(model, hubOptions(hub)), origin: model.origin };
}

const noModel = (rewardModel: string): BadInput =>
  new BadInput(
    `There is no reward model "${rewardModel}"; write the path of a folder with config.json, the tokenizer's files and onnx/model.onnx, org/name[@revision] of the Hugging Face Hub, or the URL of a folder.`,
  );

/** The bytes of the files of the settings' reward model, of which nothing is fetched; 0 where they name none. @throws BadInput or ModelFileError */
export async function rewardBytesFor(rewardModel: string, hub: HubWords, backend: Backend): Promise<number> {
  if (rewardModel === '') return 0;
  const folder = folderNamed(rewardModel);
  if (folder !== null)
    return chosenIn(folder, backend).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  const remote = await found(rewardModel, hub, backend, null);
  if (remote === null) throw noModel(rewardModel);
  return remote.model.bytes;
}

/** The reward model of the settings; null where they name none. @throws BadInput or ModelFileError */
export async function rewardModelFor({
  config,
  hub,
  backend,
  rewardModelFile,
}: TrainArguments): Promise<RewardModelOnDisk | null> {
  const { rewardModel } = config;
  if (rewardModel === '') return null;
  const folder = folderNamed(rewardModel);
  if (folder !== null) return inFolder(folder, backend);
  const model = await fetched(rewardModel, hub, backend, rewardModelFile);
  if (model === null) throw noModel(rewardModel);
  return model;
}

/** The reward model of a run that goes on: where it was, else from its origin. @throws ModelFileError */
export async function recordedRewardModel(
  { rewardModel, backend }: StartRecord,
  hub: HubWords,
): Promise<RewardModelOnDisk | null> {
  if (!rewardModel) return null;
  if (existsSync(rewardModel.path)) return rewardModel;
  const { name, path, origin } = rewardModel;
  const repository = origin?.name.replace(/:[^:/]*\/?[^:/]*\.onnx$/, '') ?? '';
  const at = origin?.commit ? `${repository}@${origin.commit}` : repository;
  const options = { ...hub, ...(origin?.hubUrl ? { hubUrl: origin.hubUrl } : {}) };
  if (origin?.hubUrl) await mayAskNamed(origin.hubUrl, START_FILE, hubOptions(hub));
  const model = repository === '' ? null : await fetched(at, options, backend, START_FILE);
  if (model !== null) return { ...model, name };
  throw new ModelFileError(`The reward model ${name} is no longer in ${path}. Put its folder back there.`);
}
