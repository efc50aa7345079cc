/**
 * The gain of a run in each of the three measures of an evaluation, problem by problem, and which kind of learning that is: more right
 * answers to problems that were within reach ("sharpened", Yue et al. 2025), or more problems within reach ("added").
 */
import { pairedInterval95, type Interval } from '@rl-playground/base/intervals';
import { plural } from '@rl-playground/base/text';
import { accuraciesOf } from '../../loop/accuracies.ts';
import type { EvalResult, EvalSample } from '../../loop/evaluate.ts';
import { wrongWorking } from '../../loop/working.ts';
import { passAtK, passCurve } from '../../metrics/passAtK.ts';
import { percent } from './diagnosis.ts';
import { MOST_GUESSED } from './lines.ts';

/** A difference of shares: after less before. */
export interface Gain {
  readonly difference: number;
  /** 95 %, of the differences by problem; null where the two did not ask the same. */
  readonly interval: Interval | null;
}

/**
 * `added`: pass@k and single answers rose. `widened`: pass@k alone. `sharpened`: single answers alone. `narrowed`: single answers rose and
 * pass@k fell. `lost`: nothing rose, something fell. `unclear`: nothing that its interval tells from chance.
 */
export type Verdict = 'added' | 'widened' | 'sharpened' | 'narrowed' | 'lost' | 'unclear';

export interface Gains {
  /** The gain of sampled answers; null, as for the others, if one of the two evaluations lacks them. */
  readonly sampled: Gain | null;
  readonly greedy: Gain | null;
  /** The gain for the k that both have draws for. */
  readonly passAtK: (Gain & { readonly k: number }) | null;
  /** Null without pass@k of at least 2, which tells the kinds apart. */
  readonly verdict: Verdict | null;
}

const rose = (gain: Gain | null): boolean => (gain?.interval?.low ?? 0) > 0;
const fell = (gain: Gain | null): boolean => (gain?.interval?.high ?? 0) < 0;

function verdictOf(sampled: Gain | null, greedy: Gain | null, pass: Gain): Verdict {
  if (rose(sampled) || rose(greedy)) return rose(pass) ? 'added' : fell(pass) ? 'narrowed' : 'sharpened';
  if (rose(pass)) return 'widened';
  return [sampled, greedy, pass].some(fell) ? 'lost' : 'unclear';
}

/** Right or wrong as 1 or 0, or pass@k: of one problem. */
type OfProblem = (sample: EvalSample, result: EvalResult) => number;

const sampledOf: OfProblem = ({ correct, correctDraws = 0 }, { temperature, passAtK: drawn }) =>
  temperature === 0 ? passAtK(drawn?.k ?? 1, correctDraws, 1) : Number(correct);
const greedyOf: OfProblem = ({ correct, greedy }) => Number(greedy?.correct ?? correct);

/** The same problems in two evaluations; null where the two did not ask the same. */
function pairsOf(
  before: EvalResult,
  after: EvalResult,
): (readonly [before: EvalSample, after: EvalSample])[] | null {
  const pairs = before.samples.flatMap((sample, i) => {
    const later = after.samples[i];
    const same = later?.question === sample.question && later.answer === sample.answer;
    return same ? [[sample, later] as const] : [];
  });
  return pairs.length === before.n && before.n === after.n ? pairs : null;
}

/** The problems whose verdict changed: those that became right, by what was wrong with them before, and those that became wrong. */
export interface FormAndContent {
  /** Right now, and in the wrong format before. */
  readonly byFormat: number;
  /** Right now, and in the right format but wrong before. */
  readonly byAnswer: number;
  readonly lost: number;
  /** True for greedy answers; sampled ones are counted where there are no others. */
  readonly greedy: boolean;
}

/** Splits a gain into form and content; null where the two evaluations did not ask the same. */
export function formAndContent(before: EvalResult, after: EvalResult): FormAndContent | null {
  const pairs = pairsOf(before, after);
  if (pairs === null) return null;
  const greedy = pairs.every((pair) => pair.every((sample) => sample.greedy !== undefined));
  const verdicts = pairs.map(([first, last]) =>
    greedy && first.greedy && last.greedy ? ([first.greedy, last.greedy] as const) : ([first, last] as const),
  );
  const right = verdicts.filter(([first, last]) => last.correct && !first.correct);
  const byAnswer = right.filter(([first]) => first.format).length;
  const lost = verdicts.filter(([first, last]) => first.correct && !last.correct).length;
  return { byFormat: right.length - byAnswer, byAnswer, lost, greedy };
}

