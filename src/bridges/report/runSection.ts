/** The section of a report about a single run: its result, evaluations, answers and settings, and the command that makes it again. */
import {
  FIELDS,
  textOfValue,
  differingKeys,
  defaultConfig,
  type FieldKey,
  type RunConfig,
} from '@rl-playground/run/settings';
import { gainsOf, gainText, verdictText, type Gain } from '@rl-playground/run/diagnosis';
import { accuraciesOf, type Accuracy, type EvalResult } from '@rl-playground/run/loop';
import { counted } from './charts.ts';
import { markup, type Html } from './html.ts';
import type { ReportRun } from './input.ts';
import { clockText, commandOf, linkOf, numberText, shareText } from './text.ts';

function resultRow(
  name: string,
  then: Accuracy | null,
  now: Accuracy | null,
  gain: Gain | null,
): Html | null {
  if (then === null || now === null) return null;
  return markup`<tr>
    <th scope="row">${name}</th>
    <td>${shareText(then)}</td>
    <td>${shareText(now)}</td>
    <td>${gain ? gainText(gain) : ''}</td>
  </tr>`;
}

/** The summary card: accuracies before and after, and the run in a few numbers. */
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
    return markup`${line}
      <p>The run was not evaluated both before and after training.</p>`;
  const [then, now, gains] = [accuraciesOf(before), accuraciesOf(after), gainsOf(before, after)];
  const verdict = verdictText(gains);
  return markup`${line}
    <table>
      <thead>
        <tr>
          <th scope="col">Right answers, ${after.n} held-out problems</th>
          <th scope="col">before</th>
          <th scope="col">after step ${after.step}</th>
          <th scope="col">difference</th>
        </tr>
      </thead>
      <tbody>
        ${resultRow(`sampled, temperature ${then.sampled?.temperature ?? ''}`, then.sampled, now.sampled, gains.sampled)}
        ${resultRow('likeliest answer (greedy)', then.greedy, now.greedy, gains.greedy)}
        ${resultRow(`one right among ${gains.passAtK?.k ?? ''} (pass@k)`, then.passAtK, now.passAtK, gains.passAtK)}
      </tbody>
    </table>
    ${verdict === null ? null : markup`<p>${verdict}</p>`}
    <p class="quiet">
      In brackets: 95% intervals over the held-out problems (Wilson; of differences Agresti and Min).
    </p>`;
}

/** Every evaluation of a run; the last one also has each task and level. */
export function evaluationsOf({ evaluations }: ReportRun): Html | null {
  if (evaluations.length === 0) return null;
  const rows = evaluations.map((evaluation) => {
    const { step, format, n } = evaluation;
    const { sampled, greedy, passAtK } = accuraciesOf(evaluation);
    const cells = [
      sampled ? shareText(sampled) : '–',
      greedy ? shareText(greedy) : '–',
      passAtK ? `${shareText(passAtK)}, k ${passAtK.k}` : '–',
      shareText(counted(format, n)),
      String(n),
    ];
    return markup`<tr>
      <th scope="row">${step}</th>
      ${cells.map((cell) => markup`<td>${cell}</td>`)}
    </tr>`;
  });
  const last = evaluations.at(-1);
  const heads = ['step', 'sampled', 'greedy', 'pass@k', 'form', 'problems'];
  return markup`<div class="wide">
      <table>
        <thead>
          <tr>
            ${heads.map((head) => markup`<th scope="col">${head}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
    ${last ? byTask(last) : null}`;
}

function byTask({ tasks, levels = [], step }: EvalResult): Html | null {
  if (tasks.length < 2 && levels.length === 0) return null;
  const rows = [
    ...tasks.map(({ task, level, accuracy, n }) => [
      task,
      level === null ? '–' : String(level),
      shareText(counted(accuracy, n)),
      String(n),
    ]),
    ...levels.map(({ task, level, accuracy, n }) => [
      task,
      String(level),
      `${shareText(counted(accuracy, n))}, greedy`,
      String(n),
    ]),
  ];
  return markup`<div class="wide">
    <table>
      <caption>
        By task and level, at step ${step}
      </caption>
      <thead>
        <tr>
          <th scope="col">task</th>
          <th scope="col">level</th>
          <th scope="col">right</th>
          <th scope="col">problems</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([task = '', ...cells]) =>
            markup`<tr>
              <th scope="row">${task}</th>
              ${cells.map((cell) => markup`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

const EACH = 2;
const LONGEST = 1200;

/** The problems that tell the most: right now and wrong before, the other way round, wrong both times, right both times; the same number of each. */
export function tellingSamples(before: EvalResult | undefined, after: EvalResult): readonly number[] {
  const kinds = new Map<string, number[]>([
    ['01', []],
    ['10', []],
    ['00', []],
    ['11', []],
  ]);
  after.samples.forEach((sample, i) => {
    const earlier = before?.samples[i];
    const then = earlier?.question === sample.question ? earlier.correct : sample.correct;
    kinds.get(`${Number(then)}${Number(sample.correct)}`)?.push(i);
  });
  return [...kinds.values()].flatMap((found) => found.slice(0, EACH));
}

const shortened = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${numberText(text.length)} characters)` : text;

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

const labelOf = (key: FieldKey): string => FIELDS.find((field) => field.key === key)?.label ?? key;

/** Settings that differ from the defaults of task and preset. */
export function settingsOf(config: RunConfig): Html {
  const usual = defaultConfig(config.task, config.preset);
  const keys = differingKeys(config).filter((key) => key !== 'task' && key !== 'preset');
  if (keys.length === 0)
    return markup`<p>All as the task ${config.task} and the preset ${config.preset} have them.</p>`;
  return markup`<div class="wide">
    <table>
      <thead>
        <tr>
          <th scope="col">Setting</th>
          <th scope="col">here</th>
          <th scope="col">usually</th>
        </tr>
      </thead>
      <tbody>
        ${keys.map(
          (key) =>
            markup`<tr>
              <th scope="row">${labelOf(key)} <code>${key}</code></th>
              <td><code>${textOfValue(config[key])}</code></td>
              <td><code>${textOfValue(usual[key])}</code></td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** The command and the link that make a run again. */
export function againOf(config: RunConfig, page: string | null): Html {
  const link = linkOf(config, page);
  return markup`<pre>${commandOf(config)}</pre>
    <p>
      ${page === null ? markup`On the page, behind its address: <code>${link}</code>` : markup`On the page: <a href="${link}">${link}</a>`}
    </p>
    <p class="quiet">
      Whoever brings a model, rows or a task of their own brings them along: neither names what is in a file.
    </p>`;
}
