import { Alert } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import { showReport, useKept } from '../kept/keptStore.ts';
import classes from './settingsFile.module.css';

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** What became of a settings file: what stands in for what, and each key that means nothing here, with its reason. */
export function SettingsReport(): ReactNode {
  const report = useKept((state) => state.report);
  const alert = useRef<HTMLDivElement>(null);
  // The button that loads a file may be far below.
  useEffect(() => {
    // Newer browsers return a promise here, which React would take for a clean-up.
    alert.current?.scrollIntoView({ block: 'nearest' });
  }, [report]);
  if (report === null) return null;
  const { file, replaced, ignored } = report;
  return (
    <Alert
      ref={alert}
      role="status"
      variant="default"
      data-testid="settings-report"
      title={`Settings loaded from ${file}`}
      withCloseButton
      closeButtonLabel={`Dismiss: settings loaded from ${file}`}
      onClose={() => showReport(null)}
      classNames={{ root: classes.report, title: classes.title }}
    >
      {replaced.length === 0 && ignored.length === 0 && <p>Everything in it was taken over as it stands.</p>}
      {replaced.length > 0 && (
        <>
          <p>{plural(replaced.length, 'replacement')}:</p>
          <ul>
            {replaced.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </>
      )}
      {ignored.length > 0 && (
        <details open={ignored.length <= 6}>
          <summary>{plural(ignored.length, 'key')} without a meaning here</summary>
          <ul>
            {ignored.map(({ path, value, reason }) => (
              <li key={path}>
                <code>
                  {path}: {shown(value)}
                </code>{' '}
                {reason}.
              </li>
            ))}
          </ul>
        </details>
      )}
    </Alert>
  );
}
