import { MantineProvider } from '@mantine/core';
import '@mantine/core/styles.layer.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import './app/app.css';
import { afterFirstPaint, keepAddress, startEngine } from './app/start.ts';
import { theme } from './app/theme.ts';
import { Failure } from './app/ui/Failure.tsx';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id "root".');
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <Failure>
        <App />
      </Failure>
    </MantineProvider>
  </StrictMode>,
);
keepAddress();
afterFirstPaint(() => {
  void import('./app/recorded/play.ts').then(({ welcome }) => welcome());
  void startEngine();
});
