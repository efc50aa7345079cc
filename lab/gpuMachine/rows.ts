/** The rows of `npm run lab -- gpu`: lines of JSON in a file, words for a person, and a table in Markdown for docs/benchmark.md. */
import { z } from 'zod';
import { tableOf, tableRow } from '../markdown.ts';

/** A row as a part measures it. It has a figure, a note, or the reason for which it has neither. */
const measured = z.object({
  name: z.string(),
  /** The sizes or the model. */
  shape: z.string().optional(),
  value: z.number().optional(),
  unit: z.string().optional(),
  /** The largest figure that is right. */
  bound: z.number().optional(),
  /** Figures of others in the same unit, by their names. */
  peers: z.record(z.string(), z.number()).optional(),
  note: z.string().optional(),
  /** The reason for which it was not measured here. */
  skipped: z.string().optional(),
  /** The error in words. */
  failed: z.string().optional(),
  /** Whatever else is worth keeping. */
  details: z.record(z.string(), z.unknown()).optional(),
});
export type Row = z.infer<typeof measured>;

const written = measured.extend({
  part: z.string(),
  /** The time at which the command began, in ISO 8601. */
  begun: z.string(),
  /** Seconds from the beginning of the command until the row was there. */
  at: z.number(),
});
export type WrittenRow = z.infer<typeof written>;

/** Reads a file of rows. A last line that was cut off is left out. @throws if another line is no row. */
export function readRows(text: string): WrittenRow[] {
  const lines = text.split('\n').slice(0, text.endsWith('\n') ? undefined : -1);
  return lines.filter((line) => line !== '').map((line) => written.parse(JSON.parse(line)));
}

/** True for an error, and for a figure above its bound or none at all. */
export const isFailure = ({ value, bound, failed }: Row): boolean =>
  failed !== undefined || (bound !== undefined && !(value !== undefined && value <= bound));

/** A figure with four digits that count. */
function figure(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(2) : String(+value.toPrecision(4));
}

const boundText = ({ bound }: Row): string => (bound === undefined ? '' : ` (at most ${figure(bound)})`);

/** The figure of a row, or the reason for which there is none, in words. */
function outcome(row: Row): string {
  const { value, unit = '', note, skipped, failed } = row;
  const words = [
    ...(value === undefined ? [] : [`${figure(value)} ${unit}`.trimEnd() + boundText(row)]),
    ...(skipped === undefined ? [] : [`skipped: ${skipped}`]),
    ...(failed === undefined ? [] : [`FAILED: ${failed}`]),
    ...(note === undefined ? [] : [note]),
  ];
  return words.join('; ').replaceAll(/\s+/g, ' ');
}

const peersText = ({ peers = {} }: Row): string =>
  Object.entries(peers)
    .map(([name, value]) => `${name} ${figure(value)}`)
    .join(', ');

/** The line for a terminal. */
export function rowLine(row: WrittenRow): string {
  const peers = peersText(row);
  const what = [row.name, row.shape ?? ''].join(' ').trimEnd();
  return `${row.at.toFixed(0).padStart(4)} s  ${row.part}: ${what}: ${outcome(row)}${peers === '' ? '' : ` (${peers})`}`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** The rows without those of parts that were measured again later. */
function lastOfEachPart(rows: readonly WrittenRow[]): WrittenRow[] {
  const last = new Map(rows.map(({ part, begun }) => [part, begun]));
  return rows.filter(({ part, begun }) => last.get(part) === begun);
}

/** The table of a file of rows below a line on the machine, which is what the part `adapter` noted. */
export function rowsTable(all: readonly WrittenRow[]): string {
  const rows = lastOfEachPart(all);
  const machine = rows.filter(({ part, note }) => part === 'adapter' && note !== undefined);
  const heading = machine.map(({ name, note = '' }) => `${name}: ${note}`).join('; ');
  const lines = rows
    .filter((row) => !machine.includes(row))
    .map((row) =>
      tableRow([row.part, row.name, row.shape ?? '', outcome(row), peersText(row)].map((text) => cell(text))),
    );
  return `${heading}\n\n${tableOf(['Part', 'What', 'Sizes', 'Here', 'Others'], lines)}`;
}
