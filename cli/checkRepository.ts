/** Checks that no linter knows: no address in the lockfile, and no comment that silences a check. */

/** One line per address in a package-lock.json. The registry is the reader's own choice (see .npmrc). */
export function addressesInLockfile(text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const found = /"resolved"|[a-z+]+:\/\/[^"]+/i.exec(line);
    // Where to give money is no place to download from.
    if (found === null || /^\s*"(url|funding)":/.test(line)) return [];
    return [`package-lock.json:${index + 1}: ${line.trim()}`];
  });
}

const SUPPRESSION = /(eslint|oxlint|tslint|prettier)-(disable|ignore)|@ts-(ignore|nocheck|expect-error)/;

/** One line per comment that switches a check off. `files` maps paths to texts. */
export function suppressions(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([path, text]) =>
    text
      .split('\n')
      .flatMap((line, index) => (SUPPRESSION.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  );
}
