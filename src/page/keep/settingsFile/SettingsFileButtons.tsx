import type { ReactNode } from 'react';
import controls from '../../run/controls/controls.module.css';
import { useField } from '../../run/form/useField.ts';
import { DownloadIcon, UploadIcon } from '../../ui/parts/icons.tsx';
import { ActionButton, FileButton } from '../../ui/parts/buttons.tsx';
import { loadSettings, saveSettings } from './settingsFile.ts';

/** Buttons that save and load the settings as a file. */
export function SettingsFileButtons(): ReactNode {
  const { locked } = useField('preset');
  return (
    <div className={`${controls.section} ${controls.more}`} role="group" aria-label="Settings file">
      <div className="row apart">
        <span className={controls.label}>Settings file</span>
        <span className={controls.buttons}>
          <ActionButton
            leftSection={<DownloadIcon />}
            data-testid="save-settings"
            aria-label="Save settings"
            title="Every setting as a YAML file, for this page and for the command line"
            usable
            onClick={() => void saveSettings()}
          >
            Save
          </ActionButton>
          <FileButton
            leftSection={<UploadIcon />}
            aria-label="Load settings…"
            title={
              locked
                ? 'This run uses these settings. To load others, start a new run.'
                : 'A YAML or JSON file that was saved here or written for RL for Real or RLVR. You can also drop it anywhere on the page'
            }
            usable={!locked}
            accept=".yaml,.yml,.json"
            inputName="Settings file to load"
            inputTestId="settings-input"
            onFiles={([file]) => void loadSettings(file)}
          >
            Load…
          </FileButton>
        </span>
      </div>
    </div>
  );
}
