/** The page's view of its run, and the words in which it asks the run for something. */
import type {
  BackendInfo,
  ModelFiles,
  EngineEnvironment,
  StoredWeights,
  ModelConfig,
} from '@rl-playground/engine/parts';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { Alarm } from '../diagnosis/alarms/watch.ts';
import type { EvalResult, EvalSample } from '../loop/evaluate.ts';
import type { Rollout } from '../rollouts/rollout.ts';
import type { StepMetrics } from '../metrics/metrics.ts';
import type { PromptStyle } from '@rl-playground/tasks/parts';
import type { ChosenFile } from './chosenFiles.ts';
import type { DeviceOptions } from '../environment/pageEnvironment.ts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import type { NamedModel, OpenedParts } from './opening.ts';
import type { PreflightReport } from './preflight.ts';
import type { RunLog, RunWords } from '../records/runLog.ts';
import type { Session } from './session.ts';

export type { BackendInfo };

export type RunPhase =
  /** A model is loaded, and no step was made. */
  | 'idle'
  | 'loading'
  /** The supervised updates before the first step are under way. */
  | 'sft'
  | 'evaluating'
  | 'training'
  | 'pausing'
  | 'paused'
  | 'stopping'
  /** The run was stopped before its last step. */
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

/** A message. `collapse` is the alarm of the watch over a run, one at a time; `info` and `error` are about the last action. */
export interface Notice {
  readonly id: string;
  readonly kind: 'info' | 'warning' | 'error' | 'collapse';
  readonly title: string;
  readonly text: string;
  /**
   * The buttons of the notice: the run goes on with the CPU, the answers before step 1 are skipped, or settings are changed with which there
   * is something to learn from.
   */
  readonly offer?: 'cpu' | 'skip' | 'waysOut';
  /** The alarm that a notice of kind `collapse` puts into words. */
  readonly alarm?: Alarm;
}

export interface RunSnapshot {
  readonly phase: RunPhase;
  /** The id under which the browser keeps the run; null before there is one, and where it keeps none. */
  readonly run: string | null;
  readonly backend: BackendInfo | null;
  readonly modelName: string | null;
  readonly parameterCount: number | null;
  /** The part of the model's shape that rules for the learning rate need. */
  readonly modelShape: Pick<ModelConfig, 'hiddenSize' | 'modelType'> | null;
  /** The way in which tasks ask the model. */
  readonly promptStyle: PromptStyle | null;
  /** True if a run may replace the model by the one that its settings name. A model that the user loaded stays. */
  readonly modelIsOurs: boolean;
  /** True if checkpoints leave out the model's weights, because an adapter is trained beside them. */
  readonly baseApart: boolean;
  /** The settings of the current run; null before the first step. The form may differ from it. */
  readonly config: RunConfig | null;
  readonly step: number;
  readonly totalSteps: number;
  /** The warm-up: the loss of each update, and how many there are to be, 0 without one. */
  readonly sft: {
    readonly losses: readonly number[];
    /** The tokens of each update. The list is shorter for runs that began before they were counted. */
    readonly tokens: readonly number[];
    readonly total: number;
  };
  /** The report on answers before the first step; null until they were sampled. */
  readonly preflight: PreflightReport | null;
  readonly metrics: readonly StepMetrics[];
  readonly evaluations: readonly EvalResult[];
  /** A few of the newest answers of the evaluation under way; empty while there is none. */
  readonly evaluating: readonly EvalSample[];
  readonly rollouts: readonly Rollout[];
  readonly progress: Progress | null;
  readonly notices: readonly Notice[];
  readonly wallSeconds: number;
}

export interface SaveOptions {
  /** The frozen base that the run's adapter belongs to goes along, so that opening needs nothing else. */
  readonly full?: boolean;
  /** The name and the note of the run, for its directory. */
  readonly words?: RunWords | null;
}

/** The origin of a run: files that a person chose, a model by its name, or the checkpoint of a run. */
export type Openable = { readonly chosen: readonly ChosenFile[] } | NamedModel | { readonly run: ModelFiles };

/** The extent of a run before it rests: to its end, to the end of its warm-up, or one update. */
export type Extent = 'run' | 'warmUp' | 'step';

/** A checkpoint that a listener keeps. */
export interface Checkpoint {
  readonly step: number;
  readonly files: ModelFiles;
}

/** A listener to what becomes of the page's run. The run waits for it. */
export interface RunListener {
  /** A session was opened. `resumes`: it goes on with a run. The signal ends what a listener waits for where somebody stops the work. */
  opened?(session: Session, resumes: boolean, signal: AbortSignal): Promise<void>;
  /** Weights and log are of one step. */
  betweenSteps?(signal: AbortSignal): Promise<void>;
  /** Work is over. */
  atRest?(): Promise<void>;
  /** Another run takes the place of this one, or none does. */
  discarded?(): void;
  /** The weights are gone: resolves to the newest checkpoint that the listener has. */
  lost?(): Promise<Checkpoint | null>;
}

/** The surroundings of a run's engine beside the page's own generators, such as machines that join. */
export interface RunSurroundings {
  /** True if they have changed since a run was given it: a paused run then goes on in a new session. */
  readonly changed: boolean;
  /** The surroundings of a run that is about to begin or to go on. `line` is the backend's description of itself. */
  around(own: EngineEnvironment, config: RunConfig, line: string): Promise<EngineEnvironment>;
}

/** A run between two of its steps. */
export interface RunAtRest {
  readonly parts: CheckpointParts;
  readonly began: StoredWeights;
  readonly log: RunLog | null;
}

export interface ControllerOptions extends OpenedParts, DeviceOptions {
  readonly backend: 'webgpu' | 'wasm' | null;
  /** True if runs begin with their pre-flight unasked, as they do if this is left out. */
  readonly beginsWithPreflight?: boolean;
  /** The model to come up with; the starter where the page serves none of that name. */
  readonly model: string;
}
