/** Finds a Chromium-family browser and the switches it needs, for the e2e tests, kernel tests and `train`. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright';

const COMMAND_NAMES = [
  'google-chrome-stable',
  'google-chrome',
  'chromium',
  'chromium-browser',
  'microsoft-edge-stable',
  'microsoft-edge',
];
const MAC_APPLICATIONS = ['Google Chrome', 'Chromium', 'Microsoft Edge'];
const WINDOWS_PROGRAMS = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
];

function candidates(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[] {
  if (platform === 'darwin') {
    const folders = ['/Applications', `${environment['HOME'] ?? ''}/Applications`];
    return folders.flatMap((folder) =>
      MAC_APPLICATIONS.map((name) => `${folder}/${name}.app/Contents/MacOS/${name}`),
    );
  }
  if (platform === 'win32') {
    const folders = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].map((name) => environment[name]);
    return folders
      .filter((folder) => folder !== undefined)
      .flatMap((folder) => WINDOWS_PROGRAMS.map((program) => join(folder, program)));
  }
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return COMMAND_NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
}

/**
 * The executable of the browser to use: `CHROME_PATH`, else an installed Chrome, Chromium or Edge, else the one that Playwright installed.
 *
 * @throws Error if `CHROME_PATH` names a file that does not exist.
 */
export function findBrowser(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string | null {
  const chosen = environment['CHROME_PATH'];
  if (chosen !== undefined && chosen !== '') {
    if (existsSync(chosen)) return chosen;
    throw new Error(
      `CHROME_PATH is "${chosen}", and there is no such file. Set it to a Chrome, or unset it.`,
    );
  }
  const all = [...candidates(environment, platform), chromium.executablePath()];
  return all.find((path) => existsSync(path)) ?? null;
}

/** The kind of adapter. `webgpu` takes the hardware adapter, or Chrome's software one (SwiftShader) if there is none; `none` has no adapter. */
export type GraphicsMode = 'webgpu' | 'none';

/**
 * Features that a headless browser does better without. The address bar's own pages are rendered for every window, which took 0.7 of the
 * 4.5 seconds of processor time for opening this page. The switch replaces Playwright's, so its features are listed here too.
 */
const DISABLED_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'AiModeOmniboxEntryPoint',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** The device of NVIDIA's driver. */
const NVIDIA = '/dev/nvidiactl';

/**
 * The switches for hardware. Headless, Chrome on Linux reaches NVIDIA's adapter only through Vulkan, and not through a surface of X.
 * Other vendors' adapters could not be tried.
 */
const hardwareArguments = (): string[] =>
  existsSync(NVIDIA) ? ['--use-angle=vulkan', '--disable-vulkan-surface'] : [];

/** Command-line switches for a quiet headless browser. */
export function launchArguments(graphics: GraphicsMode): string[] {
  const args = [
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    `--disable-features=${DISABLED_FEATURES.join(',')}`,
    // A page under test must not be slowed down because nobody looks at it.
    '--disable-background-timer-throttling',
    '--disable-backgrounding-occluded-windows',
    '--disable-renderer-backgrounding',
  ];
  if (graphics === 'webgpu') {
    args.push('--enable-unsafe-webgpu', '--ignore-gpu-blocklist');
    if (process.platform === 'linux') args.push('--enable-features=Vulkan', ...hardwareArguments());
  } else {
    args.push('--disable-gpu');
  }
  // Chrome's sandbox refuses to start as root.
  if (process.getuid?.() === 0) args.push('--no-sandbox');
  return args;
}
