/** Takes a session through its run: an evaluation, step after step, a pause or a stop when one is asked for, and the last evaluation. It shows how far the run is. */
import { breathe } from '@rl-playground/engine/parts';
import { checkBackend } from '@rl-playground/engine/parts/tensors';
import { DEADLINE, stopPatience } from '@rl-playground/base/deadline';
import { meanOrNull } from '@rl-playground/base/statistics';
import type { RunConfig } from '../settings/schema/schema.ts';
import { Watch, type Alarm } from '../diagnosis/alarms/watch.ts';
import { evaluatesAfter } from '../loop/evaluate.ts';
import type { LoopProgress } from '../loop/learn.ts';
import { ProgramFailing } from '../loop/scoring.ts';
import { FIRST_MEETING, type PreflightSize } from '../loop/preflight.ts';
import { unaskedPreflight, type PreflightReport } from './preflight.ts';
import { keepCheckpointWhenDue } from '../directory/runDirectory.ts';
import type { Session } from './session.ts';
import type { RunMachine } from './runState.ts';
import type { ShownRun } from './snapshot.ts';
import type { StartingPoint } from './startingPoint.ts';
import { ProgressMeter } from './progressMeter.ts';
import type { ControllerOptions, Notice, RunListener, RunPhase, RunSnapshot } from './types.ts';
import type { ChatAnswers, ChatQuestion, Listening } from '../chat/chat.ts';
import type { UntrainedReport } from '../chat/untrained.ts';
import { likeliestAt } from './likeliest.ts';
import { gradientSeen } from './gradientSeen.ts';
import { updateSeen } from './updateSeen.ts';
import { wantedFile } from '../sft/sftData.ts';

/** The part of the snapshot that shows a session's log. */
export function logOf(session: Session): Partial<RunSnapshot> {
  const { step, metrics, evaluations, wallSeconds, config, baseApart } = session;
  const { sftLosses: losses, sftTokens: tokens } = session;
  const sft = { losses, tokens, total: config.warmStartSteps };
  return { step, metrics, evaluations, wallSeconds, sft, baseApart };
}

const NOT_EVALUATED = {
  kind: 'warning',
  title: 'Stopped without a final evaluation',
  text: 'A generator did not respond, so the run ended without it. It was replaced: press Evaluate to measure the current model.',
} as const;

/** True if a generator has not answered, which an evaluation after a stop does not wait for. */
const isSilence = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'GeneratorSilent' || error.name === 'TimeoutError');

const TRIED = FIRST_MEETING.problems * FIRST_MEETING.answers;

const TRIES = {
  kind: 'info',
  title: 'The model meets this task for the first time',
  text: `It gives ${TRIED} answers before step 1, which show whether there is anything to learn from. They change nothing of the run.`,
  offer: 'skip',
} as const;

/** The notice that a run would change nothing, which offers what may help. */
function hopelessNotice({ facts, findings }: PreflightReport): Omit<Notice, 'id'> {
  const cause = findings.find(({ kind, id }) => kind === 'warning' && id !== 'model');
  return {
    kind: 'warning',
    title: 'No reward, nothing to learn from',
    text: `None of ${facts.answers} answers is right, and all to a problem earn the same, so no step would change the model.${cause === undefined ? '' : ` ${cause.title}.`}`,
    offer: 'waysOut',
  };
}

interface DriverOptions extends Pick<ControllerOptions, 'deadline' | 'beginsWithPreflight'> {
  /** Loads the model before training. */
  readonly untrained?: StartingPoint['untrained'];
}

export class RunDriver implements RunListener {
  readonly #shown: ShownRun;
  /** A person's wishes for the work under way. */
  readonly #asked: Pick<RunMachine, 'wish' | 'signal' | 'want'>;
  /** Milliseconds in which a generator that says nothing ends the evaluation after a stop. */
  readonly #closingPatience: number;
  readonly #preflightUnasked: boolean;
  readonly #untrained: DriverOptions['untrained'];
  readonly #meter = new ProgressMeter(() => performance.now());
  readonly #watch = new Watch();
  /** The start of the work under way, by `performance.now`. */
  #began = 0;
  /** Breaks off the answers before a first step; null while there are none. */
  #skipping: AbortController | null = null;
  /** The models and tasks that have met. */
  readonly #met = new Set<string>();
  /** The diagnosis that a notice shows now. */
  #alarmSaid: string | null = null;

  constructor(
    shown: ShownRun,
    asked: Pick<RunMachine, 'wish' | 'signal' | 'want'>,
    options: DriverOptions = {},
  ) {
    this.#shown = shown;
    this.#asked = asked;
    this.#closingPatience = stopPatience(options.deadline ?? DEADLINE);
    this.#untrained = options.untrained;
    this.#preflightUnasked = options.beginsWithPreflight ?? true;
  }

  /** Begins to measure the work anew. */
  begin(): void {
    this.#meter.begin();
  }

  opened(): Promise<void> {
    this.discarded();
    return Promise.resolve();
  }

  /** Another run, or none, takes the place of the one that was watched. */
  discarded(): void {
    this.#watch.forget();
    this.#say(null);
  }

