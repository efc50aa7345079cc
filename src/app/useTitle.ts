import { useDocumentTitle } from '@mantine/hooks';
import { isUnderWay, phaseLabel } from './transport/phases.ts';
import { useApp } from './store.ts';

const TITLE = 'RL Playground: a language model learns by reinforcement in your browser';

/** The tab says how far a run is, for whoever looks at another page meanwhile. */
export function useTitle(): void {
  const { phase, step, totalSteps } = useApp((state) => state.snapshot);
  const running = isUnderWay(phase) || phase === 'finished' || phase === 'failed';
  useDocumentTitle(running ? `${step}/${totalSteps} ${phaseLabel(phase)} · RL Playground` : TITLE);
}
