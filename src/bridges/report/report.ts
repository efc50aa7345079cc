/** A run, or several against each other, as one HTML file: no scripts, nothing from outside, light and dark as the reader's system is. */
import { findTask } from '@rl-playground/tasks/parts';
import { chartsSection } from './charts.ts';
import { comparisonSection } from './comparison.ts';
import { Html, markup } from './html.ts';
import type { ReportInput, ReportRun } from './input.ts';
import { againOf, evaluationsOf, samplesOf, settingsOf, summaryOf } from './runSection.ts';
import { STYLE } from './style.ts';

/** Nothing is run or fetched, whatever a file may be made to hold. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

const part = (title: string, body: Html | null): Html | null =>
  body === null
    ? null
    : markup`<section>
        <h2>${title}</h2>
        ${body}
      </section>`;

const notePart = (note: string): Html | null =>
  note === ''
    ? null
    : markup`<p>${note.split('\n').map((line, i) => markup`${i === 0 ? null : markup`<br />`}${line}`)}</p>`;

/** The sections of a report of one run. */
function oneRun(run: ReportRun, input: ReportInput): readonly (Html | null)[] {
  return [
    part('Result', summaryOf(run)),
    part('Notes', notePart(run.note)),
    chartsSection(input.arms),
    part('Answers to held-out problems', samplesOf(run)),
    part('Evaluations', evaluationsOf(run)),
    part('Settings that differ from the defaults', settingsOf(run.config)),
    part('How to reproduce it', againOf(run.config, input.page)),
  ];
}

/** The sections of a report of several runs. Each of several seeds has a summary, and the first shows its answers. */
function amongOthers(input: ReportInput): readonly (Html | null)[] {
  return [
    comparisonSection(input),
    chartsSection(input.arms),
    ...input.arms.map(({ name, runs }) =>
      part(
        name,
        markup`${runs.map((run) => markup`${runs.length > 1 ? markup`<h3>${run.name}, seed ${run.config.seed}</h3>` : null}${summaryOf(run)}${notePart(run.note)}`)}
          <h3>Settings that differ from the defaults</h3>
          ${settingsOf(runs[0].config)}
          <h3>Evaluations${runs.length > 1 ? ` of seed ${runs[0].config.seed}` : ''}</h3>
          ${evaluationsOf(runs[0])}
          <h3>Answers to held-out problems</h3>
          ${samplesOf(runs[0])}
          <h3>How to reproduce it</h3>
          ${againOf(runs[0].config, input.page)}`,
      ),
    ),
  ];
}

/** The tasks and models of the runs: "Reverse digits with starter". */
function titleOf(runs: readonly ReportRun[]): string {
  const listed = (names: readonly string[]): string => [...new Set(names)].join(', ');
  const tasks = listed(runs.map(({ config }) => findTask(config.task)?.title ?? config.task));
  return `${tasks} with ${listed(runs.map(({ config }) => config.model))}`;
}

/** The text of the HTML file. */
export function reportHtml(input: ReportInput): string {
  const [first, ...others] = input.arms;
  const alone = others.length === 0 && first.runs.length === 1;
  const runs = input.arms.flatMap((arm) => arm.runs);
  const title = alone ? titleOf(runs) : `${titleOf(runs)}: ${runs.length} runs`;
  const parts = alone ? oneRun(first.runs[0], input) : amongOthers(input);
  return markup`${new Html('<!doctype html>\n')}
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${new Html(STYLE)}
        </style>
      </head>
      <body>
        <h1>${title}</h1>
        <p class="quiet">
          ${alone ? `Run ${first.name}. ` : ''}A report of RL Playground, ${input.date.toISOString().slice(0, 10)}.
        </p>
        ${parts.filter((each) => each !== null)}
      </body>
    </html> `.text;
}
