/** Plays the recorded run in the charts from the first paint on, until a run begins here or one is opened. */
import { useApp } from '../../run/state/store.ts';
import { useCompare } from '../../see/arms/compareStore.ts';
import { recorded, recordedArm } from './recordedRun.ts';

let plays = 0;

export function hideRecorded(): void {
  useCompare.setState({ recorded: null });
}

/** From the beginning; all at once for who wants no motion. */
export function playRecorded(): void {
  plays++;
  useCompare.setState({ recorded: recordedArm(plays) });
}

/** Plays it where the page opens with the same task and nothing was made yet. */
export function welcome(): void {
  const { form, snapshot } = useApp.getState();
  if (form.task !== recorded.task || snapshot.metrics.length > 0) return;
  playRecorded();
  const unsubscribe = useApp.subscribe(({ form: now, snapshot: { metrics, sft } }) => {
    if (now.task === recorded.task && metrics.length === 0 && sft.losses.length === 0) return;
    unsubscribe();
    hideRecorded();
  });
}
