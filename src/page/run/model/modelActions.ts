/** The actions of the model picker. */
import { messageOf } from '@rl-playground/base/errors';
import {
  ChooseFileError,
  HUB_URL,
  type FindOptions,
  parseModelAddress,
  type DownloadProgress,
  type KeptModel,
  type ModelFiles,
} from '@rl-playground/engine/parts';
import { lookUpModel } from '@rl-playground/run/models';
import { adoptModel, setValue } from '../actions/actions.ts';
import { mayConnect } from '../connections/ask.ts';
import { canStart } from '../state/phases.ts';
import { setOpen } from '../../ui/open/openStore.ts';
import { useRun } from '../state/runStore.ts';
import {
  changeModels,
  hubSettings,
  mayAskHub,
  patience,
  setServer,
  useHub,
  type ModelState,
  type SearchResult,
} from './hubStore.ts';

let working = new AbortController();

export function asking(): FindOptions & { signal: AbortSignal } {
  return { signal: working.signal, ...hubSettings(), ...patience(), allow: mayConnect };
}

/** Does one piece of work at a time, and shows its failure. */
export async function during(work: NonNullable<ModelState['work']>, act: () => Promise<void>): Promise<void> {
  if (useHub.getState().models.work !== null) return;
  working = new AbortController();
  const { signal } = working;
  changeModels({ work, failed: null, said: '', progress: null });
  try {
    await act();
  } catch (error) {
    changeModels(
      signal.aborted
        ? { said: 'Cancelled. The loaded model stays, and the downloaded part is kept for the next time.' }
        : { failed: messageOf(error) },
    );
  } finally {
    changeModels({ work: null, progress: null });
    await listKept();
  }
}

export function cancel(): void {
  working.abort();
}

export async function listKept(): Promise<void> {
  const { keptModels } = await import('@rl-playground/engine/remote');
  changeModels({ kept: await keptModels() });
}

/** Resolves if the page may ask for what is named. @throws Error where the visitor says no */
export async function mayAsk(text: string): Promise<void> {
  const address = parseModelAddress(text);
  if (address?.kind === 'url') await mayConnect(address.url);
  else if (address !== null) await mayAskHub();
}

/** Looks up what is named, before anything of it is loaded. */
export function lookUp(text: string): Promise<void> {
  changeModels({ text, found: null, choices: [] });
  return during('looking', async () => {
    await mayAsk(text);
    try {
      const found = await lookUpModel(text, asking());
      changeModels({ found, choices: found.remote.choices });
    } catch (error) {
      if (!(error instanceof ChooseFileError)) throw error;
      changeModels({ choices: error.choices, said: `${text} has several GGUF files. Choose one.` });
    }
  });
}

export function load(): Promise<void> {
  const { found } = useHub.getState().models;
  return during('loading', async () => {
    if (found === null) return;
    const { loadRemote } = await import('@rl-playground/engine/remote');
    const options = {
      ...asking(),
      onProgress: (progress: DownloadProgress) => changeModels({ progress }),
    };
    const adapter = found.adapter && (await loadRemote(found.adapter.remote, options));
    await take(await loadRemote(found.remote, options), adapter);
    changeModels({ found: null });
  });
}

/** Loads a model that comes with the page, in place of any other, and sets the form to it. */
export function loadBundled(name: string): Promise<void> {
  return during('loading', async () => {
    const { controller } = useRun.getState();
    if (controller === null) return;
    await controller.open({ bundled: name });
    setValue('model', name);
    setOpen('models', false);
  });
}

/** Loads a model that this browser keeps. An incomplete model or an adapter is looked up first, so that the rest can be loaded. */
export function loadKept({ key, label, whole, isAdapter, origin }: KeptModel): Promise<void> {
  if (!whole || isAdapter) {
    setServer(origin.hubUrl ?? '');
    return lookUp(origin.commit === null ? label : `${origin.name}@${origin.commit}`);
  }
  return during('loading', async () => {
    const { openKept } = await import('@rl-playground/engine/remote');
    const files = await openKept(key);
    if (files === null) throw new Error(`${label} is no longer kept here. Look it up and load it again.`);
    await take(files, null);
  });
}

/** Takes a model that was loaded for runs to begin from. @throws Error that says what is wrong */
export async function take(files: ModelFiles, adapter: ModelFiles | null): Promise<void> {
  if (!canStart(useRun.getState().snapshot))
    throw new Error('A run is in progress. Pause or stop it, then load the model; its download is kept.');
  await adoptModel(files, adapter);
  const named = adapter === null ? files.label : `${files.label} with the adapter ${adapter.label}`;
  changeModels({ said: `${named} is loaded. Runs start from it.` });
  setOpen('models', false);
}

export async function removeKept(key: string): Promise<void> {
  try {
    const { deleteKept } = await import('@rl-playground/engine/remote');
    await deleteKept(key);
    changeModels({ failed: null, said: 'Deleted.' });
  } catch (error) {
    changeModels({ failed: messageOf(error) });
  }
  await listKept();
}

const MOST_RESULTS = 10;

/** Finds models of the Hub by their names, the most downloaded first. */
export function searchHub(text: string): Promise<void> {
  return during('searching', async () => {
    await mayAskHub();
    const { listModels } = await import('@huggingface/hub');
    const { boundedFetch } = await import('@rl-playground/engine/remote');
    const { hubUrl, secret, ...waiting } = asking();
    const token = secret?.sentTo(hubUrl ?? HUB_URL) ?? null;
    const results = new Map<string, SearchResult>();
    for (const format of ['safetensors', 'gguf']) {
      const found = listModels({
        search: { query: text, task: 'text-generation', tags: [format] },
        limit: MOST_RESULTS,
        sort: 'downloads',
        ...(hubUrl === undefined ? {} : { hubUrl }),
        ...(token !== null && { accessToken: token }),
        fetch: boundedFetch('The search', waiting),
      });
      for await (const { name, downloads } of found) results.set(name, { name, downloads });
    }
    const byDownloads = [...results.values()].sort((a, b) => b.downloads - a.downloads);
    changeModels({ results: byDownloads.slice(0, MOST_RESULTS) });
  });
}
