/** The result as JSON and as a table for people. */
import { tableOf, tableRow } from '../markdown.ts';
import { moreIsBetter } from './statistics.ts';
import { PEER_NAMES, type BenchResult, type ParticipantName, type Spread } from './types.ts';

/** Three significant digits. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 100 || size === 0) return value.toFixed(0);
  return size >= 10 ? value.toFixed(1) : size >= 1 ? value.toFixed(2) : value.toPrecision(3);
}

/** "12.3 GFLOP/s (11.9–12.8)". */
function spreadText({ median, min, max, unit }: Spread): string {
  return `${figure(median)} ${unit} (${figure(min)}–${figure(max)})`;
}

interface TargetOutcome {
  readonly against: ParticipantName;
  /** The ratio, or our own figure if the target is a bound on it; null if it was not measured. */
  readonly value: number | null;
  readonly target: number;
  /** False also where ours has no figure; null where the peer has none. */
  readonly reached: boolean | null;
}

/** Each target of a row and whether it was reached. Under `ours` it bounds our own figure, from the side its unit implies. */
export function targetOutcomes({ ours, ratio, target, peers, errors }: BenchResult): TargetOutcome[] {
  return Object.entries(target).flatMap(([name, wanted]): TargetOutcome[] => {
    const against = name as ParticipantName;
    if (against === 'ours') {
      const value = ours?.median ?? null;
      const reached = value !== null && (moreIsBetter(ours?.unit ?? '') ? value >= wanted : value <= wanted);
      return [{ against, value, target: wanted, reached }];
    }
    // A peer that this runtime does not have is no failure.
    if (!(against in peers) && !(errors && (against in errors || 'ours' in errors))) return [];
    const value = ratio[against] ?? null;
    const reached = against in peers || !ours ? value !== null && value >= wanted : null;
    return [{ against, value, target: wanted, reached }];
  });
}

/** One row for a terminal, a line for each participant. */
export function rowText(result: BenchResult): string {
  const { name, shape, ours, peers, ratio, fault, devices = {}, errors = {} } = result;
  const lines = [`${name}  ${shape}`];
  lines.push(`  ${'ours'.padEnd(15)} ${ours ? spreadText(ours) : `failed: ${errors.ours ?? ''}`}`);
  if (fault !== undefined) lines.push(`  ${'FAULT'.padEnd(15)} ${fault}`);
  for (const peer of PEER_NAMES) {
    const theirs = peers[peer];
    const error = errors[peer];
    if (theirs) {
      const times = ratio[peer] === undefined ? '' : `  ours ${figure(ratio[peer])}x`;
      const device = devices[peer] === undefined ? '' : `  (${devices[peer]})`;
      lines.push(`  ${peer.padEnd(15)} ${spreadText(theirs)}${times}${device}`);
    }
    if (error !== undefined) lines.push(`  ${peer.padEnd(15)} ${error}`);
  }
  return lines.join('\n');
}

/** All targets of a run as a table; empty where no row has one. */
export function targetTable(results: readonly BenchResult[]): string {
  const rows = results.flatMap((result) =>
    targetOutcomes(result).map(({ against, value, target, reached }) => {
      const times = against === 'ours' ? '' : 'x';
      return tableRow([
        result.name,
        result.shape,
        result.ours ? `${figure(result.ours.median)} ${result.ours.unit}` : 'failed',
        against === 'ours' ? 'bound' : against,
        value === null ? '–' : `${figure(value)}${times}`,
        `${figure(target)}${times}`,
        reached === null ? 'not measured' : reached ? 'reached' : 'NOT REACHED',
      ]);
    }),
  );
  const heads = ['what', 'shape', 'ours', 'against', 'is', 'target', ''];
  return rows.length === 0 ? '' : tableOf(heads, rows);
}
