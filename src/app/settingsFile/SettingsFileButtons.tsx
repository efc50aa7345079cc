import type { ReactNode } from 'react';
import { useField } from '../controls/useField.ts';
import { DownloadIcon } from '../icons.tsx';
import { ActionButton } from '../ui/ActionButton.tsx';
import { LoadFileButton } from '../ui/LoadFileButton.tsx';
import { loadSettings, saveSettings } from './settingsFile.ts';
import classes from './settingsFile.module.css';

/** The settings out of the page and into it again, as a file. */
export function SettingsFileButtons(): ReactNode {
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
        <LoadFileButton
          name="Load settings…"
          inputName="Settings file to load"
          title={
            locked
              ? 'The settings belong to the run at hand; Reset frees them'
              : 'YAML or JSON: saved here, or written for RL for Real or RLVR. Or drop the file anywhere on the page'
          }
          accept=".yaml,.yml,.json"
          testId="settings-input"
          usable={!locked}
          onFile={(file) => void loadSettings(file)}
        />
      </span>
    </div>
  );
}
