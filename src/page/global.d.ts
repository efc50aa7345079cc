import type { ModelFiles, OpenEngine } from '@rl-playground/engine/parts';
import type { PageEngine, PageEngineOptions } from '@rl-playground/run/session/pageEngine';
import type { answerRow, openChosen } from '@rl-playground/run/inspect/inPage';
import type { PageGenerator } from '@rl-playground/machines/pageGenerator';
import type { JoinedMachines } from '@rl-playground/machines';
import type { KeptRuns } from '@rl-playground/run/kept/keptRuns';
import type { RunController } from '@rl-playground/run/session';
import type { CustomTask, TaskRows } from '@rl-playground/tasks/parts';

declare global {
  interface ImportMetaEnv {
    /** The address of the source, for people. */
    readonly SOURCE_ADDRESS: string;
  }
  interface Window {
    /** The generator of a page that has joined a run. `npx rl-playground generator` drives the page through it. */
    rlPlaygroundGenerator?: PageGenerator;
    /** The page for programs, once the engine is loaded. The command line drives it, and the user may in the console. */
    rlPlayground?: {
      readonly controller: RunController;
      /** The runs that the browser keeps. */
      readonly kept: KeptRuns;
      readonly machines: () => Promise<JoinedMachines>;
      /**
       * Loads the model in chosen files or a zip under a label, with an adapter if its files are given. Rejects with the reason where it
       * can't be used.
       */
      readonly takeModel: (
        model: Pick<ModelFiles, 'label' | 'origin'>,
        files: readonly File[],
        adapterFiles: readonly File[],
      ) => Promise<void>;
      /** Takes the run in the files of a checkpoint's folder. Rejects with the reason where it can't go on. */
      readonly takeRun: (folder: Pick<ModelFiles, 'label'>, files: readonly File[]) => Promise<void>;
      /** Takes the reward model in the files of a folder. Rejects with the reason where it has not those of one. */
      readonly takeRewardModel: (name: string, files: readonly File[]) => Promise<void>;
      /** Takes the text of a JSONL file for the warm-up. Rejects with the reason where it can't be learned from. */
      readonly takeSftRows: (name: string, text: string) => Promise<void>;
      /** Takes rows for dataset tasks and the user's own tasks. Rejects with the reason where they can't be asked. */
      readonly takeData: (taskRows: readonly TaskRows[], customTasks: readonly CustomTask[]) => Promise<void>;
      /** Makes an engine for other training loops beside the page's run (docs/engine.md). */
      readonly createEngine: (options?: PageEngineOptions) => Promise<PageEngine>;
      /** Serves `npx rl-playground model`. */
      readonly inspect: () => Promise<{
        readonly openChosen: typeof openChosen;
        readonly answerRow: typeof answerRow;
      }>;
    };
  }
}
