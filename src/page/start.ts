/** Starts the page: writes its settings into its address, and loads the training engine once it is drawn. */
import { fetchAhead } from '@rl-playground/run/environment';
import { filesOfModel, openingModel } from '@rl-playground/run/models';
import { useForm } from './run/form/formStore.ts';
import { showSnapshot, untilRun, useRun } from './run/state/runStore.ts';
import { drawTheRest, reportError } from './ui/open/openStore.ts';
import { sayWhenDone } from './run/actions/notify.ts';
import { readAddress, stretched, writeAddress } from './run/address/address.ts';
import { formErrors } from './run/form/settings.ts';
import { keepOffline } from './run/offline/keepOffline.ts';
import { fetchParts } from './ui/draw/lazyPart.tsx';
import { stayAwake } from './run/actions/wakeLock.ts';

/** Milliseconds after which the page is drawn in spite of a slow connection. */
const SLOW_LOAD = 5000;

/** The mark on the root element once every part is drawn, for tests. */
const MARK = 'parts';

/** Writes every valid change of the form into the page's address. */
export function keepAddress(): void {
  useForm.subscribe((state, before) => {
    if (state.form === before.form || formErrors(state.form).size > 0) return;
    const { pathname, search, hash } = window.location;
    window.history.replaceState(null, '', pathname + writeAddress(state.form, search) + hash);
  });
}

/** Loads the engine, then the other parts of the page, and keeps them for visits without a network. */
export async function startEngine(): Promise<void> {
  setTimeout(drawTheRest, stretched(SLOW_LOAD));
  try {
    fetchAhead(filesOfModel(openingModel(useForm.getState().form.model)));
    const { openEngine } = await import('./openEngine.ts');
    if (!(await openEngine())) return;
  } catch (error) {
    showSnapshot({ ...useRun.getState().snapshot, phase: 'failed' });
    reportError(
      'The training engine could not start',
      error,
      'Reload the page. If it happens again, add ?backend=wasm to the address to compute without the GPU.',
    );
  }
  stayAwake();
  sayWhenDone();
  // What is fetched before would keep a run waiting.
  await untilRun(({ phase }) => phase !== 'loading');
  // Drawn with what it is made of.
  await fetchParts();
  drawTheRest();
  document.documentElement.dataset[MARK] = 'drawn';
  // Programs that drive the page keep nothing.
  if (import.meta.env.PROD && readAddress(window.location.search).keepRuns) await keepOffline();
}
