import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { benchReport, markdownOf } from '../../bench/report.ts';
import type { BenchOutcome } from '../../bench/run.ts';
import { messageOf } from '../../base/errors.ts';
import { Panel } from '../ui/Panel.tsx';
import { BenchmarkTable } from './BenchmarkTable.tsx';
import { useBenchmark } from './benchmarkStore.ts';
import classes from './benchmark.module.css';

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
