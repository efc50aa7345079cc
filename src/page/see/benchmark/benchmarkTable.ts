/** The result of a benchmark in words: the rows of the page's table, and a row for a document. */
import { FIGURE_NAMES, FIGURES, type BenchmarkResult, type FigureName } from '@rl-playground/run/benchmark';
import { plural } from '@rl-playground/base/text';
import { compact, count } from '../../ui/text/format.ts';

const shown = (value: number): string => (value >= 999.5 ? count(value) : compact(value));

const labelOf = (name: FigureName): string => `${FIGURES[name].label}, ${FIGURES[name].unit}`;

/** A median as "12.3", with the size of the matrices behind that of products; `range` puts the least and the most between them. */
function figureText(name: FigureName, { figures, productSize }: BenchmarkResult, range: boolean): string {
  const figure = figures[name];
  if (figure === null) return 'no time left';
  const { median, least, most, repeats } = figure;
  const ends = repeats === 1 ? '1 try' : `${shown(least)}–${shown(most)}`;
  const size = name === 'product' ? ` at ${productSize}³` : '';
  return `${shown(median)}${range ? ` (${ends})` : ''}${size}`;
}

function backendText({ backend, software, threads }: BenchmarkResult): string {
  if (backend === 'wasm') return `CPU (WebAssembly), ${plural(threads, 'thread')}`;
  return software ? 'WebGPU on the CPU (software adapter)' : 'WebGPU';
}

function featuresText({ features, subgroups }: BenchmarkResult): string {
  const lanes = subgroups && (subgroups[0] === subgroups[1] ? subgroups[0] : subgroups.join(' to '));
  const words = [...features, ...(lanes === null ? [] : [`subgroups of ${lanes}`])];
  return words.length === 0 ? 'none' : words.join(', ');
}

const toldText = ({ vendor, architecture, description }: BenchmarkResult): string =>
  [vendor, architecture, description].filter((text) => text !== '').join(' · ') || 'not told';

export interface BenchmarkRow {
  readonly label: string;
  /** A text for each result, in their order. */
  readonly values: readonly string[];
}

/** The rows of a table of results beside each other. */
export function benchmarkRows(results: readonly BenchmarkResult[]): readonly BenchmarkRow[] {
  const row = (label: string, text: (result: BenchmarkResult) => string): BenchmarkRow => ({
    label,
    values: results.map(text),
  });
  return [
    row('Device', ({ name }) => name),
    row('Vendor, architecture, description', toldText),
    row('Backend', backendText),
    row('Features', featuresText),
    row('Browser', ({ browser }) => browser),
    ...FIGURE_NAMES.map((name) => row(labelOf(name), (result) => figureText(name, result, true))),
    row('Measured', ({ day, version }) => `${day}, version ${version}`),
  ];
}

/** Returns the text as Markdown shows it unchanged in a cell of a table. */
const escaped = (text: string): string => text.replaceAll(/[\\`*_[\]<>|~&]/g, (sign) => `\\${sign}`);

/** The table of docs/devices.md with one row, whose device is a link to the whole result. */
export function benchmarkMarkdown(result: BenchmarkResult, address: string): string {
  const { name, backend, browser, day, version } = result;
  const device = `[${escaped(name)}](${address}), ${backend === 'wasm' ? escaped(backendText(result)) : 'WebGPU'}`;
  const columns = ['Device', 'Browser', ...FIGURE_NAMES.map(labelOf), 'Measured'];
  const cells = [
    device,
    escaped(browser),
    ...FIGURE_NAMES.map((each) => figureText(each, result, false)),
    `${day}, version ${escaped(version)}`,
  ];
  const line = (texts: readonly string[]): string => `| ${texts.join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), line(cells)].join('\n');
}
