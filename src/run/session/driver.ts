/** Moves a session through a run: evaluate, step after step, pause or stop when asked, evaluate again; and says how far it is. */
import { breathe, type LoadedModel } from '@rl-playground/engine/parts';
import { checkBackend } from '@rl-playground/engine/parts/tensors';
import { DEADLINE, stopPatience, type Deadline } from '@rl-playground/base/deadline';
import { meanOrNull } from '@rl-playground/base/statistics';
import type { RunConfig } from '../settings/schema/schema.ts';
import { Watch, type Alarm } from '../diagnosis/alarms/watch.ts';
import { evaluatesAfter } from '../loop/evaluate.ts';
import type { LoopProgress } from '../loop/learn.ts';
import { ProgramFailing } from '../loop/scoring.ts';
import { beginsWithPreflight } from './preflight.ts';
import { keepCheckpointWhenDue } from '../records/runDirectory.ts';
import type { Session } from './session.ts';
import type { RunState } from './state.ts';
import { ProgressMeter } from './progressMeter.ts';
import type { Notice, RunPhase, RunSnapshot } from './types.ts';
import type { Asking, ComparedAnswers } from './comparison.ts';
import { wantedFile } from '../sft/sftData.ts';

/** What the page shows of a session's log. */
export function logOf(session: Session): Partial<RunSnapshot> {
  const { step, metrics, evaluations, wallSeconds, config, baseApart } = session;
  const { sftLosses: losses, sftTokens: tokens } = session;
  const sft = { losses, tokens, total: config.warmStartSteps };
  return { step, metrics, evaluations, wallSeconds, sft, baseApart };
}

const NOT_EVALUATED = {
  kind: 'warning',
  title: 'Stopped without a last evaluation',
  text: 'A generator did not answer, so the run ended without waiting for it. Another has taken its place: press Evaluate to measure the model as it is.',
} as const;

/** Of an evaluation after a stop, which is not worth waiting for. */
const isSilence = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'GeneratorSilent' || error.name === 'TimeoutError');

/** How a driver waits, and what it begins with. */
export interface DriverOptions {
  readonly deadline?: Deadline;
  /** Whether runs begin with their pre-flight unasked, as they do where this is left out. */
  readonly beginsWithPreflight?: boolean;
}

export class RunDriver {
  readonly #state: RunState;
  /** Milliseconds in which a generator that says nothing ends the evaluation after a stop. */
  readonly #closingPatience: number;
  readonly #preflightUnasked: boolean;
  readonly #meter = new ProgressMeter(() => performance.now());
  #wish: 'go' | 'pause' | 'stop' = 'go';
  #abort = new AbortController();
  readonly #watch = new Watch();
  /** The diagnosis that a notice shows. */
  #alarmSaid: string | null = null;

  constructor(state: RunState, options: DriverOptions = {}) {
    this.#state = state;
    this.#closingPatience = stopPatience(options.deadline ?? DEADLINE);
    this.#preflightUnasked = options.beginsWithPreflight ?? true;
  }

  /** Forgets what was wished of earlier work. */
  begin(): void {
    this.#wish = 'go';
    this.#abort = new AbortController();
    this.#meter.begin();
  }

  /** Another run, or none, takes the place of the one that was watched. */
  forgetAlarm(): void {
    this.#watch.forget();
    this.#say(null);
  }

