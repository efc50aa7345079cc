/** The watch over a run: of all diagnoses that its metrics bear out at most one is the alarm; it gives way to a better one and ends when the run recovers. */
import type { RunConfig } from '../../settings/schema/schema.ts';
import type { DiagnosisId } from '../../settings/zoo.ts';
import type { StepMetrics } from '../../metrics/metrics.ts';
import type { EvalResult } from '../../loop/evaluate.ts';
import { gainsOf } from './gains.ts';
import { percent, type Diagnosis, type Rule } from './diagnosis.ts';
import { evidenceOf, NOW } from './evidence.ts';
import { shortcutFound } from './shortcut.ts';
import { FORM_LOST_RULE, FORM_OVER_ANSWER_RULE, REWARD_RULES } from './rewardRules.ts';
import { NO_SIGNAL_RULE, SIGNAL_RULES } from './signalRules.ts';
import { FELL_RULE, IDLE_RULE, KL_HOLDS_RULE, RATE_RULES, SAMPLER_RULES } from './updateRules.ts';

/**
 * Rules by rank: those that name the cause come first, and those that only name the damage last. Within a tier the stronger evidence comes
 * first: a run that loses its form because its rate ruins it shows both.
 */
const TIERS: readonly (readonly Rule[])[] = [
  REWARD_RULES,
  SAMPLER_RULES,
  [...SIGNAL_RULES, KL_HOLDS_RULE],
  RATE_RULES,
  [FORM_OVER_ANSWER_RULE, FORM_LOST_RULE],
  [NO_SIGNAL_RULE, IDLE_RULE],
  [FELL_RULE],
];

export const RULES: readonly Rule[] = TIERS.flat();

/**
 * The diagnosis of two evaluations of a run alone, or null if greedy accuracy did not surely fall, or if single answers are right surely
 * more often: a model whose likeliest answers were all right gives up a few of them while it learns to write such answers every time.
 */
function lostAnswers(before: EvalResult, after: EvalResult, config: RunConfig): Diagnosis | null {
  const { greedy, sampled } = gainsOf(before, after);
  const high = greedy?.interval?.high ?? 0;
  const low = sampled?.interval?.low ?? 0;
  if (!before.greedy || !after.greedy || high >= 0 || low > 0) return null;
  const [was, is] = [before.greedy, after.greedy];
  const formed = is.format > was.format;
  const { id, title, cause, cure } = formed ? FORM_OVER_ANSWER_RULE : FELL_RULE;
  const form = `answers in the right format went from ${percent(was.format)} to ${percent(is.format)}`;
  return {
    id,
    title,
    cause,
    cure: cure(config),
    strength: 1,
    seen: `On held-out problems greedy accuracy fell from ${percent(was.accuracy)} to ${percent(is.accuracy)}, more than chance explains; ${form}.`,
  };
}

/**
 * Steps that a diagnosis must hold for before it counts. What is judged by means of few answers luck moves; two means that are one step apart share most of
 * their steps, so those that say little more than that accuracy fell wait until all of them are new.
 */
const HOLDS: ReadonlyMap<DiagnosisId, number> = new Map([
  ...[...REWARD_RULES, ...RATE_RULES, FORM_LOST_RULE].map(({ id }) => [id, 2] as const),
  ...[FORM_OVER_ANSWER_RULE, FELL_RULE].map(({ id }) => [id, NOW] as const),
]);

/** Steps that a better diagnosis holds before it takes the alarm's place, and an alarm holds no more before it ends. */
const REPLACED_AFTER = 2;
const CLEARED_AFTER = 3;
/** Steps of a log that are gone through one by one. */
const CAUGHT_UP = 100;

/** All that the evidence bears out, the likeliest first. */
export function diagnose(metrics: readonly StepMetrics[], config: RunConfig): Diagnosis[] {
  const evidence = evidenceOf(metrics, config);
  if (evidence === null) return [];
  return TIERS.flatMap((tier) =>
    tier
      .flatMap(({ id, title, cause, judge, cure }) => {
        const finding = judge(evidence);
        if (finding === null || !(finding.strength >= 1)) return [];
        return [{ id, title, cause, cure: cure(config), strength: finding.strength, seen: finding.seen() }];
      })
      .toSorted((a, b) => b.strength - a.strength),
  );
}

/** The strength of each rule at the newest step; rules whose question does not arise are left out. */
export function strengths(
  metrics: readonly StepMetrics[],
  config: RunConfig,
): ReadonlyMap<DiagnosisId, number> {
  const evidence = evidenceOf(metrics, config);
  const judged = evidence ? RULES.map(({ id, judge }) => [id, judge(evidence)] as const) : [];
  return new Map(
    judged.flatMap(([id, finding]) => (finding === null ? [] : [[id, finding.strength] as const])),
  );
}

export interface Alarm {
  readonly diagnosis: Diagnosis;
  /** The other diagnoses that the evidence bears out, the likeliest first. */
  readonly others: readonly Diagnosis[];
  /** The step at which this diagnosis was first raised. */
  readonly since: number;
}

