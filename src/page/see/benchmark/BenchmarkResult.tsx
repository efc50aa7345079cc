import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Row } from '../../../bench/measure.ts';
import { benchReport, figure, markdownOf, targetOutcomes } from '../../../bench/report.ts';
import type { BenchOutcome } from '../../../bench/run.ts';
import { PEER_NAMES, type ParticipantName, type PeerName, type Spread } from '../../../bench/types.ts';
import { messageOf } from '@rl-playground/base/errors';
import { Panel } from '../../ui/parts/Panel.tsx';
import { useBenchmark } from './benchmarkStore.ts';
import classes from './benchmark.module.css';

const PEER_WORDS: Readonly<Record<PeerName, string>> = {
  tfjs: 'TensorFlow.js',
  'jax-js': 'jax-js',
  'transformers.js': 'transformers.js',
  wasm: 'this page on the CPU',
  torch: 'PyTorch',
  trl: 'TRL',
};

function SpreadCell({ median, min, max, unit }: Spread): ReactNode {
  return (
    <>
      <span className="number">
        {figure(median)} {unit}
      </span>
      <span className={classes.range}>
        ({figure(min)}–{figure(max)})
      </span>
    </>
  );
}

/** Whether a target was reached: a factor over a peer, or a bound of our own. */
function Verdict({ row, against }: { readonly row: Row; readonly against: ParticipantName }): ReactNode {
  const outcome = targetOutcomes(row.result).find((each) => each.against === against);
  if (outcome === undefined) return null;
  const { target, reached } = outcome;
  return (
    <span className={reached ? classes.reached : classes.missed}>
      {against === 'ours' ? `bound ${figure(target)}` : `target ${figure(target)}×`}{' '}
      {reached ? 'reached' : 'not reached'}
    </span>
  );
}

function PeerCell({ row, peer }: { readonly row: Row; readonly peer: PeerName }): ReactNode {
  const { peers, ratio, errors } = row.result;
  const theirs = peers[peer];
  const error = errors?.[peer];
  return (
    <td>
      {theirs !== undefined && <SpreadCell {...theirs} />}
      {ratio[peer] !== undefined && <strong className={classes.ratio}>{figure(ratio[peer])}×</strong>}
      <Verdict row={row} against={peer} />
      {error !== undefined && <span className={classes.error}>{error}</span>}
    </td>
  );
}

function OursCell({ row }: { readonly row: Row }): ReactNode {
  const { ours, errors } = row.result;
  return (
    <td>
      {ours !== null && <SpreadCell {...ours} />}
      <Verdict row={row} against="ours" />
      {ours === null && (
        <span className={classes.error}>{errors?.ours ?? 'It failed without a reason.'}</span>
      )}
    </td>
  );
}

/** Peers that any row speaks of, in their fixed order. */
function peersOf(rows: readonly Row[]): PeerName[] {
  const named = new Set<ParticipantName>(
    rows.flatMap(({ result }) => [
      ...Object.keys(result.peers),
      ...Object.keys(result.errors ?? {}),
    ]) as ParticipantName[],
  );
  return PEER_NAMES.filter((peer) => named.has(peer));
}

/** One line for each thing timed, a column for each participant. */
function BenchmarkTable({ rows }: { readonly rows: readonly Row[] }): ReactNode {
  const peers = peersOf(rows);
  return (
    <div className={classes.scroll} role="region" aria-label="Benchmark results">
      <table className={classes.table} data-testid="benchmark-table">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">This page</th>
            {peers.map((peer) => (
              <th key={peer} scope="col">
                {PEER_WORDS[peer]}
              </th>
            ))}
            <th scope="col">Of the measured ceiling</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.result.name} ${row.result.shape} ${row.result.ours?.unit ?? ''}`}>
              <th scope="row">
                {row.result.name}
                <span className={classes.shape}>{row.result.shape}</span>
              </th>
              <OursCell row={row} />
              {peers.map((peer) => (
                <PeerCell key={peer} row={row} peer={peer} />
              ))}
              <td className="number">
                {row.ceilingShare === null ? '' : `${figure(100 * row.ceilingShare)}%`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CopyButtons({ outcome }: { readonly outcome: BenchOutcome }): ReactNode {
  const [said, setSaid] = useState('');
  const copy = async (text: string, what: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid(`Copied as ${what}.`);
    } catch (error) {
      setSaid(`It could not be copied: ${messageOf(error)}`);
    }
  };
  return (
    <>
      <span role="status">{said}</span>
      <Button onClick={() => void copy(JSON.stringify(benchReport(outcome), null, 2), 'JSON')}>
        Copy as JSON
      </Button>
      <Button onClick={() => void copy(markdownOf(outcome), 'Markdown')}>Copy as Markdown</Button>
    </>
  );
}

/** The rows so far, and the finished result to take along. */
export function BenchmarkResult(): ReactNode {
  const rows = useBenchmark((state) => state.rows);
  const outcome = useBenchmark((state) => state.outcome);
  if (rows.length === 0) return null;
  return (
    <Panel
      title="Result"
      testId="benchmark-result"
      aside={outcome === null ? undefined : <CopyButtons outcome={outcome} />}
    >
      {outcome !== null && (
        <p className={classes.adapter}>
          {outcome.adapter}. Medians; the range of the repeats is in brackets. × says how many times faster
          this page is.
        </p>
      )}
      <BenchmarkTable rows={rows} />
    </Panel>
  );
}