  /** The model before training, of now and of earlier steps answer a question. */
  async chat(session: Session, question: ChatQuestion, listening?: Listening): Promise<ChatAnswers> {
    const untrained = (await this.#untrained?.(session.config)) ?? null;
    const { chatAnswers } = await import('../chat/chat.ts');
    return session.converse(untrained, (whom) => chatAnswers(question, whom, listening));
  }

  /** The model before training and of now answer prompts that no task trains on. */
  async untrained(session: Session, signal?: AbortSignal): Promise<UntrainedReport> {
    const untrained = (await this.#untrained?.(session.config)) ?? null;
    const { untrainedAnswers } = await import('../chat/untrained.ts');
    return session.converse(untrained, (whom) => untrainedAnswers(whom, signal));
  }

  readonly likeliest = likeliestAt;
  readonly updateSeen = updateSeen;
  readonly gradientSeen = gradientSeen;

  /** Samples answers before the first step; the report on them stays on the page until another run begins. */
  async preflight(session: Session, size?: PreflightSize, signal = this.#asked.signal): Promise<void> {
    this.#do('evaluating');
    const onProgress = (report: LoopProgress): void => this.#report(session, report);
    const preflight = await session.preflight({ signal, onProgress }, size);
    this.#shown.update({ preflight });
  }

  /** Begins the run without the answers that are being tried. */
  skip(): void {
    this.#skipping?.abort();
  }

  /**
   * Makes up to `steps` updates, first those of the warm-up; resolves to how the run then rests. `betweenSteps` is awaited where weights and
   * log are of one step. A run that a person begins `byHand` waits for that person where the first answers give nothing to learn from.
   */
  async run(
    session: Session,
    config: RunConfig,
    steps: number,
    betweenSteps: () => Promise<void>,
    byHand = false,
  ): Promise<RunPhase> {
    const warmed = await this.#sft(session, steps, betweenSteps);
    const begins = !session.inSft && warmed < steps && this.#asked.wish === 'go';
    const { preflight, modelIsOurs } = this.#shown.snapshot();
    const wanted = this.#preflightUnasked && preflight === null && begins && session.step === 0;
    const size = wanted ? unaskedPreflight(config, { modelIsOurs, byHand }) : null;
    if (size === FIRST_MEETING) {
      if (!(await this.#meets(session, config))) return 'idle';
    } else if (size !== null) await this.#preflightIfHeard(session, size);
    // Also where the run was broken off between a step and its evaluation.
    if (begins && evaluatesAfter(session.step, config) && !session.evaluation)
      await this.#evaluateWhenDue(session);
    for (
      let made = warmed;
      !session.inSft && made < steps && session.step < config.numSteps && this.#asked.wish === 'go';
      made++
    ) {
      const stopped = !(await this.#trainStep(session));
      if (!stopped) await keepCheckpointWhenDue(session);
      await betweenSteps();
      if (stopped) break;
      if (evaluatesAfter(session.step, config) && this.#asked.wish === 'go') {
        await this.#evaluateWhenDue(session);
        await betweenSteps();
      }
    }
    if (session.step >= config.numSteps) return this.close(session, 'finished');
    return this.#asked.wish === 'stop' ? this.close(session, 'stopped') : 'paused';
  }

  /** Makes the rest of the warm-up alone, and evaluates the model that comes of it. */
  async fineTune(session: Session, betweenSteps: () => Promise<void>): Promise<RunPhase> {
    await this.#sft(session, Infinity, betweenSteps);
    const over = !session.inSft && session.step === 0 && !session.evaluation;
    if (over && this.#asked.wish === 'go') await this.evaluate(session);
    return this.#asked.wish === 'stop' ? this.close(session, 'stopped') : 'paused';
  }

  /** The draws for pass@k are made before the first step and behind the last; in between their time is better spent on training. */
  #evaluateWhenDue(session: Session): Promise<void> {
    return this.evaluate(session, { passAtK: session.step === 0 });
  }

  async evaluate(session: Session, { passAtK = true } = {}): Promise<void> {
    this.#do('evaluating');
    const closing = this.#asked.wish === 'stop';
    const until = closing ? { patience: this.#closingPatience } : { signal: this.#asked.signal };
    try {
      await this.#timed(session, () =>
        session.evaluate({
          ...until,
          passAtK,
          onProgress: (report) => this.#report(session, report),
          onSamples: (evaluating) => this.#shown.update({ evaluating }),
        }),
      );
      this.#shown.update(logOf(session));
      this.#say(this.#watch.evaluated(session.evaluations, session.config));
    } catch (error) {
      if (closing && isSilence(error)) this.#shown.notify(NOT_EVALUATED);
      else if (closing || !this.#asked.signal.aborted) throw error;
    } finally {
      this.#shown.update({ evaluating: [] });
    }
  }

  /** Ends a run with its last evaluation, if that is not made yet with all its draws. Throws where a call to the GPU has failed. */
  async close(session: Session, phase: 'finished' | 'stopped'): Promise<RunPhase> {
    if (!session.evaluation?.passAtK && session.step > 0) await this.evaluate(session);
    await checkBackend();
    return phase;
  }

  /** Makes up to `most` updates of the warm-up; resolves to how many were made. */
  async #sft(session: Session, most: number, betweenSteps: () => Promise<void>): Promise<number> {
    const began = performance.now();
    const file = wantedFile(session.config);
    let made = 0;
    while (session.inSft && made < most && this.#asked.wish === 'go') {
      this.#do('sft');
      await this.#timed(session, async () => {
        this.#meter.rate.add(await session.sftStep());
      });
      made++;
      const done = session.sftLosses.length;
      const total = session.config.warmStartSteps;
      const seconds = (performance.now() - began) / 1000;
      this.#shown.update({
        ...logOf(session),
        progress: {
          label: file === null ? 'Supervised updates on worked answers' : `Supervised updates on ${file}`,
          done,
          total,
          tokensPerSecond: this.#meter.rate.perSecond(),
          secondsLeft: (seconds / made) * (total - done),
        },
      });
      await betweenSteps();
    }
    return made;
  }

  /** Makes the pre-flight. A run begins without it where it is broken off, or the task's program fails. */
  async #preflightIfHeard(session: Session, size: PreflightSize, signal = this.#asked.signal): Promise<void> {
    try {
      await this.preflight(session, size, signal);
    } catch (error) {
      if (!signal.aborted && !(error instanceof ProgramFailing)) throw error;
    }
  }

