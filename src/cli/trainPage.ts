/** The built page in a headless browser: opens it, trains in it, and reads the run's records and checkpoint. */
import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import type { Page } from 'playwright';
import { ModelFileError, recordedName, type ModelFiles, type ModelNames } from '@rl-playground/engine/parts';
import type { ModelPaths } from '@rl-playground/run/models/node';
import type { RunConfig } from '@rl-playground/run/settings';
import type { MachineRecord } from '@rl-playground/machines';
import { writeSftRows, type SftFile } from '@rl-playground/run/sft';
import type { EvalResult } from '@rl-playground/run/loop';
import type { StepMetrics } from '@rl-playground/run/metrics';
import type { OverriddenPlan } from '@rl-playground/run/records';
import type { Notice, RunPhase, RunSnapshot, SaveOptions } from '@rl-playground/run/session';
import type { UntrainedReport } from '@rl-playground/run/chat';
import { messageOf } from '@rl-playground/base/errors';
import { printProblem } from '@rl-playground/base/print';
import type { GivenData } from './dataWords.ts';
import { WriteError } from '@rl-playground/run/disk';
import type { StepAnswer } from './noFormat.ts';
import { choose, crashOf, openEnginePage, ownOf, type EngineChoice } from './enginePage.ts';

/** The changes of a run since the last update. */
export interface RunUpdate {
  readonly phase: RunPhase;
  /** The losses of the warm-up's new updates. */
  readonly sft: readonly number[];
  /** The number of tokens that each of them learned from. */
  readonly sftTokens: readonly number[];
  readonly metrics: readonly StepMetrics[];
  readonly evaluations: readonly EvalResult[];
  readonly notices: readonly Notice[];
  /** The first two answers of the latest step; empty if no step has ended. */
  readonly rollouts: readonly StepAnswer[];
  /** The lines of `rollouts.jsonl` of the new steps. */
  readonly rolloutLines: string;
  /** The plan of a run that was begun though it was not expected to fit into memory. */
  readonly overriddenPlan: OverriddenPlan | null;
  /** The steps whose checkpoints the page keeps until they are asked for. */
  readonly savedCheckpoints: readonly number[];
}

/** The milliseconds in which a page may leave a server that may be gone: more than a busy machine needs. */
const LEAVE_PATIENCE = 30_000;

/** The name under which the page finds the function that takes updates. */
const REPORT = 'rlPlaygroundReport';

interface TrainRequest {
  readonly config: RunConfig;
  readonly report: string;
  readonly work: 'train' | 'evaluate';
}

/** Runs in the page: trains, and reports each change once. */
async function trainInPage({ config, report, work }: TrainRequest): Promise<RunSnapshot> {
  const controller = window.rlPlayground?.controller;
  const send: unknown = Reflect.get(window, report);
  if (controller === undefined || typeof send !== 'function') throw new Error('The page was reloaded.');
  // A resumed run begins with these records.
  const before = controller.snapshot();
  let warmed = before.sft.losses.length;
  let steps = before.metrics.length;
  // Evaluations are known by identity: a later one of the same step replaces the one before it.
  const evaluated = new Set(before.evaluations);
  let phase: string | null = null;
  let logged = 0;
  const told = new Set<string>();
  const saved = new Set<number>();
  const tell = async () => {
    const now = controller.snapshot();
    const metrics = now.metrics.slice(steps);
    const log = controller.run?.log;
    const update = {
      phase: now.phase,
      sft: now.sft.losses.slice(warmed),
      sftTokens: now.sft.tokens.slice(warmed),
      metrics,
      evaluations: now.evaluations.filter((each) => !evaluated.has(each)),
      notices: now.notices.filter(({ id }) => !told.has(id)),
      rollouts:
        metrics.length === 0
          ? []
          : now.rollouts.slice(0, 2).map(({ question, text, reward, problem: { answer } }) => ({
              question,
              text,
              reward,
              problem: { answer },
            })),
      rolloutLines: (log?.steps ?? [])
        .filter(({ step }) => step > logged)
        .map(({ lines }) => lines)
        .join(''),
      overriddenPlan: log?.overriddenPlan ?? null,
      savedCheckpoints: (log?.checkpoints ?? []).map(({ step }) => step).filter((step) => !saved.has(step)),
    };
    const changed =
      update.sft.length +
      metrics.length +
      update.evaluations.length +
      update.notices.length +
      update.rolloutLines.length +
      update.savedCheckpoints.length;
    if (changed === 0 && now.phase === phase) return;
    warmed = now.sft.losses.length;
    steps = now.metrics.length;
    for (const each of update.evaluations) evaluated.add(each);
    phase = now.phase;
    logged = log?.steps.at(-1)?.step ?? logged;
    for (const step of update.savedCheckpoints) saved.add(step);
    for (const { id } of update.notices) told.add(id);
    await Reflect.apply(send, window, [update]);
  };
  const unsubscribe = controller.subscribe(() => void tell());
  try {
    await (work === 'train' ? controller.train(config) : controller.look('evaluate', config));
    await tell();
  } finally {
    unsubscribe();
  }
  return { ...controller.snapshot(), rollouts: [] };
}

