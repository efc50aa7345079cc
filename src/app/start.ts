/** Brings the training engine in after the first paint and keeps store, address and engine in step. */
import { reportError } from './actions.ts';
import { readAddress, writeAddress } from './address.ts';
import { formErrors } from './form/settings.ts';
import { throttled } from './throttle.ts';
import { useApp } from './store.ts';
import { fetchParts } from './ui/lazyPart.tsx';
import { restoreSftRows, takeSftText, sftFiles } from './sft/sftRows.ts';

/** Four commits per second: charts stay readable and the trainer keeps the main thread. */
const COMMIT_MILLISECONDS = 250;

/** Milliseconds until work begins in a tab that paints nothing because nobody looks at it. */
const UNSEEN_WAIT = 1000;

/** Calls `work` once: after the second frame, when the page is on the screen, or in a background tab after a second. */
export function afterFirstPaint(work: () => void): void {
  let begun = false;
  const begin = (): void => {
    if (begun) return;
    begun = true;
    work();
  };
  requestAnimationFrame(() => requestAnimationFrame(begin));
  setTimeout(begin, UNSEEN_WAIT);
}

/** Writes every valid change of the form into the page's address. */
export function keepAddress(): void {
  useApp.subscribe((state, before) => {
    if (state.form === before.form || formErrors(state.form).size > 0) return;
    const { pathname, search, hash } = window.location;
    window.history.replaceState(null, '', pathname + writeAddress(state.form, search) + hash);
  });
}

/** Loads the engine and hands it to the page and, as `window.rlPlayground`, to the command line that drives the page and to its console. */
export async function startEngine(): Promise<void> {
  const { backend, limits, deadline, keepRuns } = readAddress(window.location.search);
  try {
    const [
      { loadCustomTasks, adoptCustomTasks },
      { createRunController },
      { watchKl },
      { watchKept },
      { noteEvents },
    ] = await Promise.all([
      import('./custom/library.ts'),
      import('../run/controller.ts'),
      import('./notices/klNotice.ts'),
      import('./kept/keptActions.ts'),
      import('./diagnostics/events.ts'),
    ]);
    watchKl();
    // By the page's address a run may be one of a custom task, or learn from the user's rows.
    await Promise.all([loadCustomTasks(), restoreSftRows()]);
    const controller = await createRunController({
      backend,
      limits,
      deadline,
      model: useApp.getState().form.model,
      keepRuns,
      adoptCustomTasks,
      sftFiles,
    });
    const commit = throttled(() => useApp.setState({ snapshot: controller.snapshot() }), COMMIT_MILLISECONDS);
    controller.subscribe(commit);
    useApp.setState({ controller, snapshot: controller.snapshot() });
    void watchKept(controller);
    noteEvents(controller);
    window.rlPlayground = {
      controller,
      inspect: () => import('../run/inspect/inPage.ts'),
      benchmark: () => import('../bench/pageBenchmark.ts'),
      takeModel: async (model, files, adapterFiles) => {
        const { filesChosen } = await import('../hub/zipFiles.ts');
        const adapter = adapterFiles.length === 0 ? null : await filesChosen('The adapter', adapterFiles);
        await controller.takeModel({ ...(await filesChosen(model.label, files)), ...model }, adapter);
      },
      takeRun: async ({ label }, files) => {
        const { filesOfFolder } = await import('../hub/sources.ts');
        await controller.takeRun(filesOfFolder(label, files));
      },
      takeSftRows: takeSftText,
      takeData: async (taskRows, customTasks) => {
        const { provideRows } = await import('../run/data/taskRows.ts');
        provideRows(taskRows);
        await adoptCustomTasks(customTasks);
      },
      createEngine: async (options) => {
        const { createPageEngine } = await import('../run/engine/pageEngine.ts');
        return createPageEngine(controller, options);
      },
    };
  } catch (error) {
    useApp.setState((state) => ({ snapshot: { ...state.snapshot, phase: 'failed' } }));
    reportError(
      'The training engine could not start',
      error,
      'Reload the page. If it happens again, add ?backend=wasm to the address to compute without the GPU.',
    );
  }
  await fetchParts();
}
