/** The model that is loaded, fresh or from a checkpoint: runs begin from it, and questions about such a run are answered here. */
import type { RunConfig } from '../settings/schema/schema.ts';
import { address } from '../models/besidePage.ts';
import type { LoadedModel } from '@rl-playground/engine/parts';
import type { CustomTask } from '@rl-playground/tasks/parts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { referenceMoves } from '../chat/referenceMoves.ts';
import { BUNDLED_MODELS, STARTER } from '../models/bundledModels.ts';
import { loadBundledModel, loadNamedModel, modelKey, modelProblem } from '../models/namedModels.ts';
import { nothingReadable } from './modelNotes.ts';
import { heldOutPrompt, roomProblem, type HeldOutQuestion } from '../loop/prompts.ts';
import { newRunProblem } from './opening.ts';
import { knownPromptTokens } from '../plan/model.ts';
import { planOnPage, type PlannedPage } from '../plan/pagePlan.ts';
import type { Plan } from '../plan/types.ts';
import type { RunMachine } from './runState.ts';
import { sameRun } from '../settings/differences.ts';
import { rewardModelProblem } from '../rewardModel/rewardModel.ts';
import { sameValue } from '../settings/schema/fields.ts';
import { freshStart } from './sessionStart.ts';
import type { SftFiles } from '../sft/sftData.ts';
import { snapshotOf, type ShownRun } from './snapshot.ts';
import { customTasksOf, type RunProblem } from '../data/taskRows.ts';

/** The difference between a run and the task that it is asked with now. */
export const REWRITTEN = 'Its rows, its grader or its system prompt are not those that this run began with';

export class StartingPoint {
  readonly #shown: ShownRun;
  readonly #machine: Pick<RunMachine, 'run'>;
  readonly #sftFiles: SftFiles;
  #parts: CheckpointParts | null = null;
  /** The model's key (`modelKey`); null for a model from a file, which stays whatever settings name. */
  #key: string | null = null;

  constructor(shown: ShownRun, machine: Pick<RunMachine, 'run'>, sftFiles: SftFiles) {
    this.#shown = shown;
    this.#machine = machine;
    this.#sftFiles = sftFiles;
  }

  /** The parts of what is loaded; null until there is something. */
  get parts(): CheckpointParts | null {
    return this.#parts;
  }

