import type { ModelFiles, OpenEngine } from '@rl-playground/engine/parts';
import type { PageEngine, PageEngineOptions } from '@rl-playground/run/session/pageEngine';
import type { answerRow, openServed } from '@rl-playground/run/inspect/inPage';
import type { PageGenerator } from '@rl-playground/machines/pageGenerator';
import type { MachinesOfPage } from '@rl-playground/machines';
import type { KeptRuns } from '@rl-playground/run/kept/keptRuns';
import type { RunController } from '@rl-playground/run/session';
import type { CustomTask, TaskRows } from '@rl-playground/tasks/parts';

declare global {
  interface Window {
    /** Set once a page that was opened as a generator has joined; `npx rl-playground generator` drives it through it. */
    rlPlaygroundGenerator?: PageGenerator;
    /** Set once the engine is loaded; the command line drives the page through it, and the user in the console. */
    rlPlayground?: {
      readonly controller: RunController;
      /** The runs that the browser keeps. */
      readonly kept: KeptRuns;
      /** Generators of other machines. */
      readonly machines: () => Promise<MachinesOfPage>;
      /** Loads the model in chosen files, or in the zip that they are, under a label, with an adapter if its files are there; rejects with the reason where it can't be used. */
      readonly takeModel: (
        model: Pick<ModelFiles, 'label' | 'origin'>,
        files: readonly File[],
        adapterFiles: readonly File[],
      ) => Promise<void>;
      /** Takes the run that the files of a chosen folder, a checkpoint's, hold; rejects with the reason where it can't be gone on with. */
      readonly takeRun: (folder: Pick<ModelFiles, 'label'>, files: readonly File[]) => Promise<void>;
      /** Takes the text of a JSONL file for the warm-up; rejects with the reason where it can't be learned from. */
      readonly takeSftRows: (name: string, text: string) => Promise<void>;
      /** Takes rows for dataset tasks, and tasks of the user's own; rejects with the reason where they can't be asked. */
      readonly takeData: (taskRows: readonly TaskRows[], customTasks: readonly CustomTask[]) => Promise<void>;
      /** An engine for other training loops, beside the page's run: docs/engine.md. */
      readonly createEngine: (options?: PageEngineOptions) => Promise<PageEngine>;
      /** For `npx rl-playground model`. */
      readonly inspect: () => Promise<{
        readonly openServed: typeof openServed;
        readonly answerRow: typeof answerRow;
      }>;
    };
  }
}