/** @throws ModelFileError with the page's words. */
async function giveFiles(
  page: Page,
  kind: 'model' | 'run',
  files: Pick<ModelFiles, 'label' | 'origin'>,
  paths: ModelPaths,
): Promise<void> {
  const input = await choose(page, paths.model, kind === 'run');
  const adapterInput = await choose(page, paths.adapter);
  const own = await ownOf(page);
  // A failure comes back as its message: thrown, it would carry the page's stack along.
  const failure = await own.evaluate(
    (functions, given) => {
      const chosen = (from: HTMLInputElement): File[] => [...(from.files ?? [])];
      const taken =
        given.kind === 'run'
          ? functions.takeRun(given.files, chosen(given.input))
          : functions.takeModel(given.files, chosen(given.input), chosen(given.adapterInput));
      return taken.then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
    },
    { kind, files, input, adapterInput },
  );
  if (failure !== null) throw new ModelFileError(failure);
}

export type TrainPage = Awaited<ReturnType<typeof openTrainPage>>;

/**
 * Opens the page and waits for its training engine. `before` runs in the page ahead of its own scripts.
 *
 * @throws Error with the page's own words when the engine can't start.
 */
export async function openTrainPage(url: string, choice: EngineChoice, before?: () => void) {
  const { browser, page, line } = await openEnginePage(url, choice, before);
  let joined = false;
  return {
    /** The page, for programs that measure it. */
    page,
    /** The page's line about backend and adapter. */
    adapter: line,
    backend: (): Promise<'webgpu' | 'wasm'> =>
      page.evaluate(() => window.rlPlayground?.controller.snapshot().backend?.backend ?? 'wasm'),
    /**
     * Gives the page the model that runs begin from, and the adapter beside it. The page knows the model by the name that runs record.
     * @throws ModelFileError if they can't be used.
     */
    giveModel: (model: ModelNames, paths: ModelPaths): Promise<void> => {
      const { origin } = model;
      return giveFiles(page, 'model', { label: recordedName(model), ...(origin && { origin }) }, paths);
    },
    /** Gives the page the run of a checkpoint in a folder, to be continued. @throws ModelFileError if it can't be used. */
    giveCheckpoint: (folder: string): Promise<void> =>
      giveFiles(page, 'run', { label: basename(folder) }, { model: folder, adapter: null }),
    /** Gives the page the reward model in a folder. @throws ModelFileError if it has not the files of one. */
    giveRewardModel: async (name: string, folder: string): Promise<void> => {
      const input = await choose(page, folder, true);
      const failure = await (
        await ownOf(page)
      ).evaluate(
        (own, given) =>
          own.takeRewardModel(given.name, [...(given.input.files ?? [])]).then(
            () => null,
            (error: unknown) => (error instanceof Error ? error.message : String(error)),
          ),
        { name, input },
      );
      if (failure !== null) throw new ModelFileError(failure);
    },
    /** Gives the page rows for the warm-up, which a run names in its settings. */
    giveRows: async ({ name, rows }: SftFile): Promise<void> =>
      (await ownOf(page)).evaluate((own, given) => own.takeSftRows(given.name, given.text), {
        name,
        text: writeSftRows(rows),
      }),
    /** Gives the page rows for the run's task. */
    giveData: async (data: GivenData): Promise<void> =>
      (await ownOf(page)).evaluate((own, given) => own.takeData(given.taskRows, given.customTasks), data),
    /**
     * Trains to the end, or evaluates what was trained to the end. Resolves to the last snapshot, without rollouts. Updates come in order,
     * and have only what is new.
     */
    async train(
      config: RunConfig,
      onUpdate: (update: RunUpdate) => void,
      work: 'train' | 'evaluate' = 'train',
    ): Promise<RunSnapshot> {
      await page.exposeFunction(REPORT, onUpdate);
      return Promise.race([page.evaluate(trainInPage, { config, report: REPORT, work }), crashOf(page)]);
    },
    /** Puts prompts that no task trains on to the model before training and now; null where it does not answer, which is printed. */
    untrained: (): Promise<UntrainedReport | null> =>
      page
        .evaluate(() => window.rlPlayground?.controller.look('untrained', null) ?? null)
        .catch((error: unknown) => {
          printProblem(`The prompts that it was not trained on were not answered: ${messageOf(error)}`);
          return null;
        }),
    /** Lets machines join its runs at the server of this address, which a page can reach. @throws Error if no server answers there. */
    async join(address: string, local: boolean): Promise<void> {
      joined = true;
      const own = await ownOf(page);
      const failure = await own.evaluate(
        async (functions, server) => {
          try {
            const machines = await functions.machines();
            await machines.invite(server.address, { local: server.local });
            return null;
          } catch (error) {
            return error instanceof Error ? error.message : String(error);
          }
        },
        { address, local },
      );
      if (failure !== null) throw new Error(failure);
    },
    /** Returns the machines that have joined so far. */
    machines: (): Promise<readonly MachineRecord[]> =>
      page.evaluate(async () => {
        const machines = await window.rlPlayground?.machines();
        return machines?.snapshot().machines ?? [];
      }),
    /** Ends the run as the Stop button does: the present step is finished, and the weights are evaluated. */
    stop: () => page.evaluate(() => window.rlPlayground?.controller.stop()),
    /** Returns the path of a checkpoint zip, until the page is closed: of a step that was reported as saved, once, or of the current weights. */
    async checkpoint(step: number | 'now', options: SaveOptions = {}): Promise<string> {
      const own = await ownOf(page);
      const asked = { what: step === 'now' ? ('checkpoint' as const) : step, options };
      const [download] = await Promise.all([
        page.waitForEvent('download', { timeout: 300_000 }),
        own.evaluate(async ({ controller }, { what, options: how }) => {
          const saved = await controller.save(what, how);
          const link = document.createElement('a');
          link.href = URL.createObjectURL(await saved.blob());
          link.download = saved.filename;
          link.click();
        }, asked),
      ]);
      return download.path().catch(async () => {
        const reason = (await download.failure()) ?? 'for no reason that it says';
        throw new WriteError(`The browser could not write a checkpoint to ${tmpdir()}: ${reason}.`);
      });
    },
    async close(): Promise<void> {
      // The page leaves first, so that a server deletes what it keeps of the run.
      const leaving = joined && page.evaluate(async () => (await window.rlPlayground?.machines())?.leave());
      const patience = new Promise((resolve) => setTimeout(resolve, LEAVE_PATIENCE).unref());
      if (leaving) await Promise.race([leaving, patience]).catch(() => undefined);
      await browser.close();
    },
  };
}
