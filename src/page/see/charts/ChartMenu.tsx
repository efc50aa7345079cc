/** The corner of a chart: what its metrics are, and files of it. */
import { ActionIcon, Menu } from '@mantine/core';
import { memo, type ReactNode, type RefObject } from 'react';
import { METRICS } from '@rl-playground/run/metrics';
import { MoreIcon } from '../../ui/parts/icons.tsx';
import { InfoMark } from '../../ui/parts/InfoMark.tsx';
import { saveFile } from '../../ui/files/saveDownload.ts';
import { reportError } from '../../ui/open/openStore.ts';
import { csvOf, type Table } from './csv.ts';
import type { ChartSpec, MetricText } from './specs/spec.ts';

interface ChartMenuProps {
  readonly spec: ChartSpec;
  readonly figure: RefObject<HTMLElement | null>;
  readonly table: () => Promise<Table>;
}

type Format = 'PNG' | 'SVG' | 'CSV';

async function fileOf({ spec, figure, table }: ChartMenuProps, format: Format): Promise<Blob> {
  if (format === 'CSV') return new Blob([await csvOf(await table())], { type: 'text/csv' });
  if (figure.current === null) throw new Error('The chart is no longer on the page.');
  const { pictureOf } = await import('./picture.ts');
  return pictureOf(figure.current, spec, format);
}

function ChartMenu(props: ChartMenuProps): ReactNode {
  const { id, title } = props.spec;
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
        <ActionIcon variant="subtle" color="gray" size={24} aria-label={`${title}: files`}>
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
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
function MetricMark({
  metrics,
  more = [],
  reading,
}: Pick<ChartSpec, 'metrics' | 'more' | 'reading'>): ReactNode {
  const texts: MetricText[] = [
    ...metrics.flatMap((key) => METRICS.find((metric) => metric.key === key) ?? []),
    ...more,
  ];
  if (texts.length === 0) return null;
  const spoken = texts.map(
    ({ label, names, formula }) => `${label}, logged as ${names.join(' and ')}: ${formula}`,
  );
  return (
    <InfoMark label={`${reading} ${spoken.join('. ')}`}>
      <p>{reading}</p>
      <dl className="stack">
        {texts.map(({ label, names, formula }) => (
          <div key={names[0]}>
            <dt>
              <b>{label}</b>
            </dt>
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

export const ChartCorner = memo(function ChartCorner(props: ChartMenuProps): ReactNode {
  return (
    <>
      <MetricMark {...props.spec} />
      <ChartMenu {...props} />
    </>
  );
});