/** An alarm of a run that is over, by its steps. */
export interface PastAlarm {
  readonly id: DiagnosisId;
  readonly title: string;
  readonly since: number;
  /** The step at which it was replaced or ended, or null if it lasted to the end. */
  readonly until: number | null;
}

/** The alarms that a run has shown, in their order: after each step, and after the evaluation behind it where there was one. */
export function alarmHistory(
  metrics: readonly StepMetrics[],
  evaluations: readonly EvalResult[],
  config: RunConfig,
): PastAlarm[] {
  const watch = new Watch();
  const shown: PastAlarm[] = [];
  const note = (step: number, alarm: Alarm | null): void => {
    const last = shown.at(-1);
    if (last?.until === null && last.id === alarm?.diagnosis.id) return;
    if (last?.until === null) shown[shown.length - 1] = { ...last, until: step };
    if (alarm === null) return;
    const { id, title } = alarm.diagnosis;
    shown.push({ id, title, since: alarm.since, until: null });
  };
  for (const [i, { step }] of metrics.entries()) {
    note(step, watch.follow(metrics.slice(0, i + 1), config));
    const known = evaluations.filter((evaluation) => evaluation.step <= step);
    if (known.at(-1)?.step === step) note(step, watch.evaluated(known, config));
  }
  return shown;
}

/** Follows one run step by step. */
export class Watch {
  #steps = 0;
  #alarm: Alarm | null = null;
  #quiet = 0;
  /** True if an evaluation raised it: then only another one tells that the run has recovered. */
  #evaluated = false;
  /** The number of steps, up to the newest, for which each has been borne out. */
  #held: ReadonlyMap<DiagnosisId, number> = new Map();
  #better: { readonly id: DiagnosisId; readonly steps: number } | null = null;

  get alarm(): Alarm | null {
    return this.#alarm;
  }

  /** The alarm after the newest step of `metrics`; steps that were not seen yet are looked at one by one. */
  follow(metrics: readonly StepMetrics[], config: RunConfig): Alarm | null {
    if (metrics.length < this.#steps) this.forget();
    // Of a long log that was opened only the end is gone through.
    this.#steps = Math.max(this.#steps, metrics.length - CAUGHT_UP);
    while (this.#steps < metrics.length) {
      this.#steps++;
      this.#look(metrics.slice(0, this.#steps), config);
    }
    return this.#alarm;
  }

  /**
   * The alarm after an evaluation: where the likeliest answers to the same held-out problems are right surely less often than before the first step
   * and single ones not surely more often, or where most right ones have wrong working, there is one, whatever the steps say. It holds until an
   * evaluation finds it no more, or until the steps name something better.
   */
  evaluated(evaluations: readonly EvalResult[], config: RunConfig): Alarm | null {
    const [first, last] = [evaluations[0], evaluations.at(-1)];
    if (!first || !last || (this.#alarm !== null && !this.#evaluated)) return this.#alarm;
    const found = lostAnswers(first, last, config) ?? shortcutFound(first, last, config);
    if (found === null) {
      this.#alarm = null;
      this.#evaluated = false;
    } else if (this.#alarm === null) {
      const soundUntil = evaluations.at(-2)?.step ?? first.step;
      this.#raise({ ...found, soundUntil }, [], last.step);
      this.#evaluated = true;
    }
    return this.#alarm;
  }

  /** Returns to the state before the first step. */
  forget(): void {
    this.#steps = 0;
    this.#alarm = null;
    this.#quiet = 0;
    this.#evaluated = false;
    this.#held = new Map();
    this.#better = null;
  }

  #look(metrics: readonly StepMetrics[], config: RunConfig): void {
    const all = diagnose(metrics, config);
    const held = new Map(all.map(({ id }) => [id, (this.#held.get(id) ?? 0) + 1]));
    this.#held = held;
    const [first, ...rest] = all.filter(({ id }) => (held.get(id) ?? 0) >= (HOLDS.get(id) ?? 1));
    const step = metrics.at(-1)?.step ?? 0;
    const current = this.#alarm;
    if (current === null) {
      if (first) this.#raise(first, rest, step);
      return;
    }
    const { id } = current.diagnosis;
    const still = [first, ...rest].find((each) => each?.id === id);
    this.#quiet = still || this.#evaluated ? 0 : this.#quiet + 1;
    if (first && first.id !== id) {
      this.#better = { id: first.id, steps: this.#better?.id === first.id ? this.#better.steps + 1 : 1 };
      if (this.#better.steps >= REPLACED_AFTER) {
        this.#raise(first, rest, step);
        return;
      }
    } else this.#better = null;
    if (still) {
      const others = [first, ...rest].filter((each) => each !== undefined && each.id !== id) as Diagnosis[];
      this.#alarm = { ...current, diagnosis: still, others };
    } else if (this.#quiet >= CLEARED_AFTER) {
      this.#alarm = null;
      this.#better = null;
    }
  }

  #raise(diagnosis: Diagnosis, others: readonly Diagnosis[], since: number): void {
    this.#alarm = { diagnosis, others, since };
    this.#evaluated = false;
    this.#quiet = 0;
    this.#better = null;
  }
}
