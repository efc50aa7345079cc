/** The things that can go wrong with a run: one definition for the alarms of page and command line, the failure zoo, and the judging of both. */
import type { RunConfig } from '../../settings/schema/schema.ts';
import type { DiagnosisId } from '../../settings/zoo.ts';
import type { Evidence } from './evidence.ts';

export interface Cure {
  readonly text: string;
  /** The settings that it changes; none where no setting does it. */
  readonly changes: Partial<RunConfig>;
}

/** A rule's measurement of a run. */
export interface Finding {
  /** The deciding number over its line: it is 1 on the line, and below it nothing is said. */
  readonly strength: number;
  /** The observation with its numbers, in a sentence or two. */
  readonly seen: () => string;
}

export interface Rule {
  readonly id: DiagnosisId;
  readonly title: string;
  /** The reason for it, in a sentence. */
  readonly cause: string;
  /** Measures the run. It returns null if the question does not arise. */
  readonly judge: (evidence: Evidence) => Finding | null;
  readonly cure: (config: RunConfig) => Cure;
}

export interface Diagnosis {
  /** The strength of the finding, at least 1. */
  readonly strength: number;
  /** The observation with its numbers, in a sentence or two. */
  readonly seen: string;
  readonly id: DiagnosisId;
  readonly title: string;
  readonly cause: string;
  readonly cure: Cure;
  /** The step of the last evaluation that did not find it; absent where steps show it. */
  readonly soundUntil?: number;
}

export const found = (strength: number, seen: () => string): Finding => ({ strength, seen });

export const percent = (value: number): string => `${Math.round(100 * value)}%`;

/** Three significant digits. */
export const digits = (value: number): string => String(Number(value.toPrecision(3))).replaceAll('-', '−');

/** A lower learning rate, `times` lower. */
export function lowerRate({ learningRate }: RunConfig, times = 2): Cure {
  const rate = Number((learningRate / times).toPrecision(2));
  return { text: `Lower the learning rate to ${rate}.`, changes: { learningRate: rate } };
}
