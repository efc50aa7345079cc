/** What the page sees of a run and what it may ask of it. The page draws snapshots and calls methods; nothing else. */
import type { Deadline } from '@rl-playground/base/deadline';
import type {
  DeviceLimits,
  BackendInfo,
  ModelFiles,
  EngineEnvironment,
  StoredWeights,
  ModelConfig,
} from '@rl-playground/engine/parts';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { Alarm } from '../diagnosis/alarms/watch.ts';
import type { EvalResult } from '../loop/evaluate.ts';
import type { Rollout } from '../loop/rollouts.ts';
import type { StepMetrics } from '../metrics/metrics.ts';
import type { PromptStyle } from '@rl-playground/tasks/parts';
import type { ChosenFile } from './chosenFiles.ts';
import type { ComparedAnswers, OnText, Question } from './comparison.ts';
import type { Download } from '../export/zipDownload.ts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import type { ForkPoint } from '../kept/keptRun.ts';
import type { KeptRun } from '../kept/runStore.ts';
import type { OpenedParts } from './opening.ts';
import type { Plan } from '../plan/types.ts';
import type { RunProblem } from '../data/taskRows.ts';
import type { PreflightReport } from './preflight.ts';
import type { LikeliestTokens, NextToken } from './likeliest.ts';
import type { HeldOutQuestion } from '../loop/prompts.ts';
import type { RunLog, RunWords } from '../records/runLog.ts';

export type { BackendInfo };

export type RunPhase =
  /** Nothing loaded yet, or model ready and no step made. */
  | 'idle'
  | 'loading'
  /** Supervised updates before the first step. */
  | 'sft'
  | 'evaluating'
  | 'training'
  | 'pausing'
  | 'paused'
  | 'stopping'
  /** Stopped by the user before the last step. */
  | 'stopped'
  | 'finished'
  | 'failed';

export interface Progress {
  readonly label: string;
  readonly done: number;
  readonly total: number;
  readonly tokensPerSecond: number | null;
  readonly secondsLeft: number | null;
}

/** `collapse`: the alarm of the watch over a run, one at a time; `info` and `error` are messages about the last action. */
export interface Notice {
  readonly id: string;
  readonly kind: 'info' | 'warning' | 'error' | 'collapse';
  readonly title: string;
  readonly text: string;
  /** What can be done about it with a click: the run goes on with the CPU. */
  readonly offer?: 'cpu';
  /** What a notice of kind `collapse` says in words. */
  readonly alarm?: Alarm;
}

export interface RunSnapshot {
  readonly phase: RunPhase;
  /** The id under which the browser keeps the run; null before there is one, and where it keeps none. */
  readonly run: string | null;
  readonly backend: BackendInfo | null;
  readonly modelName: string | null;
  readonly parameterCount: number | null;
  /** What rules for the learning rate ask of a model. */
  readonly modelShape: Pick<ModelConfig, 'hiddenSize' | 'modelType'> | null;
  /** How its tasks ask it; null until there is one. */
  readonly promptStyle: PromptStyle | null;
  /** Whether a run may replace the model by the one that its settings name: what the user loaded stays. */
  readonly modelIsOurs: boolean;
  /** Whether checkpoints leave out the model's weights, because an adapter is trained beside them. */
  readonly baseApart: boolean;
  /** The settings of the current run; null before the first step. The form may differ from it. */
  readonly config: RunConfig | null;
  readonly step: number;
  readonly totalSteps: number;
  /** Loss of each update of the warm start, and how many there are to be; 0 without one. */
  readonly sft: {
    readonly losses: readonly number[];
    /** Tokens learned from in each; shorter for runs begun before they were counted. */
    readonly tokens: readonly number[];
    readonly total: number;
  };
  /** What answers before the first step say of the run; null until they were sampled. */
  readonly preflight: PreflightReport | null;
  readonly metrics: readonly StepMetrics[];
  readonly evaluations: readonly EvalResult[];
  readonly rollouts: readonly Rollout[];
  readonly progress: Progress | null;
  readonly notices: readonly Notice[];
  readonly wallSeconds: number;
}

export interface SaveOptions {
  /** With the frozen base that the run's adapter belongs to, so that opening needs nothing else. */
  readonly full?: boolean;
}

export interface KeptRunsOfPage {
  /** The newest first. */
  list(): Promise<readonly KeptRun[]>;
  /** Goes on with one, as `load` does with a checkpoint. */
  continue(kept: KeptRun): Promise<Partial<RunConfig> | null>;
  /** Shows a run that another tab trains, commit by commit, until something else is begun or loaded here. */
  follow(kept: KeptRun): Promise<Partial<RunConfig> | null>;
  /** Goes on from one of its checkpoints under other settings, as a run of its own; `continue`'s words hold. */
  fork(kept: KeptRun, at: ForkPoint, config: RunConfig): Promise<Partial<RunConfig> | null>;
  /** What it can be forked from, the newest first. */
  forkPoints(kept: KeptRun): Promise<readonly ForkPoint[]>;
  /** @throws ModelFileError where a tab has it open. */
  remove(kept: KeptRun): Promise<void>;
  /** Keeps the run as it stands, between two pieces of work; resolves to whether a reload then costs nothing of it. */
  keepNow(): Promise<boolean>;
  /** Whether closing the page now would cost work of the run. */
  unsaved(): boolean;
  /** Whether weights of past steps are kept from now on; where not, those of all runs are deleted. */
  keepPastWeights(on: boolean): Promise<void>;
  /** Calls `changed` after each commit and deletion, of this tab and others. */
  onChange(changed: () => void): void;
}

