/** The parts that wings on the right give to the settings. They are made once, so that they are drawn again only where they change. */
import { ModelFiles } from '../keep/export/ModelFiles.tsx';
import { KeptRuns } from '../keep/kept/KeptRuns.tsx';
import { SettingsFileButtons } from '../keep/settingsFile/SettingsFileButtons.tsx';
import { SftSection } from '../own/sft/SftSection.tsx';

export const WARM_UP = <SftSection />;
export const SETTINGS_FILE = <SettingsFileButtons />;
export const MODEL = { files: <ModelFiles />, runs: <KeptRuns /> };