/** The same in a sentence; null where no problem became right. */
export function formText({ byFormat, byAnswer, lost, greedy }: FormAndContent): string | null {
  const right = byFormat + byAnswer;
  if (right === 0) return null;
  const became = `${plural(right, 'problem')} became right (${greedy ? 'greedy' : 'sampled'})`;
  return `${became}: ${byFormat} had the wrong format before, ${byAnswer} the right format and a wrong answer; ${lost} became wrong.`;
}

/** The gains between two evaluations of one run. */
export function gainsOf(before: EvalResult, after: EvalResult): Gains {
  const pairs = pairsOf(before, after);
  const gain = (first: number | undefined, last: number | undefined, value: OfProblem): Gain | null =>
    first === undefined || last === undefined
      ? null
      : {
          difference: last - first,
          interval: pairs
            ? pairedInterval95(pairs.map(([sample, later]) => value(later, after) - value(sample, before)))
            : null,
        };

  const [then, now] = [accuraciesOf(before), accuraciesOf(after)];
  const sampled = gain(then.sampled?.share, now.sampled?.share, sampledOf);
  const greedy = gain(then.greedy?.share, now.greedy?.share, greedyOf);
  if (!before.passAtK || !after.passAtK) return { sampled, greedy, passAtK: null, verdict: null };

  const k = Math.min(before.passAtK.k, after.passAtK.k);
  const passAt = (result: EvalResult): number | undefined =>
    k === result.passAtK?.k ? result.passAtK.accuracy : passCurve(result)[k - 1]?.accuracy;
  const pass = gain(passAt(before), passAt(after), ({ correctDraws = 0 }, { passAtK: drawn }) =>
    passAtK(drawn?.k ?? k, correctDraws, k),
  );
  const verdict = pass && k > 1 ? verdictOf(sampled, greedy, pass) : null;
  return { sampled, greedy, passAtK: pass && { ...pass, k }, verdict };
}

const points = (share: number): string => {
  const rounded = (100 * share).toFixed(1);
  return Number(rounded) > 0 ? `+${rounded}` : rounded.replace(/^-(0\.0)$/, '$1').replace('-', '−');
};

export function gainText({ difference, interval }: Gain): string {
  const range = interval && ` (${points(interval.low)} to ${points(interval.high)})`;
  return `${points(difference)} points${range ?? ''}`;
}

const LEADS: Readonly<Record<Verdict, (k: number) => string>> = {
  added: (k) =>
    `Reinforcement added: there are right answers among ${k} tries to more problems than before, and single answers are right more often.`,
  widened: (k) =>
    `Reinforcement widened: there are right answers among ${k} tries to more problems than before, but single answers are not surely right more often.`,
  sharpened: (k) =>
    `Reinforcement sharpened: single answers are right more often, but ${k} tries solve no more problems than before.`,
  narrowed: (k) =>
    `Reinforcement narrowed: single answers are right more often, but ${k} tries solve fewer problems than before.`,
  lost: () => 'Reinforcement lost: nothing rose, and what fell did so beyond chance.',
  unclear: () => 'No accuracy changed by more than chance explains.',
};

/** The gain of reinforcement in a sentence; null if it can't be told. */
export function verdictText({ verdict, passAtK: pass }: Gains): string | null {
  return verdict && pass && LEADS[verdict](pass.k);
}

/** The result of a run in a sentence, by its greedy answers if there are any; `sure` if it is more than chance. */
export function resultSentence(
  before: EvalResult,
  after: EvalResult,
): { readonly text: string; readonly sure: boolean } {
  const { greedy, sampled, passAtK: pass } = gainsOf(before, after);
  const interval = (greedy ?? sampled)?.interval ?? null;
  if (interval === null) return { text: '', sure: false };
  if (interval.high < 0)
    return {
      text: rose(sampled)
        ? 'Sampled answers are right more often, and greedy ones less often; both changes are too large to be chance.'
        : 'The model got worse; the drop is too large to be chance.',
      sure: true,
    };
  if (interval.low <= 0)
    return { text: 'With this many problems, the difference could be chance.', sure: false };
  const fewer = pass && fell(pass) ? `${pass.k} tries solve fewer problems than before` : null;
  const wrong = wrongWorking(after);
  if (wrong && wrong.share >= MOST_GUESSED) {
    const text = `The model found a shortcut: more answers are right, but ${percent(wrong.share)} of the right sampled answers have wrong working`;
    return { text: `${text}${fewer ? `, and ${fewer}` : ''}.`, sure: true };
  }
  return fewer
    ? { text: `Single answers are right more often, but ${fewer}.`, sure: true }
    : { text: 'The model improved; the gain is too large to be chance.', sure: true };
}
