/** Finds metrics by words, and draws them. */
import { METRICS } from '@rl-playground/run/metrics';
import { bytesText } from '@rl-playground/base/text';
import { hasWords } from '../../../ui/text/search.ts';
import { compact, count, fixed, percent } from '../../../ui/text/format.ts';
import { aboutOne, COLOURS, PLAIN, SHARES, type ChartSpec } from './spec.ts';

export type Definition = (typeof METRICS)[number];

function writtenIn(unit: Definition['unit']): Pick<ChartSpec, 'range' | 'format' | 'tick'> {
  switch (unit) {
    case 'share':
      return SHARES;
    case 'percent':
      return {
        range: [0, 100],
        format: (value) => percent(value === null ? null : value / 100),
        tick: (value) => percent(value / 100, 0),
      };
    case 'bytes':
      return {
        range: [0, null],
        format: (value) => (value === null ? compact(null) : bytesText(value)),
        tick: bytesText,
      };
    case 'seconds':
      return { ...PLAIN, format: (value) => fixed(value, 3) };
    case 'tokens':
    case 'completions':
    case 'groups':
    case 'updates':
    case 'steps':
    case 'version':
      return { ...PLAIN, format: (value) => (Number.isInteger(value) ? count(value) : fixed(value, 2)) };
    case 'reward':
    case 'nats':
    case 'number':
      return { ...PLAIN, range: [null, null] };
  }
}

export function metricChart({ key, label, unit, formula }: Definition): ChartSpec {
  return {
    id: `metric:${key}`,
    title: label,
    unit: unit === 'number' ? '' : unit,
    reading: `${formula[0]?.toUpperCase() ?? ''}${formula.slice(1)}.`,
    metrics: [key],
    ...aboutOne((step) => step[key], COLOURS.grey),
    ...writtenIn(unit),
  };
}

/** The metrics with every word of `query` in their name, names in logs, unit or formula. Those with the words in their name come first. */
export function findMetrics(query: string): readonly Definition[] {
  const found = METRICS.filter(({ key, label, names, unit, formula }) =>
    hasWords([key, label, ...names, unit, formula].join(' '), query),
  );
  const byName = found.filter(({ label, names }) => hasWords([label, ...names].join(' '), query));
  return [...byName, ...found.filter((metric) => !byName.includes(metric))];
}
