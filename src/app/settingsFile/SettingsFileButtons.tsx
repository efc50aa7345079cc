import { useRef } from 'react';
import type { ReactNode } from 'react';
import { useField } from '../controls/useField.ts';
import { DownloadIcon, UploadIcon } from '../icons.tsx';
import { ActionButton } from '../ui/ActionButton.tsx';
import { loadSettings, saveSettings } from './settingsFile.ts';
import classes from './settingsFile.module.css';

/** The settings out of the page and into it again, as a file. */
export function SettingsFileButtons(): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const { locked } = useField('preset');
  return (
    <div className={classes.row} role="group" aria-label="Settings file">
      <span className={classes.label}>Settings file</span>
      <span className={classes.buttons}>
        <ActionButton
          variant="default"
          size="xs"
          leftSection={<DownloadIcon />}
          data-testid="save-settings"
          aria-label="Save settings"
          title="Every setting as a YAML file, for this page and for the command line"
          usable
          onClick={() => void saveSettings()}
        >
          Save
        </ActionButton>
        <ActionButton
          variant="default"
          size="xs"
          leftSection={<UploadIcon />}
          aria-label="Load settings…"
          title={
            locked
              ? 'The settings belong to the run at hand; Reset frees them'
              : 'YAML or JSON: saved here, or written for RL for Real or RLVR. Or drop the file anywhere on the page'
          }
          usable={!locked}
          onClick={() => input.current?.click()}
        >
          Load…
        </ActionButton>
      </span>
      <input
        ref={input}
        type="file"
        accept=".yaml,.yml,.json"
        hidden
        aria-label="Settings file to load"
        data-testid="settings-input"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          // The same file can be chosen again only from an empty input.
          event.currentTarget.value = '';
          if (file !== undefined) void loadSettings(file);
        }}
      />
    </div>
  );
}