  /** Tries a few answers of a model that has not met the task yet; resolves to false where they give nothing to learn from. */
  async #meets(session: Session, config: RunConfig): Promise<boolean> {
    const { task, taskConfig, mixture, renderer } = config;
    const meeting = JSON.stringify([
      config.model,
      this.#shown.snapshot().modelName,
      task,
      taskConfig,
      mixture,
      renderer,
    ]);
    if (this.#met.has(meeting)) return true;
    this.#met.add(meeting);
    this.#skipping = new AbortController();
    const said = this.#shown.notify(TRIES);
    try {
      await this.#preflightIfHeard(
        session,
        FIRST_MEETING,
        AbortSignal.any([this.#asked.signal, this.#skipping.signal]),
      );
    } finally {
      this.#skipping = null;
      this.#shown.dismiss(said);
    }
    const { preflight } = this.#shown.snapshot();
    if (preflight?.hopeless !== true) return true;
    this.#shown.notify(hopelessNotice(preflight));
    return false;
  }

  /** Resolves to false where the step was stopped while sampling, or the task's program fails: it then never happened. */
  async #trainStep(session: Session): Promise<boolean> {
    this.#do('training');
    try {
      const rollouts = await this.#timed(session, () =>
        session.trainStep({
          signal: this.#asked.signal,
          onProgress: (report) => this.#report(session, report),
        }),
      );
      // Counting the step, drawing it and what comes next: each in a task of its own, so that none keeps the page for long.
      await breathe();
      this.#shown.update({ rollouts, ...logOf(session) });
      await breathe();
      const own = session.metrics.filter(({ step }) => step > session.settingsSince);
      this.#say(this.#watch.follow(own, session.config));
      return true;
    } catch (error) {
      if (this.#asked.signal.aborted) return false;
      if (!(error instanceof ProgramFailing)) throw error;
      if (this.#asked.wish === 'go') this.#asked.want('pause');
      this.#shown.notify({
        kind: 'error',
        title: error.ofModel ? 'The reward model failed' : 'Your program failed',
        text: error.message,
      });
      return false;
    }
  }

  /** Shows what the run does, unless a pause or a stop is shown. */
  #do(phase: 'sft' | 'evaluating' | 'training'): void {
    if (this.#asked.wish === 'go') this.#shown.update({ phase });
  }

  async #timed<T>(session: Session, work: () => Promise<T>): Promise<T> {
    this.#began = performance.now();
    try {
      return await work();
    } finally {
      session.wallSeconds += (performance.now() - this.#began) / 1000;
    }
  }

  #report(session: Session, report: LoopProgress): void {
    const recent = session.metrics.slice(-5);
    const secondsPerStep = meanOrNull(recent.map(({ seconds }) => seconds));
    const left = session.config.numSteps - session.step;
    const wallSeconds = session.wallSeconds + (performance.now() - this.#began) / 1000;
    this.#shown.update({ progress: this.#meter.progress(report, secondsPerStep, left), wallSeconds });
  }

  /** Shows one alarm at a time, in the place of the one before, and none once the run has recovered. */
  #say(alarm: Alarm | null): void {
    const said = alarm?.diagnosis.id ?? null;
    if (said === this.#alarmSaid) return;
    this.#alarmSaid = said;
    for (const { id, kind } of this.#shown.snapshot().notices)
      if (kind === 'collapse') this.#shown.dismiss(id);
    if (alarm !== null) this.#shown.notify(alarmNotice(alarm));
  }
}

/** The notice that puts an alarm into words. */
function alarmNotice(alarm: Alarm): Omit<Notice, 'id'> {
  const { title, seen, cause, cure } = alarm.diagnosis;
  return { kind: 'collapse', title, text: `${seen} ${cause} ${cure.text}`, alarm };
}
