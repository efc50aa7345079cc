/** The result of a run as a picture to share: its accuracy before and after, the curve, and one problem before and after. */
import { plural } from '@rl-playground/base/text';
import { findTask } from '@rl-playground/tasks/parts';
import { accuraciesOf, type EvalSample } from '@rl-playground/run/loop';
import type { RunSnapshot } from '@rl-playground/run/session';
import { pngOf } from '../../ui/files/png.ts';
import { saveFile } from '../../ui/files/saveDownload.ts';
import { clock, compact, percent } from '../../ui/text/format.ts';
import { judgedPart } from '../../see/stage/tellingAnswers.ts';
import type { BeforeAndAfter, EndsOfRun } from './ended.ts';

/** The size that sites show a linked picture in. */
const SIZE = { width: 1200, height: 630 };
const PLOT = { x: 640, y: 170, width: 500, height: 250 };
const INK = '#15212b';
const SOFT = '#47545f';
const GREEN = '#00805c';
const RED = '#b3401f';

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);

interface TextStyle {
  readonly size: number;
  readonly colour?: string;
  readonly bold?: boolean;
  readonly mono?: boolean;
}

function text(x: number, y: number, words: string, style: TextStyle): string {
  const { size, colour = INK, bold = false, mono = false } = style;
  const family = mono ? 'monospace' : 'system-ui, sans-serif';
  return `<text x="${x}" y="${y}" font-family="${family}" font-size="${size}" font-weight="${bold ? 700 : 400}" fill="${colour}">${escaped(words)}</text>`;
}

/** The share of right answers by step, from 0 to 100 %. */
function curve({ metrics, totalSteps }: RunSnapshot): string {
  const last = Math.max(2, totalSteps);
  const points = metrics.map(({ step, accuracy }) => {
    const x = PLOT.x + ((step - 1) / (last - 1)) * PLOT.width;
    const y = PLOT.y + (1 - accuracy) * PLOT.height;
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const levels = [0, 0.5, 1].map((share) => {
    const y = PLOT.y + (1 - share) * PLOT.height;
    return `<line x1="${PLOT.x}" y1="${y}" x2="${PLOT.x + PLOT.width}" y2="${y}" stroke="#d9dfe5"/>${text(PLOT.x - 62, y + 6, percent(share, 0), { size: 18, colour: SOFT })}`;
  });
  return `${levels.join('')}<polyline points="${points.join(' ')}" fill="none" stroke="${GREEN}" stroke-width="4"/>${text(PLOT.x, PLOT.y - 22, 'Accuracy in training, by step', { size: 20, colour: SOFT })}`;
}

/** An answer in one line, with a mark. */
function answer(y: number, name: string, { text: said, extracted, correct }: EvalSample): string {
  const line = judgedPart(said, extracted).split('\n').at(-1) ?? '';
  return `${text(60, y, name, { size: 22, colour: SOFT })}${text(210, y, `${correct ? '✓' : '✗'} ${line.slice(0, 60)}`, { size: 22, colour: correct ? GREEN : RED, mono: true })}`;
}

/** The picture as SVG. */
export function resultSvg(
  snapshot: RunSnapshot,
  { before, after }: EndsOfRun,
  pair: BeforeAndAfter | null,
): string {
  const { config, modelName, parameterCount, wallSeconds } = snapshot;
  const [then, now] = [accuraciesOf(before), accuraciesOf(after)];
  const greedy = then.greedy !== null && now.greedy !== null;
  const first = greedy ? then.greedy?.share : before.accuracy;
  const last = greedy ? now.greedy?.share : after.accuracy;
  const task = config?.task ?? '';
  const model = `${modelName ?? 'a model'}${parameterCount === null ? '' : `, ${compact(parameterCount)} parameters`}`;
  const parts = [
    text(60, 80, findTask(task)?.title ?? task, { size: 40, bold: true }),
    text(60, 116, `${model}, trained in a browser tab`, { size: 22, colour: SOFT }),
    text(60, 230, `${percent(first)} → ${percent(last)}`, { size: 64, bold: true, colour: GREEN }),
    text(60, 275, `${greedy ? 'greedy' : 'sampled'} accuracy`, { size: 24 }),
    text(60, 308, `on ${plural(after.n, 'held-out problem')}`, { size: 24 }),
    text(60, 341, `${plural(after.step, 'step')} in ${clock(wallSeconds)}`, { size: 24 }),
    curve(snapshot),
    ...(pair === null
      ? []
      : [
          text(60, 478, pair.before.question.slice(0, 90), { size: 24, bold: true }),
          answer(516, 'before', pair.before),
          answer(552, `step ${after.step}`, pair.after),
        ]),
    text(60, 600, 'RL Playground', { size: 20, bold: true, colour: '#14506e' }),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${SIZE.height}"><rect width="100%" height="100%" fill="#fff"/>${parts.join('')}</svg>`;
}

export async function saveResultPicture(...of: Parameters<typeof resultSvg>): Promise<void> {
  const svg = new Blob([resultSvg(...of)], { type: 'image/svg+xml' });
  saveFile({ filename: 'rl-playground-result.png', blob: await pngOf(svg, SIZE, 1) });
}
