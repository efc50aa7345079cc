/** The four numbers of a run with small curves, for a phone, where the charts wait behind a tap. */
import { useDeferredValue, type ReactNode } from 'react';
import { useRun } from '../../run/state/runStore.ts';
import { useCharts } from '../arms/chartsStore.ts';
import { Fold } from '../../ui/parts/Fold.tsx';
import { MAIN_CHARTS, MainCharts } from '../charts/MainCharts.tsx';
import classes from './numbers.module.css';

const [WIDTH, HEIGHT] = [100, 26];

/** The path of a curve through all its values, scaled to its own least and largest. */
function pathOf(values: readonly number[]): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (i: number): number => (i / Math.max(1, values.length - 1)) * WIDTH;
  const y = (value: number): number => HEIGHT - 1 - ((value - low) / (high - low || 1)) * (HEIGHT - 2);
  return values.map((value, i) => `${i === 0 ? 'M' : 'L'}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join('');
}

export function Numbers(): ReactNode {
  const own = useDeferredValue(useRun(({ snapshot }) => snapshot.metrics));
  const recorded = useCharts((state) => state.recorded?.records[0]?.metrics);
  const metrics = recorded ?? own;
  return (
    <section className="panel" aria-label="Reward, accuracy, format and KL">
      <dl className={classes.numbers}>
        {MAIN_CHARTS.map(({ id, title, curves, format }) => {
          const [curve] = curves;
          const values = metrics.flatMap((step) => curve?.value(step) ?? []);
          return (
            <div key={id} data-testid={`number-${id}`}>
              <dt className="quiet">{title}</dt>
              <dd className="number" style={{ color: curve?.colour }}>
                {values.length === 0 ? '–' : format(values.at(-1) ?? null)}
              </dd>
              <svg
                aria-hidden="true"
                viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
                preserveAspectRatio="none"
                style={{ color: curve?.colour }}
              >
                {values.length > 1 && (
                  <path
                    d={pathOf(values)}
                    fill="none"
                    stroke="currentColor"
                    strokeWidth="1.5"
                    vectorEffect="non-scaling-stroke"
                  />
                )}
              </svg>
            </div>
          );
        })}
      </dl>
      {recorded && (
        <p className={`quiet ${classes.mark}`} data-testid="recorded-mark">
          Recorded run
        </p>
      )}
      <div className={classes.charts}>
        <Fold title="Charts" note="reward, accuracy, format, KL" part="charts">
          <MainCharts />
        </Fold>
      </div>
    </section>
  );
}
