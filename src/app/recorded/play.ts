/** Plays the recorded run in the charts from the first paint on, until a run begins here or one is opened. */
import { useApp } from '../store.ts';
import { useCompare } from '../compare/compareStore.ts';
import { recorded, recordedArm } from './recordedRun.ts';

/** From its first step to its last. */
const PLAY_MILLISECONDS = 6000;
/** Charts are drawn anew at most four times a second. */
const FRAME_MILLISECONDS = 250;

let timer: ReturnType<typeof setInterval> | null = null;

function rest(): void {
  if (timer !== null) clearInterval(timer);
  timer = null;
}

export function hideRecorded(): void {
  rest();
  useCompare.setState({ recorded: null });
}

/** From the beginning; all at once for who wants no motion. */
export function playRecorded(): void {
  rest();
  const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  const began = performance.now();
  const draw = (): void => {
    const share = still ? 1 : (performance.now() - began) / PLAY_MILLISECONDS;
    useCompare.setState({ recorded: recordedArm(Math.max(2, Math.ceil(share * recorded.numSteps))) });
    if (share >= 1) rest();
  };
  if (!still) timer = setInterval(draw, FRAME_MILLISECONDS);
  draw();
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
