/** What a run begins from: the model that is loaded, fresh or as a checkpoint has it, and what a run of it would take. */
import type { RunConfig } from '../settings/schema/schema.ts';
import { address } from '../environment/besidePage.ts';
import type { LoadedModel, EngineEnvironment } from '@rl-playground/engine/parts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { referenceMoves } from './comparison.ts';
import { BUNDLED_MODELS, STARTER } from '../models/bundledModels.ts';
import { loadBundledModel, loadNamedModel, modelKey, modelProblem } from '../models/namedModels.ts';
import { nothingReadable } from './modelNotes.ts';
import { heldOutPrompt, type HeldOutQuestion } from '../loop/prompts.ts';
import { newRunProblem } from './opening.ts';
import {
  budgetsOnPage,
  checkBuffers,
  memoryWarning,
  planOnPage,
  type PlannedPage,
} from '../plan/pagePlan.ts';
import type { Plan } from '../plan/types.ts';
import { sameRun } from './sameRun.ts';
import { freshStart } from './session.ts';
import type { SftFiles } from '../sft/sftData.ts';
import { snapshotOf, type RunState } from './state.ts';
import type { RunProblem } from '../data/taskRows.ts';
import { pageEnvironment, type PageParts } from '../environment/pageEnvironment.ts';

export class StartingPoint {
  readonly #state: RunState;
  #parts: CheckpointParts | null = null;
  /** `modelKey` of what is loaded; null for a model from a file, which stays whatever settings name. */
  #key: string | null = null;

  constructor(state: RunState) {
    this.#state = state;
  }

  /** Null until something is loaded. */
  get parts(): CheckpointParts | null {
    return this.#parts;
  }

  /** @throws Error where nothing is loaded yet. */
  loaded(): CheckpointParts {
    if (this.#parts) return this.#parts;
    throw new Error('There is no model to save yet. Wait until one is loaded.');
  }

  /** Whether the model is one that settings may name, and is replaced by another that they name. */
  get isOurs(): boolean {
    return this.#key !== null;
  }

  /** A bundled model: the one that is there where it is one, else the starter. */
  get bundledName(): string {
    const { modelName } = this.#state.snapshot;
    return BUNDLED_MODELS.find((name) => this.isOurs && name === modelName) ?? STARTER;
  }

  /** It is fetched while the device starts, and taken when that has. */
  async loadBundled(name: string, device: Promise<void> = Promise.resolve()): Promise<void> {
    this.#state.loading(`Loading the model ${name}`);
    let isWanted = true;
    // A device that could not start has ended this, whatever goes on arriving.
    const say = (label: string, done: number, total: number): void => {
      if (isWanted) this.#state.loading(label, done, total);
    };
    try {
      const [model] = await Promise.all([loadBundledModel(name, address, say), device]);
      this.#adoptFresh(model, name);
    } finally {
      isWanted = false;
    }
  }

  /** The model that a run's settings name, from beside the page or from nothing, unless it is there or one was brought from a file. */
  async loadModelOf(config: RunConfig): Promise<CheckpointParts> {
    const wantsAnother = this.#key !== null && this.#key !== modelKey(config);
    if (this.#parts !== null && !wantsAnother) return this.#parts;
    this.#state.loading(`Loading the model ${config.model}`);
    this.#adoptFresh(await loadNamedModel(config, address, this.#state.loading), modelKey(config));
    return this.loaded();
  }

  /** What a new run begins from: the model that is loaded, but where a kept run has trained a model that settings name, that model as it was. */
  async beginningOf(config: RunConfig): Promise<CheckpointParts> {
    const loaded = this.loaded();
    if (this.#key === null || loaded.runConfig === null) return loaded;
    this.#state.loading(`Loading the model ${config.model}`);
    this.#adoptFresh(await loadNamedModel(config, address, this.#state.loading), this.#key);
    return this.loaded();
  }

  /** The model before training; null where the reference is that one, or it can't be had again. */
  readonly untrained = async (config: RunConfig): Promise<LoadedModel | null> =>
    this.#key !== null && referenceMoves(config) ? loadNamedModel(config, address, () => undefined) : null;

  #adoptFresh(model: LoadedModel, key: string): void {
    this.adopt({ ...freshStart(model), runConfig: null }, key);
  }

  /** Shows it, as where the page stands. `key`: null for what came from a file. */
  adopt(parts: CheckpointParts, key: string | null = null): void {
    this.#parts = parts;
    this.#key = key;
    this.show(parts);
  }

  /** Keeps its model's key: on another device, the same run. */
  replace(parts: CheckpointParts): void {
    this.#parts = parts;
  }

  show(parts: CheckpointParts): void {
    this.#state.update(snapshotOf(parts, this.isOurs));
  }

  /** What keeps a run of these settings from beginning or going on, in words; null where nothing does. `session`: settings of the one that is open. */
  problem(config: RunConfig, session: RunConfig | undefined, files: SftFiles): RunProblem | null {
    const before = session ?? this.#parts?.runConfig ?? null;
    const unfinished = this.#state.snapshot.step < config.numSteps;
    // A model that was loaded from a file is the one that trains, whatever its record calls it.
    const goesOn = before && unfinished && sameRun(before, { ...config, model: before.model });
    // An unfinished run has the rows and the adapter that it began with.
    return (
      (this.isOurs ? modelProblem(config) : null) ??
      (goesOn ? null : newRunProblem(this.#parts, config, files))
    );
  }

  /** Says so where what is loaded, and would be trained, can read none of the run's problems. */
  unreadable(config: RunConfig): RunProblem | null {
    const model = this.#key === null || this.#key === modelKey(config) ? this.#parts?.model : undefined;
    const note = model && nothingReadable(config, model);
    return note ? { cause: 'unread', title: note.title, text: note.text } : null;
  }

  promptText(ids: readonly number[]): string {
    return this.#parts?.model.tokenizer.decodeWhole(ids) ?? '';
  }

  /** See `RunController`. `moment`: the open session's, of its prompts. */
  heldOutPrompt(asked: HeldOutQuestion, moment = this.#parts?.trainerState?.promptMoment): string {
    const { config } = this.#state.snapshot;
    if (config === null || this.#parts === null)
      throw new Error('The prompt is made again from the run’s model, and none is loaded.');
    return this.promptText(heldOutPrompt(config, this.#parts.model, asked, moment));
  }

  /** Null while nothing is loaded. */
  page(): PlannedPage | null {
    const { backend, metrics, config: runConfig } = this.#state.snapshot;
    return this.#parts && backend ? { model: this.#parts.model, backend, metrics, runConfig } : null;
  }

  /** What a session of these settings works in. */
  environment(config: RunConfig, around: PageParts): Promise<EngineEnvironment> {
    const page = this.page();
    const budgets = page && budgetsOnPage(page, config);
    return pageEnvironment(page?.backend.backend ?? 'wasm', config.generatorPlacement, {
      ...around,
      budgets,
    });
  }

  async plan(config: RunConfig): Promise<Plan | null> {
    const page = this.page();
    return page && (await planOnPage(page, config));
  }

  /** Throws where a buffer is impossible. What is only expected not to fit is tried: a notice says so, and the overridden plan is returned. */
  checkMemory(config: RunConfig): Plan | null {
    const page = this.page();
    const plan = page && checkBuffers(page, config);
    const warning = plan && memoryWarning(plan);
    if (!warning) return null;
    this.#state.notify({ kind: 'warning', ...warning });
    return plan;
  }
}
