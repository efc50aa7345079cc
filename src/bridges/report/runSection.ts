/** The sections of a single run: its results, evaluations, answers, settings, and how it is made again. */
import { differingKeys, defaultConfig, type RunConfig } from '@rl-playground/run/settings';
import { gainsOf, gainText, verdictText, type Gain } from '@rl-playground/run/diagnosis';
import { accuraciesOf, headlineOf, type Accuracy, type EvalResult } from '@rl-playground/run/loop';
import { clockText, plural } from '@rl-playground/base/text';
import { markup, table, type Html } from './html.ts';
import type { ReportRun } from './input.ts';
import {
  commandOf,
  countedText,
  linkOf,
  numberText,
  percent,
  settingName,
  settingValue,
  shareText,
} from './text.ts';

function resultRow(
  name: string,
  then: Accuracy | null,
  now: Accuracy | null,
  gain: Gain | null,
): readonly string[][] {
  if (then === null || now === null) return [];
  return [[name, shareText(then), shareText(now), gain ? gainText(gain) : '']];
}

/** The result in a sentence: "Greedy accuracy on 200 held-out problems rose from 69.0% to 98.0% in 150 steps." */
function resultSentence(before: EvalResult, after: EvalResult): string {
  const [then, now] = [headlineOf(before), headlineOf(after)];
  const isGreedy = then.kind === 'greedy' && now.kind === 'greedy';
  const [from, to] = isGreedy
    ? [percent(then.share), percent(now.share)]
    : [percent(before.accuracy), percent(after.accuracy)];
  const change =
    from === to
      ? `stayed at ${to}`
      : `${parseFloat(to) > parseFloat(from) ? 'rose' : 'fell'} from ${from} to ${to}`;
  return `${isGreedy ? 'Greedy' : 'Sampled'} accuracy on ${plural(after.n, 'held-out problem')} ${change} in ${plural(after.step - before.step, 'step')}.`;
}

/** The summary card: a sentence, accuracies before and after, and the run in a few numbers. */
export function summaryOf({ config, metrics, evaluations, wallSeconds }: ReportRun): Html {
  const [before, after] = [evaluations[0], evaluations.at(-1)];
  const last = metrics.at(-1);
  const facts = [
    `${numberText(metrics.length)} steps of ${numberText(config.problemsPerStep * config.rolloutsPerProblem)} answers`,
    ...(last?.totalTokens ? [`${numberText(last.totalTokens)} tokens`] : []),
    ...(wallSeconds === null ? [] : [clockText(wallSeconds)]),
    `task ${config.task}`,
    `model ${config.model}`,
    `loss ${config.loss}`,
    `seed ${config.seed}`,
  ];
  const line = markup`<p class="facts">${facts.join(' · ')}</p>`;
  if (!before || !after || before === after)
    return markup`<p class="result">The run was not evaluated both before and after training.</p>
      ${line}`;
  const [then, now, gains] = [accuraciesOf(before), accuraciesOf(after), gainsOf(before, after)];
  const verdict = verdictText(gains);
  const behind = (last?.step ?? after.step) - after.step;
  const heads = [
    `Right answers, ${after.n} held-out problems`,
    'before',
    `after step ${after.step}`,
    'difference',
  ];
  const { temperature = '' } = then.sampled ?? {};
  const rows = [
    ...resultRow(`sampled, temperature ${temperature}`, then.sampled, now.sampled, gains.sampled),
    ...resultRow('greedy answer', then.greedy, now.greedy, gains.greedy),
    ...resultRow(
      `one right among ${gains.passAtK?.k ?? ''} (pass@k)`,
      then.passAtK,
      now.passAtK,
      gains.passAtK,
    ),
  ];
  return markup`<p class="result">${resultSentence(before, after)}</p>
    ${line} ${table(heads, rows)}
    ${verdict === null ? null : markup`<p>${verdict}</p>`}
    ${behind > 0 ? markup`<p>The run continued for ${plural(behind, 'step')} after its last evaluation.</p>` : null}
    <p class="quiet">
      In brackets: 95% intervals over the held-out problems (Wilson; of differences Agresti and Min).
    </p>`;
}

