/** The controls of all charts: a search over all metrics, and the strength of the smoothing. */
import { Select } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { InfoMark } from '../../ui/parts/InfoMark.tsx';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useCharts, MOST_SMOOTHING, setSmoothing, toggleChart } from '../arms/chartsStore.ts';
import { chartById, findMetrics } from './specs/find.ts';
import { StepChart } from './StepChart.tsx';
import classes from './charts.module.css';

/** The most metrics that are listed. More letters narrow them down. */
const MOST_FOUND = 40;

function MetricSearch({ onPick }: { readonly onPick: (id: string) => void }): ReactNode {
  const [query, setQuery] = useState('');
  const found = useMemo(() => findMetrics(query), [query]);
  return (
    <Select
      label="Search all metrics"
      placeholder="by name or by what it measures"
      className={classes.search}
      data-testid="metric-search"
      searchable
      selectFirstOptionOnChange
      limit={MOST_FOUND}
      nothingFoundMessage="No metric matches these words."
      value={null}
      searchValue={query}
      onSearchChange={setQuery}
      data={found.map(({ id, label }) => ({ value: id, label }))}
      filter={({ options }) => options}
      onChange={(id) => id !== null && onPick(id)}
      // A closed list that stayed would be drawn and placed with the page.
      comboboxProps={{ keepMounted: false }}
      renderOption={({ option }) => {
        const metric = found.find(({ id }) => id === option.value);
        return (
          <div style={{ overflowWrap: 'anywhere' }}>
            <b>{option.label}</b> <code className="quiet">{metric?.names[0]}</code>
            <div className="quiet">{metric?.formula}</div>
          </div>
        );
      }}
    />
  );
}

function Smoothing(): ReactNode {
  const smoothing = useCharts(({ view }) => view.smoothing);
  return (
    <div className={`row ${classes.smoothing}`}>
      <label className="row">
        Smoothing
        <input
          type="range"
          min={0}
          max={MOST_SMOOTHING}
          step={0.01}
          value={smoothing}
          data-testid="smoothing"
          aria-valuetext={smoothing === 0 ? 'off' : smoothing.toFixed(2)}
          onChange={(event) => setSmoothing(Number(event.currentTarget.value))}
        />
        <span className="number">{smoothing === 0 ? 'off' : smoothing.toFixed(2)}</span>
      </label>
      <InfoMark label="Smoothing" width={260}>
        An exponential moving average of what was measured, which stays visible: s(t) = Σ β^(t−i)·x(i) / Σ
        β^(t−i) over all i up to t. β is the number of the control; at 0 curves are drawn as measured.
      </InfoMark>
    </div>
  );
}

/** The chart of the metric that was found, until it is pinned or closed. */
function Picked({ id, onClose }: { readonly id: string; readonly onClose: () => void }): ReactNode {
  const spec = useMemo(() => chartById(id), [id]);
  if (spec === null) return null;
  return (
    <section className="stack wide" aria-label="Found metric" data-testid="found-metric">
      <StepChart spec={spec} />
      <div className="row">
        <ActionButton
          onClick={() => {
            toggleChart('pinned', id);
            onClose();
          }}
        >
          Keep beside the main charts
        </ActionButton>
        <ActionButton onClick={onClose}>Close</ActionButton>
      </div>
    </section>
  );
}

export function ChartControls(): ReactNode {
  const [picked, setPicked] = useState<string | null>(null);
  const isPinned = useCharts(({ view: { pinned } }) => picked !== null && pinned.includes(picked));
  return (
    <>
      <section className={`panel row ${classes.controls}`} aria-label="All charts">
        <MetricSearch onPick={setPicked} />
        <Smoothing />
      </section>
      {picked !== null && !isPinned && <Picked id={picked} onClose={() => setPicked(null)} />}
    </>
  );
}
