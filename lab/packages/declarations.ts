/** Copies the declarations that an entry reaches, also those of other packages: so its types hold without them installed. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

export interface DeclarationSources {
  /** The folders of the declarations, by the folder that they are copied to. The path of every declaration begins with one of them. */
  readonly roots: Readonly<Record<string, string>>;
  /** The path, without its ending, of the declarations of a door of our packages; null for the address of another package. */
  readonly doorOf: (address: string) => string | null;
  readonly nodeModules: string;
}

const IMPORT = /(from |import\(|import )(['"])([^'"]+)\2/g;

/** The declaration file at a path that has no ending or that of its module; null if there is none. */
function declarationAt(path: string): string | null {
  const bare = path.replace(/\.[cm]?[jt]s$/, '');
  const candidates = [`${path}.d.ts`, `${bare}.d.ts`, join(path, 'index.d.ts')];
  return candidates.find((each) => existsSync(each) && statSync(each).isFile()) ?? null;
}

/** The declarations of an installed package's main door or of the file that `name` ends with; null if there are none. */
function declarationsOf(name: string, nodeModules: string): string | null {
  const folder = join(nodeModules, name);
  if (!existsSync(folder)) return declarationAt(folder);
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return null;
  const { types, typings } = JSON.parse(readFileSync(file, 'utf8')) as { types?: string; typings?: string };
  const main = types ?? typings;
  return main === undefined ? null : declarationAt(join(folder, main.replace(/\.d\.[cm]?ts$/, '')));
}

/**
 * Copies `entry` (a declaration file) and what it imports into `outDir`, and lets their imports name the copies. An import of a package
 * without declarations stays as it is.
 * @throws Error if a declaration is missing that is named by a relative path or belongs to one of our packages
 */
export function copyDeclarations(entry: string, outDir: string, sources: DeclarationSources): void {
  const { roots, doorOf, nodeModules } = sources;
  const placeOf = (path: string): string => {
    const [folder, root] = Object.entries(roots).find(([, from]) => path.startsWith(from + sep)) ?? [];
    if (folder === undefined || root === undefined)
      throw new Error(`${path} is below no folder that is copied.`);
    return join(folder, relative(root, path));
  };
  const found = (path: string, named: string, by: string): string => {
    const file = declarationAt(path);
    if (file === null) throw new Error(`${by} imports ${named}, of which there are no declarations.`);
    return file;
  };
  const targetOf = (address: string, by: string): string | null => {
    if (address.startsWith('.')) return found(join(dirname(by), address), address, by);
    const door = doorOf(address);
    return door === null ? declarationsOf(address, nodeModules) : found(door, address, by);
  };
  const done = new Set<string>();
  const copy = (path: string): void => {
    if (done.has(path)) return;
    done.add(path);
    const place = placeOf(path);
    const text = readFileSync(path, 'utf8').replaceAll(
      IMPORT,
      (all, words: string, quote: string, address: string) => {
        const target = targetOf(address, path);
        if (target === null) return all;
        copy(target);
        const named = relative(dirname(place), placeOf(target))
          .replaceAll(sep, '/')
          .replace(/\.d\.ts$/, '.js');
        return `${words}${quote}${named.startsWith('.') ? named : `./${named}`}${quote}`;
      },
    );
    mkdirSync(dirname(join(outDir, place)), { recursive: true });
    writeFileSync(join(outDir, place), text);
  };
  copy(entry);
}
