/** Opens the training engine and keeps the page's store in step with it. It is loaded after the page is drawn. */
import { filesOfFolder } from '@rl-playground/engine/parts';
import { RunController } from '@rl-playground/run/session/controller';
import { KeptRuns } from '@rl-playground/run/kept/keptRuns';
import { ProblemWatch, type RunSnapshot } from '@rl-playground/run/session';
import { provideRows } from '@rl-playground/run/data';
import { useKept } from './keep/kept/keptStore.ts';
import { useForm } from './run/form/formStore.ts';
import { machinesOfRun } from './run/machines/machinesOfRun.ts';
import { showSnapshot, showRunOf, showWatch, useRun } from './run/state/runStore.ts';
import { readAddress } from './run/address/address.ts';
import { askWhereRefused } from './run/connections/ask.ts';
import { adoptCustomTasks, loadCustomTasks } from './run/tasks/library.ts';
import { noteEvents } from './see/diagnostics/events.ts';
import { reloadsIsolated } from './run/offline/isolate.ts';
import { watchKept } from './keep/kept/keptActions.ts';
import { offerLinkedTasks } from './keep/share/links.ts';
import { restoreSftRows, sftFiles, takeSftText } from './own/sft/sftRows.ts';
import { throttled } from './ui/draw/throttle.ts';

/** Four updates per second keep charts readable and leave the main thread to the trainer. */
const COMMIT_MILLISECONDS = 250;

/**
 * Opens the engine and hands it to the page and, as `window.rlPlayground`, to the command line and the console. Resolves to false where the
 * page is about to be loaded again. @throws Error that says what is missing
 */
export async function openEngine(): Promise<boolean> {
  if (!window.crossOriginIsolated && (await reloadsIsolated())) return false;
  const { backend, limits, gpuBytes, deadline, keepRuns, beginsWithPreflight } = readAddress(
    window.location.search,
  );
  askWhereRefused();
  // By the page's address a run may be one of a custom task, or learn from the user's rows.
  await Promise.all([loadCustomTasks(), restoreSftRows()]);
  await offerLinkedTasks();
  const controller = new RunController({
    backend,
    limits,
    gpuBytes,
    deadline,
    model: useForm.getState().form.model,
    beginsWithPreflight,
    adoptCustomTasks,
    sftFiles,
  });
  const kept = new KeptRuns(controller, keepRuns);
  const isLoading = ({ phase }: RunSnapshot): boolean => phase === 'loading';
  const commit = throttled(
    () => showSnapshot(controller.snapshot()),
    COMMIT_MILLISECONDS,
    // A run can begin when that is shown.
    () => isLoading(useRun.getState().snapshot) && !isLoading(controller.snapshot()),
  );
  controller.subscribe(commit);
  showRunOf(controller, kept);
  const { rewardModel } = useForm.getState().form;
  if (rewardModel !== '')
    void import('./run/reward/rewardActions.ts').then((reward) => reward.restoreRewardModel(rewardModel));
  const watch = new ProblemWatch();
  controller.hear(watch);
  watch.subscribe(throttled(() => showWatch(watch), COMMIT_MILLISECONDS));
  showWatch(watch);
  void kept.keepPastWeights(useKept.getState().pastWeights);
  void watchKept(controller, kept);
  noteEvents(controller);
  window.rlPlayground = {
    controller,
    kept,
    machines: () => machinesOfRun(controller),
    inspect: () => import('@rl-playground/run/inspect/inPage'),
    takeModel: async (model, files, adapterFiles) => {
      const { filesChosen } = await import('@rl-playground/engine/zip');
      const adapter = adapterFiles.length === 0 ? null : await filesChosen('The adapter', adapterFiles);
      await controller.open({ model: { ...(await filesChosen(model.label, files)), ...model }, adapter });
    },
    takeRun: async ({ label }, files) => {
      await controller.open({ run: filesOfFolder(label, files) });
    },
    takeRewardModel: async (name, files) => {
      const { takeRewardModel } = await import('./run/reward/rewardActions.ts');
      await takeRewardModel(name, filesOfFolder(name, files));
    },
    takeSftRows: takeSftText,
    takeData: async (taskRows, customTasks) => {
      provideRows(taskRows);
      await adoptCustomTasks(customTasks);
    },
    createEngine: async (options) => {
      const { createPageEngine } = await import('@rl-playground/run/session/pageEngine');
      return createPageEngine(controller, options);
    },
  };
  return true;
}
