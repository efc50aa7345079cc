/** Says once in a run, above the charts, that sampler and trainer drift apart, and why. */
import { KL_LINE } from '../../rl/diagnosis/klCause.ts';
import { addNotice, removeNotice } from '../actions.ts';
import { firstCrossing, goesOn } from './klCrossing.ts';
import { useApp } from '../store.ts';

const ID = 'kl-line';

export function watchKl(): void {
  let said = false;
  useApp.subscribe(({ snapshot: { metrics, config, phase } }, { snapshot: before }) => {
    if (metrics === before.metrics) return;
    if (!goesOn(before.metrics, metrics)) {
      said = false;
      removeNotice(ID);
      return;
    }
    // A log that was loaded tells of a run that is over.
    if (said || config === null || phase === 'idle' || phase === 'loading') return;
    const cause = firstCrossing(metrics, before.metrics.length, config);
    if (cause === null) return;
    said = true;
    addNotice({
      id: ID,
      kind: 'warning',
      title: `${cause.title} (KL beyond ${KL_LINE})`,
      text: cause.text,
    });
  });
}
