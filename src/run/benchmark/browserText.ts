/** Browser and system in words, from what a browser says of itself. */

const BROWSERS = [
  [/\bEdg\w*\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\bFirefox\/(\d+)/, 'Firefox'],
  [/Chrome\/(\d+)/, 'Chrome'],
  [/\bVersion\/([\d.]+).*\bSafari\//, 'Safari'],
] as const;

const SYSTEMS = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/CrOS/, 'ChromeOS'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;

/** Returns words such as "Chrome 150, Linux"; what is unknown is named so. */
export function browserText(userAgent: string): string {
  const browser = BROWSERS.flatMap(([sign, name]) => {
    const version = sign.exec(userAgent)?.[1];
    return version === undefined ? [] : `${name} ${version}`;
  })[0];
  const system = SYSTEMS.find(([sign]) => sign.test(userAgent))?.[1];
  return `${browser ?? 'Unknown browser'}, ${system ?? 'unknown system'}`;
}
