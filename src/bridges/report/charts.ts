/** The charts of a report: a few metrics, every arm in each, as SVG that needs no script. */
import type { EvalResult } from '@rl-playground/run/loop';
import type { StepMetrics } from '@rl-playground/run/metrics';
import { seedCurve } from '@rl-playground/run/session';
import { markup, type Html } from './html.ts';
import type { ReportArm } from './input.ts';
import { plotOf, type PlotLine, type PlotPoint } from './plot.ts';
import { numberText, percent } from './text.ts';

interface ReportChart {
  readonly title: string;
  readonly unit: string;
  readonly value: (step: StepMetrics) => number | null;
  /** The same measure of held-out problems, which single runs draw as diamonds. */
  readonly evaluation?: (result: EvalResult) => number | null;
  readonly isShare: boolean;
  readonly range: readonly [number | null, number | null];
}

const SHARE = { isShare: true, range: [0, 1] } as const;
const PLAIN = { isShare: false, range: [0, null] } as const;

const CHARTS: readonly ReportChart[] = [
  { title: 'Reward', unit: 'mean per answer', value: (step) => step.reward, ...PLAIN, range: [null, null] },
  {
    title: 'Accuracy',
    unit: 'share of right answers, sampled; diamonds: held-out problems',
    value: (step) => step.accuracy,
    evaluation: ({ accuracy }) => accuracy,
    ...SHARE,
  },
  {
    title: 'Format',
    unit: 'share of answers in the asked form; diamonds: held-out problems',
    value: (step) => step.format,
    evaluation: ({ format }) => format,
    ...SHARE,
  },
  { title: 'KL to the reference', unit: 'nats per token', value: (step) => step.kl, ...PLAIN },
  {
    title: 'Mixed groups',
    unit: 'share of groups that teach something',
    value: (step) => step.fracMixed,
    ...SHARE,
  },
  { title: 'Entropy', unit: 'nats per token', value: (step) => step.entropy, ...PLAIN },
  { title: 'Answer length', unit: 'tokens, mean', value: (step) => step.meanLength, ...PLAIN },
  { title: 'Clipped tokens', unit: 'share of tokens', value: (step) => step.clipRegion, ...PLAIN },
];

/** The number of colours that the stylesheet has for arms. */
const COLOURS = 6;

const WIDTH = 460;
const HEIGHT = 190;
const DIAMOND = 4;

function lineOf(arm: ReportArm, index: number, chart: ReportChart): PlotLine {
  const { centre, low, high } = seedCurve(arm.runs, chart.value, { isShare: chart.isShare });
  const { evaluation } = chart;
  const [only, ...others] = arm.runs;
  const marks: PlotPoint[] =
    evaluation && others.length === 0
      ? only.evaluations.flatMap((each) =>
          each.step < 0 ? [] : [{ step: each.step, value: evaluation(each) }],
        )
      : [];
  return {
    name: arm.name,
    colour: `var(--arm-${(index % COLOURS) + 1})`,
    points: centre,
    ...(low.length > 0 && { interval: { low, high } }),
    marks,
  };
}

/** A chart in words, for people who do not see it. */
function inWords(lines: readonly PlotLine[], written: (value: number) => string): string {
  return lines
    .map(({ name, points }) => {
      const [first, last] = [points[0], points.at(-1)];
      if (first?.value == null || last?.value == null) return `${name}: no values.`;
      return `${name}: ${written(first.value)} at step ${first.step}, ${written(last.value)} at step ${last.step}.`;
    })
    .join(' ');
}

function chartFigure(chart: ReportChart, arms: readonly ReportArm[], lastStep: number): Html | null {
  const lines = arms.map((arm, i) => lineOf(arm, i, chart));
  const values = lines.flatMap(({ points }) => points.map(({ value }) => value ?? 0));
  // A metric that the runs lack, or that is 0 throughout, says nothing.
  if (values.every((value) => value === 0)) return null;
  const { title, unit, range, isShare } = chart;
  const plot = plotOf(lines, { width: WIDTH, height: HEIGHT, range, lastStep });
  const written = (value: number): string => (isShare ? `${Math.round(100 * value)}%` : numberText(value));
  return markup`<figure>
    <figcaption><b>${title}</b> <span class="quiet">${unit}</span></figcaption>
    <svg
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      role="img"
      aria-label="${`${title}. ${inWords(lines, isShare ? percent : numberText)}`}"
    >
      ${plot.values.map(
        ({ y, value }) =>
          markup`<line class="grid" x1="${plot.left}" x2="${plot.right}" y1="${y}" y2="${y}" /><text
              class="tick"
              x="${plot.left - 6}"
              y="${y + 4}"
              text-anchor="end"
              >${written(value)}</text
            >`,
      )}
      ${plot.steps.map(({ x, step }) => markup`<text class="tick" x="${x}" y="${plot.bottom + 16}" text-anchor="middle">${step}</text>`)}
      ${plot.lines.map(
        ({ colour, area, measured, average, marks }) =>
          markup`<g style="color: ${colour}">
            ${area === '' ? null : markup`<path class="area" d="${area}" />`}
            <path class="thin" d="${measured}" /><path class="bold" d="${average}" />
            ${marks.map(({ x, y }) => markup`<path class="mark" d="M${x} ${y - DIAMOND}l${DIAMOND} ${DIAMOND}-${DIAMOND} ${DIAMOND}-${DIAMOND} -${DIAMOND}Z" />`)}</g
          >`,
      )}
    </svg>
  </figure>`;
}

/** The key says which colour is which arm; a single arm needs none. */
function key(arms: readonly ReportArm[]): Html | null {
  if (arms.length < 2) return null;
  return markup`<p class="key">
    ${arms.map(
      ({ name, runs }, i) =>
        markup`<span
          ><span class="swatch" style="background: var(--arm-${(i % COLOURS) + 1})"></span
          >${name}${runs.length > 1 ? ', mean with 95% interval' : ''}</span
        > `,
    )}
  </p>`;
}

/** The charts for which the runs have values. */
export function chartsSection(arms: readonly ReportArm[]): Html | null {
  const lastStep = Math.max(
    1,
    ...arms.flatMap(({ runs }) => runs.map(({ metrics }) => metrics.at(-1)?.step ?? 1)),
  );
  const figures = CHARTS.flatMap((chart) => chartFigure(chart, arms, lastStep) ?? []);
  if (figures.length === 0) return null;
  return markup`<section>
    <h2>Charts</h2>
    ${key(arms)}
    <div class="charts">${figures}</div>
    <p class="quiet">Thin: each step. Bold: its moving average. Along the axis: steps.</p>
  </section>`;
}