  /** @throws Error where nothing is loaded yet. */
  loaded(): CheckpointParts {
    if (this.#parts) return this.#parts;
    throw new Error('There is no model to save yet. Wait until one is loaded.');
  }

  /** True if the model is one that settings may name, and is replaced by another that they name. */
  get isOurs(): boolean {
    return this.#key !== null;
  }

  /** The name of the loaded model where it is a bundled one, else that of the starter. */
  get bundledName(): string {
    const { modelName } = this.#shown.snapshot();
    return BUNDLED_MODELS.find((name) => this.isOurs && name === modelName) ?? STARTER;
  }

  /** Loads a bundled model while the device starts, and takes it when that has. */
  async loadBundled(name: string, device: Promise<void> = Promise.resolve()): Promise<void> {
    this.#shown.loading(`Loading the model ${name}`);
    let isWanted = true;
    // Where the device could not start, what goes on arriving is not shown.
    const say = (label: string, done: number, total: number): void => {
      if (isWanted) this.#shown.loading(label, done, total);
    };
    try {
      const [model] = await Promise.all([loadBundledModel(name, address, say), device]);
      this.#adoptFresh(model, name);
    } finally {
      isWanted = false;
    }
  }

  /** Loads the model that a run's settings name, unless it is there or one was brought from a file. */
  async loadModelOf(config: RunConfig): Promise<CheckpointParts> {
    const wantsAnother = this.#key !== null && this.#key !== modelKey(config);
    if (this.#parts !== null && !wantsAnother) return this.#parts;
    this.#shown.loading(`Loading the model ${config.model}`);
    this.#adoptFresh(await loadNamedModel(config, address, this.#shown.loading), modelKey(config));
    return this.loaded();
  }

  /** Loads what a new run begins from. It is the model that is there, but where a kept run has trained a model that settings name, that model as it was. */
  async beginningOf(config: RunConfig): Promise<CheckpointParts> {
    const loaded = this.loaded();
    if (this.#key === null || loaded.runConfig === null) return loaded;
    this.#shown.loading(`Loading the model ${config.model}`);
    this.#adoptFresh(await loadNamedModel(config, address, this.#shown.loading), this.#key);
    return this.loaded();
  }

  /** Loads the model before training; null where the reference is that one, or it can't be had again. */
  readonly untrained = async (config: RunConfig): Promise<LoadedModel | null> =>
    this.#key !== null && referenceMoves(config) ? loadNamedModel(config, address, () => undefined) : null;

  #adoptFresh(model: LoadedModel, key: string): void {
    this.adopt({ ...freshStart(model), runConfig: null }, key);
  }

  /** Takes and shows what was loaded. `key` is null for what came from a file. */
  adopt(parts: CheckpointParts, key: string | null = null): void {
    this.#parts = parts;
    this.#key = key;
    this.show(parts);
  }

  show(parts: CheckpointParts): void {
    this.#shown.update(snapshotOf(parts, this.isOurs));
  }

  /** True if a task of the user's own has changed since the run of these settings began: rewards of two programs, and answers to other rows, are not of one run. */
  isRewritten(config: RunConfig): boolean {
    const { run } = this.#machine;
    const named = this.#key === null || this.#key === modelKey(config) ? this.#parts?.model.name : undefined;
    const ofRun = (begun: RunConfig | null): boolean =>
      begun !== null && sameRun(begun, { ...config, model: named ?? config.model });
    const saved = run !== null && 'saved' in run ? run.saved : this.#parts;
    const session = run !== null && 'customTasks' in run && ofRun(run.config) ? run : null;
    const begun = session?.customTasks ?? (saved && ofRun(saved.runConfig) ? saved.customTasks : null);
    if (begun === null) return false;
    const now = customTasksOf(config);
    const isSame = (task: CustomTask, i: number): boolean =>
      (['name', 'rows', 'grader', 'system'] as const).every((key) => sameValue(task[key], now[i]?.[key]));
    return begun.length !== now.length || !begun.every(isSame);
  }

  /** The reason why a run of these settings can't begin or go on, or why the weights of the run can't be evaluated; null where they can. */
  obstacle(config: RunConfig, purpose: 'train' | 'evaluate' = 'train'): RunProblem | null {
    if (purpose === 'evaluate' && this.isRewritten(config))
      return {
        title: 'The task has been changed',
        text: `${REWRITTEN}, so its evaluations could not be compared. Press Train for a run of the changed task.`,
      };
    const before = this.#machine.run?.config ?? this.#parts?.runConfig ?? null;
    const unfinished = this.#shown.snapshot().step < config.numSteps;
    // A model that was loaded from a file is the one that trains, whatever its record calls it.
    const goesOn = before && unfinished && sameRun(before, { ...config, model: before.model });
    // An unfinished run has the rows and the adapter that it began with.
    return (
      (this.isOurs ? modelProblem(config) : null) ??
      rewardModelProblem(config) ??
      (goesOn ? null : newRunProblem(this.#parts, config, this.#sftFiles))
    );
  }

  /**
   * The same, or that the loaded model can read none of the run's problems, or has no room for them once a plan has counted their tokens;
   * null where a run would learn something.
   */
  problem(config: RunConfig): RunProblem | null {
    const obstacle = this.obstacle(config);
    if (obstacle !== null) return obstacle;
    const model = this.#key === null || this.#key === modelKey(config) ? this.#parts?.model : undefined;
    if (model === undefined) return null;
    const note = nothingReadable(config, model);
    if (note) return { cause: 'unread', title: note.title, text: note.text };
    const promptTokens = knownPromptTokens(model, config);
    return promptTokens === null ? null : roomProblem(promptTokens, config, model);
  }

  /** The text that the model reads, special tokens written out; empty while nothing is loaded. */
  promptText(ids: readonly number[]): string {
    return this.#parts?.model.tokenizer.decodeWhole(ids) ?? '';
  }

  /**
   * The prompt of a problem that one of the shown run's evaluations asked, made again from its settings.
   * @throws Error with a sentence where that is impossible, or would be another problem's prompt.
   */
  heldOutPrompt(asked: HeldOutQuestion): string {
    const { config } = this.#shown.snapshot();
    if (config === null || this.#parts === null)
      throw new Error('The prompt is rebuilt from the run’s model, and none is loaded.');
    const moment = (this.#machine.run ?? this.#parts.trainerState)?.promptMoment;
    return this.promptText(heldOutPrompt(config, this.#parts.model, asked, moment));
  }

  /** The facts that memory is planned with; null while nothing is loaded. */
  page(): PlannedPage | null {
    const { backend, metrics, config: runConfig } = this.#shown.snapshot();
    return this.#parts && backend ? { model: this.#parts.model, backend, metrics, runConfig } : null;
  }

  /** The memory and the time that a run of these settings takes; null while nothing is loaded. Rejects on an impossible adapter. */
  async plan(config: RunConfig): Promise<Plan | null> {
    const page = this.page();
    return page && (await planOnPage(page, config));
  }
}
