/** The reward model of the page: it comes from the Hub, from this browser or from a folder, and is given to runs. */
import { filesOfFolder, type ModelFiles, parseModelAddress } from '@rl-playground/engine/parts';
import { messageOf } from '@rl-playground/base/errors';
import { bytesText } from '@rl-playground/base/text';
import type { RewardScorer } from '@rl-playground/bridges/rewardModel';
import { address } from '@rl-playground/run/models';
import { labelProblem, provideRewardModel } from '@rl-playground/run/rewardModel';
import { setValue } from '../actions/actions.ts';
import { mayConnect } from '../connections/ask.ts';
import { changeReward, useForm } from '../form/formStore.ts';
import { lockOf } from '../form/settings.ts';
import { hubSettings, mayAskHub, patience } from '../model/hubStore.ts';
import { useRun } from '../state/runStore.ts';

let offered: RewardScorer | null = null;
let loading = new AbortController();

const deviceNow = (): 'webgpu' | 'wasm' => useRun.getState().snapshot.backend?.backend ?? 'wasm';

/** Takes a model's files in place of any other reward model. Nothing is loaded before somebody asks for scores. @throws ModelFileError */
export async function takeRewardModel(name: string, files: ModelFiles): Promise<void> {
  const { bytesOf, RewardScorer: Scorer } = await import('@rl-playground/bridges/rewardModel');
  const device = deviceNow();
  const bytes = await bytesOf(files, device);
  offered?.dispose();
  offered = new Scorer(name, files, { device, bytes, runtime: address('onnxruntime/') });
  provideRewardModel(offered);
  changeReward({ ready: { name, bytes } });
}

/** Takes the model and loads it, so that its labels are known before a run begins. */
async function take(name: string, files: ModelFiles): Promise<void> {
  const { rewardModel } = useForm.getState().form;
  if (name !== rewardModel && lockOf(useRun.getState().snapshot) !== 'none')
    throw new Error(
      `The current run is rewarded by ${rewardModel}, and this is ${name}. Choose that model, or press Reset for a run with another.`,
    );
  await takeRewardModel(name, files);
  // A folder that can't be read changes nothing.
  if (name !== rewardModel) setValue('rewardModel', name);
  await tryOut();
}

/** Loads the model for what the form asks of it, and says which labels it has. */
async function tryOut(): Promise<void> {
  if (offered === null) return;
  const { rewardPipeline: pipeline, rewardLabel: label } = useForm.getState().form;
  changeReward({ work: 'opening', progress: null });
  const labels = await offered.prepare({ pipeline, label });
  const named = labels.length === 0 ? '' : ` Its labels: ${labels.slice(0, 20).join(', ')}.`;
  const size = bytesText(useForm.getState().reward.ready?.bytes ?? 0);
  changeReward({
    said: `${offered.name} is loaded (${size}).${named}`,
    failed: labelProblem(labels, { pipeline, label }),
  });
}

/** Does one piece of work at a time, and shows its failure. */
async function during(act: (signal: AbortSignal) => Promise<void>): Promise<void> {
  if (useForm.getState().reward.work !== null) return;
  loading = new AbortController();
  const { signal } = loading;
  changeReward({ work: 'looking', failed: null, said: '', progress: null });
  try {
    await act(signal);
  } catch (error) {
    changeReward(
      signal.aborted
        ? { said: 'Cancelled. The downloaded part is kept for the next time.' }
        : { failed: messageOf(error) },
    );
  } finally {
    changeReward({ work: null, progress: null });
  }
}

export function cancelReward(): void {
  loading.abort();
}

/** The files that this browser keeps of a model; null where it has not all of them. */
async function keptFiles(name: string): Promise<ModelFiles | null> {
  const { keptModels, openKept } = await import('@rl-playground/engine/remote');
  const kept = (await keptModels()).find(({ isOnnx, whole, label }) => isOnnx && whole && label === name);
  return kept === undefined ? null : openKept(kept.key);
}

/** Loads the model of that name: from this browser where it is kept, else from the Hub or a server. */
export function loadRewardModel(name: string): Promise<void> {
  return during(async (signal) => {
    const kept = await keptFiles(name);
    if (kept !== null) return take(name, kept);
    const place = parseModelAddress(name);
    if (place === null)
      throw new Error(`"${name}" names no model. Write org/name or org/name@revision, or choose a folder.`);
    await (place.kind === 'url' ? mayConnect(place.url) : mayAskHub());
    const options = { signal, ...hubSettings(), ...patience(), allow: mayConnect };
    const { findOnnxModel, loadRemote } = await import('@rl-playground/engine/remote');
    const found = await findOnnxModel(place, deviceNow(), options);
    changeReward({ work: 'loading' });
    const files = await loadRemote(found, {
      ...options,
      onProgress: (progress) => changeReward({ progress }),
    });
    await take(name, files);
  });
}

/** Takes the model in a folder that was chosen. */
export function takeRewardFolder(chosen: readonly File[]): Promise<void> {
  return during(async () => {
    const name = chosen[0]?.webkitRelativePath.split('/')[0] ?? 'folder';
    await take(name, filesOfFolder(name, chosen));
  });
}

/** Takes the model that the settings name where this browser keeps it, and asks no server. */
export async function restoreRewardModel(name: string): Promise<void> {
  try {
    const kept = await keptFiles(name);
    if (kept !== null) await takeRewardModel(name, kept);
  } catch (error) {
    changeReward({ failed: messageOf(error) });
  }
}
