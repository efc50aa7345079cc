import { MantineProvider } from '@mantine/core';
import './ui/style/mantineStyles.ts';
import './app.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { keepFocus } from './ui/open/keepFocus.ts';
import { keepPlace } from './run/address/placeAddress.ts';
import { keepAddress, startEngine } from './start.ts';
import { openHelp } from './ui/open/openStore.ts';
import { theme } from './ui/style/theme.ts';
import { linkedIn } from './see/benchmark/benchmarkLinks.ts';
import { Failure } from './see/diagnostics/Failure.tsx';
import { lazyPart } from './ui/draw/lazyPart.tsx';
import { isInvitation } from '@rl-playground/machines';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id "root".');
/** The app of a page that was opened by an invitation to generate; null for the playground. */
const GeneratorApp = isInvitation(window.location.hash)
  ? lazyPart(async () => (await import('./run/generator/GeneratorApp.tsx')).GeneratorApp)
  : null;
// It has a heading and a width of its own.
if (GeneratorApp) {
  document.querySelector('.masthead')?.remove();
  root.parentElement?.classList.remove('page');
}
/** Shows the measurement of another machine that the address carries. */
function showLinked(): void {
  if (linkedIn(window.location.hash) !== null) openHelp('benchmark');
}

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <Failure>{GeneratorApp ? <GeneratorApp /> : <App />}</Failure>
    </MantineProvider>
  </StrictMode>,
);
if (!GeneratorApp) {
  keepAddress();
  keepPlace();
  keepFocus();
  showLinked();
  // Behind what React draws first.
  setTimeout(() => {
    void startEngine();
    void import('./learn/path/path.ts').then(({ followPath }) => followPath());
    void import('./learn/recorded/play.ts').then(({ welcome }) => welcome());
  });
}
// A link that is put into the address of a page that is open changes its fragment alone.
window.addEventListener('hashchange', () => {
  if (isInvitation(window.location.hash) || GeneratorApp) window.location.reload();
  else showLinked();
});
