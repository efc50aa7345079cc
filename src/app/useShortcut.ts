import { useEffect } from 'react';
import { pause, train } from './actions.ts';
import { isBusy } from './transport/phases.ts';
import { useApp } from './store.ts';

/** Ctrl+Enter (⌘ Enter) presses the green button from anywhere on the page. */
export function useShortcut(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return;
      event.preventDefault();
      if (isBusy(useApp.getState().snapshot.phase)) pause();
      else train();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}
