/** A table of the compared runs: the settings that differ, the results, and whether the difference could be chance. */
import { ScrollArea, Switch } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import { changedBetween, FIELD_KEYS, type FieldKey } from '@rl-playground/run/settings';
import {
  differenceBetween,
  gainText,
  isDistinguishable,
  NO_VERDICT,
  outcomesOf,
  OVER,
  resultText,
} from '@rl-playground/run/diagnosis';
import { fieldOf } from '../../run/form/settings.ts';
import { downloadComparison } from '../export/pageReport.ts';
import { valueText } from '../kept/changes.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Panel } from '../../ui/parts/Panel.tsx';
import { useCharts, type Arm } from '../../see/arms/chartsStore.ts';
import charts from '../../see/charts/charts.module.css';
import tables from '../../ui/style/table.module.css';

/** Settings in which the arms differ. The first run of an arm speaks for its other seeds. */
function differing(arms: readonly Arm[]): FieldKey[] {
  const configs = arms.flatMap(({ records }) => records[0]?.config ?? []);
  const [first, ...others] = configs;
  if (first === undefined) return [];
  const found = new Set(others.flatMap((config) => changedBetween(first, config)));
  if (new Set(arms.map((arm) => valueIn(arm, 'seed'))).size > 1) found.add('seed');
  return FIELD_KEYS.filter((key) => found.has(key));
}

function Verdict({ baseline, arm }: { readonly baseline: Arm; readonly arm: Arm }): ReactNode {
  if (arm === baseline) return <span className="quiet">baseline</span>;
  const found = differenceBetween(outcomesOf(baseline.records), outcomesOf(arm.records));
  if (found === null || found.interval === null) return <span className="quiet">{NO_VERDICT}</span>;
  const { difference, over } = found;
  const sure = isDistinguishable(found);
  return (
    <span data-testid="difference" data-sure={sure}>
      <b className={sure ? (difference > 0 ? 'good' : 'bad') : undefined}>
        {sure ? (difference > 0 ? 'better' : 'worse') : 'not distinguishable'}
      </b>{' '}
      <span className="number">{gainText(found)}</span>
      <br />
      <span className="quiet">95% interval {OVER[over]}</span>
    </span>
  );
}

/** The value of a setting in an arm. An arm of several runs lists all of its seeds. */
function valueIn({ records }: Arm, key: FieldKey): string {
  const [first] = records;
  if (first === undefined) return '';
  return key === 'seed' ? records.map(({ config }) => config.seed).join(', ') : valueText(first.config, key);
}

export function ComparePanel(): ReactNode {
  const { arms, pinned } = useCharts();
  const [all, setAll] = useState(false);
  const baseline = arms.find(({ id }) => id === pinned) ?? arms[0];
  if (baseline === undefined || arms.length < 2) return null;
  const keys = all ? FIELD_KEYS : differing(arms);
  return (
    <Panel
      title="Runs side by side"
      testId="compare"
      aside={
        <span className="row">
          <Switch
            label="differences only"
            checked={!all}
            onChange={(event) => setAll(!event.currentTarget.checked)}
          />
          <ActionButton
            size="compact-xs"
            title="Results, charts and answers of these runs as one HTML file"
            onClick={() => void downloadComparison()}
          >
            Report of these runs
          </ActionButton>
        </span>
      }
    >
      <ScrollArea viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Table of runs' }}>
        <table className={tables.table}>
          <thead>
            <tr>
              <th scope="col">Run</th>
              {arms.map(({ id, name, colour }) => (
                <th key={id} scope="col">
                  <span className={charts.swatch} style={{ background: colour }} />
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">accuracy on held-out problems</th>
              {arms.map((arm) => (
                <td key={arm.id}>
                  <span className="number">{resultText(arm.records)}</span>
                </td>
              ))}
            </tr>
            <tr>
              <th scope="row">against {baseline.name}</th>
              {arms.map((arm) => (
                <td key={arm.id}>
                  <Verdict baseline={baseline} arm={arm} />
                </td>
              ))}
            </tr>
            {keys.map((key) => (
              <tr key={key} data-testid="compared-setting">
                <th scope="row">{fieldOf(key).label}</th>
                {arms.map((arm) => (
                  <td key={arm.id}>{valueIn(arm, key)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
      {keys.length === 0 && <p className="quiet">All {plural(arms.length, 'run')} have the same settings.</p>}
    </Panel>
  );
}
