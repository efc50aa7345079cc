/** Plays the recorded run in the charts from the first paint on, until a run begins here or one is opened. */
import { useForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { showRecording } from '../../see/arms/chartsStore.ts';
import { recorded, recordedArm } from './recordedRun.ts';

let plays = 0;

export function hideRecorded(): void {
  showRecording(null);
}

/** From the beginning; all at once for who wants no motion. */
export function playRecorded(): void {
  plays++;
  showRecording(recordedArm(plays));
}

/** Whether the page shows another task, or something of its own. */
function isElsewhere(): boolean {
  const { metrics, sft } = useRun.getState().snapshot;
  return useForm.getState().form.task !== recorded.task || metrics.length > 0 || sft.losses.length > 0;
}

/** Plays it where the page opens with the same task and nothing was made yet. */
export function welcome(): void {
  if (isElsewhere()) return;
  playRecorded();
  const look = (): void => {
    if (!isElsewhere()) return;
    for (const stop of stops) stop();
    hideRecorded();
  };
  const stops = [useRun.subscribe(look), useForm.subscribe(look)];
}