/** Every evaluation of a run; the last one also has each task and level. */
export function evaluationsOf({ evaluations }: ReportRun): Html | null {
  const last = evaluations.at(-1);
  if (last === undefined) return null;
  const rows = evaluations.map((evaluation) => {
    const { step, format, n } = evaluation;
    const { sampled, greedy, passAtK } = accuraciesOf(evaluation);
    return [
      step,
      sampled ? shareText(sampled) : '–',
      greedy ? shareText(greedy) : '–',
      passAtK ? `${shareText(passAtK)}, k ${passAtK.k}` : '–',
      countedText(format, n),
      n,
    ];
  });
  return markup`${table(['step', 'sampled', 'greedy', 'pass@k', 'form', 'problems'], rows)} ${byTask(last)}`;
}

function byTask({ tasks, levels = [], step }: EvalResult): Html | null {
  if (tasks.length < 2 && levels.length === 0) return null;
  const rows = [
    ...tasks.map(({ task, level, accuracy, n }) => [task, level ?? '–', countedText(accuracy, n), n]),
    ...levels.map(({ task, level, accuracy, n }) => [task, level, `${countedText(accuracy, n)}, greedy`, n]),
  ];
  return table(['task', 'level', 'right', 'problems'], rows, `By task and level, at step ${step}`);
}

const EACH = 2;
const LONGEST = 1200;

/** The problems that tell the most: some that are right now and were wrong, some the other way round, some wrong both times, some right. */
export function tellingSamples(before: EvalResult | undefined, after: EvalResult): readonly number[] {
  const kinds = new Map<string, number[]>(['01', '10', '00', '11'].map((kind) => [kind, []]));
  after.samples.forEach((sample, i) => {
    const earlier = before?.samples[i];
    const then = earlier?.question === sample.question ? earlier.correct : sample.correct;
    kinds.get(`${Number(then)}${Number(sample.correct)}`)?.push(i);
  });
  return [...kinds.values()].flatMap((found) => found.slice(0, EACH));
}

/** A text for a box: line breaks in a row, which a collapsed model writes by the dozen, take one line with their number. */
function shortened(text: string): string {
  const folded = text.replaceAll(/\n{3,}/g, (breaks) => `\n↵×${breaks.length}\n`);
  return folded.length > LONGEST
    ? `${folded.slice(0, LONGEST)}… (${numberText(text.length)} characters)`
    : folded;
}

/** Answers to held-out problems before and after training, beside each other. */
export function samplesOf({ evaluations }: ReportRun): Html | null {
  const [before, after] = [evaluations[0], evaluations.at(-1)];
  if (!after || after.samples.length === 0) return null;
  const earlier = before === after ? undefined : before;
  const answer = (when: string, sample: EvalResult['samples'][number] | undefined): Html | null =>
    sample === undefined
      ? null
      : markup`<div>
          <p class="quiet">
            ${when}:
            <b class="${sample.correct ? 'good' : 'bad'}">${sample.correct ? 'right' : 'wrong'}</b
            >${sample.reward ? `, reward ${numberText(sample.reward.total)}` : ''}
          </p>
          <pre>${shortened(sample.text)}</pre>
        </div>`;
  const items = tellingSamples(earlier, after).flatMap((i) => {
    const sample = after.samples[i];
    if (sample === undefined) return [];
    const then = earlier?.samples[i];
    const same = then?.question === sample.question ? then : undefined;
    return [
      markup`<article>
        <p>
          <b>${shortened(sample.question)}</b> <span class="quiet">right: ${shortened(sample.answer)}</span>
        </p>
        <div class="pair">${answer('before', same)}${answer(`after step ${after.step}`, sample)}</div>
      </article>`,
    ];
  });
  return markup`<div class="samples">${items}</div>`;
}

/** Settings that differ from the defaults of task and preset. */
export function settingsOf(config: RunConfig): Html {
  const usual = defaultConfig(config.task, config.preset);
  const keys = differingKeys(config).filter((key) => key !== 'task' && key !== 'preset');
  if (keys.length === 0)
    return markup`<p>All as the task ${config.task} and the preset ${config.preset} have them.</p>`;
  const rows = keys.map((key) => [settingName(key), settingValue(config, key), settingValue(usual, key)]);
  return table(['Setting', 'here', 'usually'], rows);
}

/** The command and the link that make a run again. */
export function againOf(config: RunConfig, page: string | null): Html {
  const link = linkOf(config, page);
  return markup`<pre>${commandOf(config)}</pre>
    <p>
      ${page === null ? markup`On the page, after its address: <code>${link}</code>` : markup`On the page: <a href="${link}">${link}</a>`}
    </p>
    <p class="quiet">
      If you used your own model, data or task, share those files too.
    </p>`;
}
