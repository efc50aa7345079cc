/** The corner of a chart: what its metrics are, how it is drawn, whether it is pinned, and files of it. */
import { ActionIcon, Menu } from '@mantine/core';
import { memo, type ReactNode, type RefObject } from 'react';
import { METRICS } from '@rl-playground/run/metrics';
import { MoreIcon } from '../../ui/parts/icons.tsx';
import { InfoMark } from '../../ui/parts/InfoMark.tsx';
import { saveFile } from '../../ui/files/saveDownload.ts';
import { reportError } from '../../ui/open/openStore.ts';
import { useCharts, toggleChart } from '../arms/chartsStore.ts';
import { csvOf, type Table } from './csv.ts';
import { isMain, type ChartSpec, type Curve, type MetricText } from './specs/spec.ts';
import classes from './charts.module.css';

interface ChartMenuProps {
  readonly spec: Pick<ChartSpec, 'id' | 'title' | 'unit' | 'band' | 'pinnable'> & {
    readonly curves: readonly (Pick<Curve, 'name' | 'colour'> & Partial<Curve>)[];
  };
  readonly figure: RefObject<HTMLElement | null>;
  readonly table: () => Table;
  /** The reason why there can be no log axis, or null if there can be one. A chart without this choice leaves it out. */
  readonly logRefusal?: string | null | undefined;
}

interface ChoiceProps {
  readonly chosen: boolean;
  readonly onClick: () => void;
  readonly refusal?: string | null;
  readonly children: ReactNode;
}

/** A choice that is on or off, with the reason under it where it can't be on. */
function Choice({ chosen, onClick, refusal = null, children }: ChoiceProps): ReactNode {
  const usable = chosen || refusal === null;
  return (
    <Menu.CheckboxItem
      checked={chosen}
      aria-disabled={!usable}
      data-disabled={!usable || undefined}
      closeMenuOnClick={usable}
      onChange={() => {
        if (usable) onClick();
      }}
    >
      {children}
      {refusal !== null && <div className="quiet">Not here: {refusal}.</div>}
    </Menu.CheckboxItem>
  );
}

type Format = 'PNG' | 'SVG' | 'CSV';

async function fileOf({ spec, figure, table }: ChartMenuProps, format: Format): Promise<Blob> {
  if (format === 'CSV') return new Blob([await csvOf(table())], { type: 'text/csv' });
  if (figure.current === null) throw new Error('The chart is no longer on the page.');
  const { pictureOf } = await import('./picture.ts');
  return pictureOf(figure.current, spec, format);
}

export function ChartMenu(props: ChartMenuProps): ReactNode {
  const { spec, logRefusal } = props;
  const { id, title, curves, band = false, pinnable = true } = spec;
  const isLog = useCharts(({ view: { log } }) => log.includes(id));
  const hasBand = useCharts(({ view: { bands } }) => band !== bands.includes(id));
  const isPinned = useCharts(({ view: { pinned } }) => pinned.includes(id));
  const save = async (format: Format): Promise<void> => {
    try {
      saveFile({
        filename: `rl-playground-${id.replace(':', '-')}.${format.toLowerCase()}`,
        blob: await fileOf(props, format),
      });
    } catch (error) {
      reportError('The chart could not be saved', error, 'Try another format.');
    }
  };
  return (
    <Menu
      position="bottom-end"
      withinPortal
      shadow="md"
      width={230}
      styles={{ item: { fontSize: 12.5, paddingBlock: 5 } }}
    >
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={24} aria-label={`${title}: options and files`}>
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {pinnable && !isMain(id) && (
          <Choice chosen={isPinned} onClick={() => toggleChart('pinned', id)}>
            Pinned to the main charts
          </Choice>
        )}
        {logRefusal !== undefined && (
          <Choice chosen={isLog} refusal={logRefusal} onClick={() => toggleChart('log', id)}>
            Log axis
          </Choice>
        )}
        {curves.some(({ spread }) => spread !== undefined) && (
          <Choice chosen={hasBand} onClick={() => toggleChart('bands', id)}>
            Band of ± one standard deviation
          </Choice>
        )}
        <Menu.Label>Save</Menu.Label>
        {(['PNG', 'SVG', 'CSV'] as const).map((format) => (
          <Menu.Item key={format} onClick={() => void save(format)}>
            {format === 'CSV' ? 'CSV: raw values, all runs drawn' : format}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The log's names and the formulas of metrics, behind a mark. */
export function MetricMark({ metrics, more = [] }: Pick<ChartSpec, 'metrics' | 'more'>): ReactNode {
  const texts: MetricText[] = [
    ...metrics.flatMap((key) => METRICS.find((metric) => metric.key === key) ?? []),
    ...more,
  ];
  if (texts.length === 0) return null;
  const spoken = texts.map(
    ({ label, names, formula }) => `${label}, logged as ${names.join(' and ')}: ${formula}`,
  );
  return (
    <InfoMark label={spoken.join('. ')} width={320}>
      <dl className={`stack ${classes.metrics}`}>
        {texts.map(({ label, names, formula }) => (
          <div key={names[0]}>
            <dt>{label}</dt>
            <dd>
              <code>{names.join(', ')}</code>
            </dd>
            <dd>{formula}</dd>
          </div>
        ))}
      </dl>
    </InfoMark>
  );
}

export const ChartCorner = memo(function ChartCorner(
  props: ChartMenuProps & { readonly spec: ChartSpec },
): ReactNode {
  return (
    <>
      <MetricMark metrics={props.spec.metrics} more={props.spec.more ?? []} />
      <ChartMenu {...props} />
    </>
  );
});
