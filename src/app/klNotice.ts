/** Says once in a run, above the charts, that sampler and trainer drift apart, and why. */
import { KL_LINE, klCause } from '../rl/klCause.ts';
import type { RunSnapshot } from '../run/types.ts';
import { addNotice, removeNotice } from './actions.ts';
import { useApp } from './store.ts';

const ID = 'kl-line';

/** Whether the later log is the earlier one with more steps at its end. */
function goesOn({ metrics: earlier }: RunSnapshot, { metrics: later }: RunSnapshot): boolean {
  return later.length >= earlier.length && earlier.every((step, index) => step === later[index]);
}

export function watchKl(): void {
  let said = false;
  useApp.subscribe(({ snapshot }, { snapshot: before }) => {
    const { metrics, config, phase } = snapshot;
    if (metrics === before.metrics) return;
    if (!goesOn(before, snapshot)) {
      said = false;
      removeNotice(ID);
      return;
    }
    // A log that was loaded tells of a run that is over.
    if (said || config === null || phase === 'idle' || phase === 'loading') return;
    for (let steps = before.metrics.length + 1; steps <= metrics.length && !said; steps++) {
      const cause = klCause(metrics.slice(0, steps), config);
      if (cause === null) continue;
      said = true;
      addNotice({
        id: ID,
        kind: 'warning',
        title: `${cause.title} (KL beyond ${KL_LINE})`,
        text: cause.text,
      });
    }
  });
}
