/** The controls of all charts: a search over all metrics, and the strength of the smoothing. */
import { Group, Select } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { InfoMark } from '../../ui/parts/InfoMark.tsx';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useCharts, MOST_SMOOTHING, setSmoothing } from '../arms/chartsStore.ts';
import { findMetrics, metricChart, type Definition } from './specs/find.ts';
import { StepChart } from './StepChart.tsx';
import classes from './charts.module.css';

/** The most metrics that are listed. More letters narrow them down. */
const MOST_FOUND = 40;

function MetricSearch({ onPick }: { readonly onPick: (metric: Definition) => void }): ReactNode {
  const [query, setQuery] = useState('');
  const found = useMemo(() => findMetrics(query), [query]);
  return (
    <Select
      label="Search all metrics"
      placeholder="by name or by what it measures"
      flex="1 1 260px"
      maw={460}
      data-testid="metric-search"
      searchable
      selectFirstOptionOnChange
      limit={MOST_FOUND}
      nothingFoundMessage="No metric matches these words."
      value={null}
      searchValue={query}
      onSearchChange={setQuery}
      data={found.map(({ key, label }) => ({ value: key, label }))}
      filter={({ options }) => options}
      onChange={(key) => {
        const picked = found.find((each) => each.key === key);
        if (picked !== undefined) onPick(picked);
      }}
      onKeyDown={(event) => {
        // The list marks its first metric a moment after the last letter, and quick hands are ahead of it.
        const [first] = found;
        const marked = event.currentTarget.getAttribute('aria-activedescendant');
        if (event.key === 'Enter' && query !== '' && !marked && first !== undefined) onPick(first);
      }}
      // A closed list that stayed would be drawn and placed with the page.
      comboboxProps={{ keepMounted: false }}
      renderOption={({ option }) => {
        const each = found.find(({ key }) => key === option.value);
        return (
          <div style={{ overflowWrap: 'anywhere' }}>
            <b>{option.label}</b> <code className="quiet">{each?.names[0]}</code>
            <div className="quiet">{each?.formula}</div>
          </div>
        );
      }}
    />
  );
}

function Smoothing(): ReactNode {
  const smoothing = useCharts((state) => state.smoothing);
  return (
    <Group flex="1 1 240px" maw={420} fz={12} gap={8} wrap="nowrap">
      <label className={`row ${classes.smoothing}`} style={{ flex: 1 }}>
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
      <InfoMark label="Smoothing">
        An exponential moving average of what was measured, which stays visible: s(t) = Σ β^(t−i)·x(i) / Σ
        β^(t−i) over all i up to t. β is the number of the control; at 0 curves are drawn as measured.
      </InfoMark>
    </Group>
  );
}

export function ChartControls(): ReactNode {
  const [metric, setMetric] = useState<Definition | null>(null);
  const spec = useMemo(() => metric && metricChart(metric), [metric]);
  return (
    <>
      <Group component="section" align="end" gap="10px 24px" aria-label="All charts">
        <MetricSearch onPick={setMetric} />
        <Smoothing />
      </Group>
      {spec !== null && (
        <section className="stack wide" aria-label="Found metric" data-testid="found-metric">
          <StepChart spec={spec} />
          <div className="row">
            <ActionButton onClick={() => setMetric(null)}>Close</ActionButton>
          </div>
        </section>
      )}
    </>
  );
}