  /** After the current step. */
  pause(): void {
    if (this.#wish === 'stop') return;
    this.#wish = 'pause';
    this.#state.update({ phase: 'pausing' });
  }

  /** At once if answers are being sampled, else after the current update; then the weights are evaluated. */
  stop(): void {
    this.#wish = 'stop';
    this.#abort.abort();
    this.#state.update({ phase: 'stopping' });
  }

  /** As soon as possible and without an evaluation. */
  abandon(): void {
    this.#wish = 'pause';
    this.#abort.abort();
  }

  /** `untrained` loads the model before training. @throws where the question has no room. */
  async compare(
    session: Session,
    asking: Omit<Asking, 'untrained'>,
    untrained: (config: RunConfig) => Promise<LoadedModel | null>,
  ): Promise<ComparedAnswers> {
    const label = 'Two answers are being written';
    const progress = { label, done: 0, total: 0, tokensPerSecond: null, secondsLeft: null };
    this.#state.update({ phase: 'evaluating', progress });
    return session.compare({ ...asking, untrained: await untrained(session.config) });
  }

  /** Answers before the first step; what the page shows of them stays until another run begins. */
  async preflight(session: Session): Promise<void> {
    this.#state.update({ phase: 'evaluating' });
    const preflight = await session.preflight({
      signal: this.#abort.signal,
      onProgress: (report) => this.#report(session, report),
    });
    this.#state.update({ preflight });
  }

  /** Aborted by a stop and by what gives the work up. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** `work`, whose breaking off is no failure: the phase is then what it was before. */
  async unlessEnded(work: () => Promise<void>): Promise<void> {
    const { phase } = this.#state.snapshot;
    const { signal } = this.#abort;
    try {
      await work();
    } catch (error) {
      if (!signal.aborted || error !== signal.reason) throw error;
      this.rest(phase);
    }
  }

  rest(phase: RunPhase): void {
    this.#state.update({ phase, progress: null });
  }

  /** Up to `steps` updates, first those of the warm start. `betweenSteps` is awaited where weights and log are of one step. */
  async run(
    session: Session,
    config: RunConfig,
    steps: number,
    betweenSteps: () => Promise<void>,
  ): Promise<void> {
    const warmed = await this.#sft(session, steps, betweenSteps);
    const begins = !session.inSft && warmed < steps && this.#wish === 'go';
    const { preflight, modelIsOurs } = this.#state.snapshot;
    const unasked = this.#preflightUnasked && preflight === null && beginsWithPreflight(config, modelIsOurs);
    if (begins && session.step === 0 && unasked) await this.#preflightIfHeard(session);
    // Also where the run was broken off between a step and its evaluation.
    if (begins && evaluatesAfter(session.step, config) && !session.evaluation)
      await this.#evaluateWhenDue(session);
    for (
      let made = warmed;
      !session.inSft && made < steps && session.step < config.numSteps && this.#wish === 'go';
      made++
    ) {
      const stopped = !(await this.#trainStep(session));
      if (!stopped) await keepCheckpointWhenDue(session);
      await betweenSteps();
      if (stopped) break;
      if (evaluatesAfter(session.step, config) && this.#wish === 'go') {
        await this.#evaluateWhenDue(session);
        await betweenSteps();
      }
    }
    if (session.step >= config.numSteps) await this.close(session, 'finished');
    else if (this.#wish === 'stop') await this.close(session, 'stopped');
    else this.rest('paused');
  }

  /** The rest of the warm start alone, and an evaluation of what the model has become by it. */
  async fineTune(session: Session, betweenSteps: () => Promise<void>): Promise<void> {
    await this.#sft(session, Infinity, betweenSteps);
    const over = !session.inSft && session.step === 0 && !session.evaluation;
    if (over && this.#wish === 'go') await this.evaluate(session);
    if (this.#wish === 'stop') await this.close(session, 'stopped');
    else this.rest('paused');
  }

  /** The draws for pass@k are made before the first step and behind the last; in between their time is better spent on training. */
  #evaluateWhenDue(session: Session): Promise<void> {
    return this.evaluate(session, { passAtK: session.step === 0 });
  }

  async evaluate(session: Session, { passAtK = true } = {}): Promise<void> {
    if (this.#wish === 'go') this.#state.update({ phase: 'evaluating' });
    const closing = this.#wish === 'stop';
    const until = closing ? { patience: this.#closingPatience } : { signal: this.#abort.signal };
    try {
      await this.#timed(session, () =>
        session.evaluate({ ...until, passAtK, onProgress: (report) => this.#report(session, report) }),
      );
      this.#state.update(logOf(session));
      this.#say(this.#watch.evaluated(session.evaluations, session.config));
    } catch (error) {
      if (closing && isSilence(error)) this.#state.notify(NOT_EVALUATED);
      else if (closing || !this.#abort.signal.aborted) throw error;
    }
  }

  /** The end of a run: its last evaluation, if that is not made yet with all its draws. Throws where something that the GPU did failed. */
  async close(session: Session, phase: 'finished' | 'stopped'): Promise<void> {
    if (!session.evaluation?.passAtK && session.step > 0) await this.evaluate(session);
    await checkBackend();
    this.rest(phase);
  }

  /** Up to `most` updates of the warm start; resolves to how many were made. */
  async #sft(session: Session, most: number, betweenSteps: () => Promise<void>): Promise<number> {
    const began = performance.now();
    const file = wantedFile(session.config);
    let made = 0;
    while (session.inSft && made < most && this.#wish === 'go') {
      this.#state.update({ phase: 'sft' });
      await this.#timed(session, async () => {
        this.#meter.rate.add(await session.sftStep());
      });
      made++;
      const done = session.sftLosses.length;
      const total = session.config.warmStartSteps;
      const seconds = (performance.now() - began) / 1000;
      this.#state.update({
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

  /** Without it a run begins all the same. */
  async #preflightIfHeard(session: Session): Promise<void> {
    try {
      await this.preflight(session);
    } catch (error) {
      if (!this.#abort.signal.aborted && !(error instanceof ProgramFailing)) throw error;
    }
  }

  /** False when it was stopped while sampling, or the task's program only fails: the step then never happened. */
  async #trainStep(session: Session): Promise<boolean> {
    if (this.#wish === 'go') this.#state.update({ phase: 'training' });
    try {
      const rollouts = await this.#timed(session, () =>
        session.trainStep({
          signal: this.#abort.signal,
          onProgress: (report) => this.#report(session, report),
        }),
      );
      // Counting the step, drawing it and what comes next: each in a task of its own, so that none keeps the page for long.
      await breathe();
      this.#state.update({ rollouts, ...logOf(session) });
      await breathe();
      this.#say(this.#watch.follow(session.metrics, session.config));
      return true;
    } catch (error) {
      if (this.#abort.signal.aborted) return false;
      if (!(error instanceof ProgramFailing)) throw error;
      if (this.#wish === 'go') this.#wish = 'pause';
      this.#state.notify({ kind: 'error', title: 'Your program fails', text: error.message });
      return false;
    }
  }

  async #timed<T>(session: Session, work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await work();
    } finally {
      session.wallSeconds += (performance.now() - began) / 1000;
    }
  }

  #report(session: Session, report: LoopProgress): void {
    const recent = session.metrics.slice(-5);
    const secondsPerStep = meanOrNull(recent.map(({ seconds }) => seconds));
    const left = session.config.numSteps - session.step;
    this.#state.update({ progress: this.#meter.progress(report, secondsPerStep, left) });
  }

  /** One alarm at a time, in the place of the one before; nothing once the run has recovered. */
  #say(alarm: Alarm | null): void {
    const said = alarm?.diagnosis.id ?? null;
    if (said === this.#alarmSaid) return;
    this.#alarmSaid = said;
    for (const { id, kind } of this.#state.snapshot.notices) if (kind === 'collapse') this.#state.dismiss(id);
    if (alarm !== null) this.#state.notify(alarmNotice(alarm));
  }
}

/** An alarm in words, for whoever shows no more than those. */
function alarmNotice(alarm: Alarm): Omit<Notice, 'id'> {
  const { title, seen, cause, cure } = alarm.diagnosis;
  return { kind: 'collapse', title, text: `${seen} ${cause} ${cure.text}`, alarm };
}
