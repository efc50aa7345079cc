/** Checks hand-ins one after the other, beside the page's run: that run, its settings and the list of runs stay as they are. */
import { messageOf } from '@rl-playground/base/errors';
import { breathe } from '@rl-playground/engine/parts';
import type { Verdict } from '@rl-playground/run/handIn';
import type { RunController } from '@rl-playground/run/session';
import { adoptCustomTasks } from '../../run/tasks/library.ts';
import { useRun } from '../../run/state/runStore.ts';
import { changeHandIns, useKept, type HandInFile } from '../kept/keptStore.ts';
import { computation } from './handInActions.ts';
import { handInOf, rowOf } from './handInTable.ts';

let nextId = 1;

/** Reads files into the table. Files that a system hides in folders are passed over. */
export async function addHandIns(files: readonly File[]): Promise<void> {
  for (const file of files) {
    if (file.name.startsWith('.')) continue;
    const row = await rowOf(nextId++, file);
    changeHandIns(({ files: rows }) => ({ files: [...rows, row] }));
  }
}

export const forgetHandIns = (): void => changeHandIns(() => ({ files: [] }));

const change = (id: number, changes: Partial<HandInFile>): void =>
  changeHandIns(({ files }) => ({
    files: files.map((row) => (row.id === id ? { ...row, ...changes } : row)),
  }));

export const isWaiting = ({ claim, verdict, problem }: HandInFile): boolean =>
  claim !== null && verdict === null && problem === null;

/** True for a file whose check came to no end, so that another one may. */
const isWorthAnother = ({ claim, verdict, problem }: HandInFile): boolean =>
  claim !== null && (problem !== null || verdict?.kind === 'unconfirmed');

let cancelling = new AbortController();

export const cancelChecks = (): void => cancelling.abort();

/** Checks all files that wait, until somebody cancels. */
export async function checkHandIns(): Promise<void> {
  const { controller } = useRun.getState();
  if (controller === null || useKept.getState().handIns.checking !== null) return;
  const { signal } = (cancelling = new AbortController());
  for (const row of useKept.getState().handIns.files)
    if (isWorthAnother(row)) change(row.id, { verdict: null, problem: null });
  try {
    while (!signal.aborted) {
      const row = useKept.getState().handIns.files.find(isWaiting);
      if (row === undefined) break;
      changeHandIns(() => ({ checking: row.id, agreed: 0 }));
      try {
        change(row.id, { verdict: await checkOne(controller, row, signal) });
      } catch (error) {
        change(row.id, { problem: `Can’t be re-run: ${messageOf(error)}` });
      }
    }
  } finally {
    changeHandIns(() => ({ checking: null, agreed: 0 }));
  }
}

/** Resolves to null if the check was cancelled. */
async function checkOne(
  controller: RunController,
  { file, claim }: HandInFile,
  signal: AbortSignal,
): Promise<Verdict | null> {
  const { checkHandIn } = await import('@rl-playground/run/handIn/check');
  const handIn = await handInOf(file);
  await adoptCustomTasks(handIn.customTasks);
  const turn = new Turn(controller);
  await turn.take();
  const began = performance.now();
  try {
    return await checkHandIn(handIn, {
      open: (config, given) => controller.openBeside(config, given),
      computation: () => computation(controller.snapshot()),
      onStep: (agreed) => {
        const answers = (claim?.answers ?? 0) * (agreed / handIn.metrics.length);
        const pace = (performance.now() - began) / 1000 / Math.max(1, answers);
        changeHandIns(() => ({ agreed, pace }));
      },
      betweenSteps: () => turn.pass(),
      signal,
    });
  } finally {
    turn.give();
  }
}

/** The device is used by the check and by the page's run in turns: what a person asks of the page waits for a step at most. */
class Turn {
  readonly #controller: RunController;
  readonly #backend;
  #over: () => void = () => undefined;

  constructor(controller: RunController) {
    this.#controller = controller;
    this.#backend = controller.snapshot().backend;
  }

  /** @throws Error where the page has another device by now: what the check holds was on the one before. */
  async take(): Promise<void> {
    await new Promise<void>((taken) => {
      void this.#controller.beside(
        () =>
          new Promise<void>((over) => {
            this.#over = over;
            taken();
          }),
      );
    });
    if (this.#controller.snapshot().backend !== this.#backend)
      throw new Error('The page has changed its device. Verify the file again.');
  }

  give(): void {
    this.#over();
  }

  async pass(): Promise<void> {
    this.give();
    // Whatever waits for the device begins now, and comes first.
    await breathe();
    await this.take();
  }
}