/** What a run's engine has around it beside the page's own generators, such as machines that join. */
export interface RunSurroundings {
  /** Whether it has changed since a run was given it: a paused run then goes on in a new session. */
  readonly changed: boolean;
  /** The surroundings of a run that is about to begin or to go on. `line`: what the backend says of itself. */
  around(own: EngineEnvironment, config: RunConfig, line: string): Promise<EngineEnvironment>;
}

/** A run between two of its steps, for whoever writes it in another form. */
export interface RunAtRest {
  readonly parts: CheckpointParts;
  /** The weights that the run began from. */
  readonly began: StoredWeights;
}

export interface RunController {
  snapshot(): RunSnapshot;
  /** From its next start on, a run has this around it. */
  surround(surroundings: RunSurroundings): void;
  /** Called after every change; returns the unsubscribe function. */
  subscribe(listener: () => void): () => void;
  /** Starts a new run, or goes on with a paused, stopped or loaded one. */
  train(config: RunConfig): Promise<void>;
  pause(): void;
  /** The supervised updates before reinforcement alone, then paused. Starts the run if there is none. */
  fineTune(config: RunConfig): Promise<void>;
  /** Exactly one update, of the warm start or of reinforcement, then paused. Starts the run if there is none. */
  step(config: RunConfig): Promise<void>;
  /** Ends after the current phase, evaluates, keeps weights and log. */
  stop(): void;
  /** Back to the freshly loaded model; the log is emptied. */
  reset(): Promise<void>;
  /** Evaluates the current weights on the held-out set. */
  evaluate(config: RunConfig): Promise<void>;
  /** Samples a few answers and says what a run of these settings would meet. */
  preflight(config: RunConfig): Promise<void>;
  /** What keeps a run of these settings from beginning, or from learning anything; null where nothing does. */
  problem(config: RunConfig): RunProblem | null;
  /**
   * What the model said before training, and what it says now; null where it failed, which a notice explains. `onText` hears of both as
   * they are written, one after the other.
   */
  compare(config: RunConfig, question: Question, onText?: OnText): Promise<ComparedAnswers | null>;
  /**
   * What the model that wrote an answer would most likely write at a place of it, or where its weights are no longer kept the model as it is now;
   * of a run under way between two of its steps. Null where the run is not on the
   * device: with its settings as `config` it is brought there, and null means that this failed, which a notice explains.
   */
  likeliest(asked: NextToken, config?: RunConfig): Promise<LikeliestTokens | null>;
  /** A zip in Hugging Face layout with optimizer state, config, metrics and evaluations. */
  checkpoint(options?: SaveOptions): Promise<Download>;
  /**
   * The run directory (settings, log, completions, evaluations, checkpoints, model, and in `words` what it is called) as one zip. Rejects
   * where no run has begun.
   */
  runDirectory(words?: RunWords | null): Promise<Download>;
  /** What is kept of the current run beside its metrics; null before there is one. */
  runLog(): RunLog | null;
  /** A checkpoint that was kept on the way, as a zip; it is kept no longer. Rejects where there is none of that step. */
  takeCheckpoint(step: number, options?: SaveOptions): Promise<Download>;
  /** The run as it stands between two of its steps. Rejects where its weights are gone. */
  atRest(): Promise<RunAtRest>;
  /**
   * Loads a checkpoint, a model or an adapter of the model that is there; resolves to the settings that it brings along. On any error the
   * current run stays as it was and a notice says why.
   */
  load(chosen: readonly ChosenFile[]): Promise<Partial<RunConfig> | null>;
  /**
   * Loads a model for runs to begin from, whatever their settings name, or an adapter beside it; resolves to the settings that an adapter
   * brings along. On any error it rejects and the current run stays.
   */
  takeModel(files: ModelFiles, adapter?: ModelFiles | null): Promise<Partial<RunConfig> | null>;
  /** Loads the run that the files of a checkpoint hold; on any error it rejects and the current run stays. */
  takeRun(files: ModelFiles): Promise<void>;
  switchBackend(backend: 'webgpu' | 'wasm'): Promise<void>;
  /** What the model reads, special tokens written out; empty while nothing is loaded. */
  promptText(ids: readonly number[]): string;
  /**
   * The same of a problem of one of the shown run's evaluations, made again from its settings. Throws with a sentence where that is
   * impossible, or would be another problem's.
   */
  heldOutPrompt(asked: HeldOutQuestion): string;
  /** What a run of these settings takes of memory and time; null while nothing is loaded. Rejects on an impossible adapter. */
  plan(config: RunConfig): Promise<Plan | null>;
  /** What this browser keeps of runs. */
  readonly kept: KeptRunsOfPage;
  notify(notice: Omit<Notice, 'id'>): void;
  dismiss(noticeId: string): void;
}

export interface ControllerOptions extends OpenedParts {
  readonly backend: 'webgpu' | 'wasm' | null;
  readonly limits: DeviceLimits;
  /** What the GPU has of memory, where the address says it. */
  readonly gpuBytes?: number;
  /** How long generators and threads may say nothing. */
  readonly deadline?: Deadline;
  /** Whether runs begin with their pre-flight unasked, as they do where this is left out. */
  readonly beginsWithPreflight?: boolean;
  /** Whether the browser keeps runs; a program that drives the page keeps them itself. */
  readonly keepRuns: boolean;
  /** The model to come up with; the starter where the page serves none of that name. */
  readonly model: string;
}
