import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SOURCES = fileURLToPath(new URL('../..', import.meta.url));
const MANTINE = fileURLToPath(new URL('../../../../node_modules/@mantine/core', import.meta.url));
const COMPONENTS = join(MANTINE, 'esm/components');

/** Names that the page imports from Mantine. */
function importedNames(): string[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  const names = files
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) =>
      [
        ...readFileSync(join(SOURCES, file), 'utf8').matchAll(/import \{([^}]*)\} from '@mantine\/core'/g),
      ].flatMap(([, list = '']) => list.split(',').map((name) => name.trim().replace(/^type /, ''))),
    );
  return [...new Set(names)].filter((name) => name !== '');
}

/** The styles of the named components, by what their files import. */
function stylesOf(names: readonly string[]): string[] {
  const files = new Set(
    names.map((name) => join(COMPONENTS, name, `${name}.mjs`)).filter((file) => existsSync(file)),
  );
  // A set yields what is added while it is walked.
  for (const file of files)
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/from "(\.[^"]+)"/g))
      files.add(join(dirname(file), path));
  return [...files].flatMap((file) => /(\w+)\.module\.\w+$/.exec(file)?.[1] ?? []);
}

it('has the styles of every component that the page uses', () => {
  const used = stylesOf(importedNames());
  const listed = readFileSync(join(SOURCES, 'ui/style/mantineStyles.ts'), 'utf8');
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((name) => !listed.includes(`/${name}.layer.css'`))).toEqual([]);
});
