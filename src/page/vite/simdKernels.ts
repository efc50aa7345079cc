/**
 * Compiles the SIMD kernels in `src/engine/simd` (AssemblyScript) to WebAssembly and hands their bytes to the app as text modules, so
 * that they arrive the same way in a page, a worker and Node, deflated and in base64:
 * `virtual:simd-kernels/shared` for a memory shared between threads, `virtual:simd-kernels/unshared` for any other, each also
 * with `-fused` behind it: products and sums in one instruction, which needs relaxed SIMD.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { constants, deflateRawSync } from 'node:zlib';
import type { Plugin } from 'vite';

const folder = fileURLToPath(new URL('../../engine/simd', import.meta.url));
const cache = fileURLToPath(new URL('../../../node_modules/.cache/rl-playground/simd', import.meta.url));
const ADDRESS = 'virtual:simd-kernels/';

const OPTIONS = ['index.ts', '--outFile', 'kernels.wasm', '-O3', '--noAssert', '--runtime', 'stub'];
/** The memory is tfjs', and nothing can abort: no assertion, no allocation. */
const IMPORTS = ['--importMemory', '--noExportMemory', '--enable', 'simd', '--use', 'abort='];
const FUSED = ['--enable', 'relaxed-simd'];

/**
 * Passes that come first: kernels for the constants with which they were inlined. Binaryen's own passes begin with `code-folding`, which
 * makes one of arms that differ in such a constant alone, and the constant a number that each loop asks for.
 */
const SPECIALIZED = ['ssa-nomerge', 'precompute-propagate', 'remove-unused-brs', 'vacuum'];

/** The import of a memory: its name, that it is a memory, no flag, and at least no page. */
const MEMORY = Buffer.from([...Buffer.from('memory'), 2, 0, 0]);
/** The same of a shared one. An import has to name the limits that Emscripten gives tfjs' memory: 1 page, and 65,536 at the most. */
const SHARED_MEMORY = Buffer.from([...Buffer.from('memory'), 2, 3, 1, 0x80, 0x80, 4]);
const IMPORT_SECTION = 2;

/** Sections of a WebAssembly module that run or write something when it is instantiated: a start function, static data. */
const REFUSED_SECTIONS = new Map([
  [8, 'a start function'],
  [11, 'static data, which would overwrite that of tfjs'],
]);

function sources(): { name: string; text: string }[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  return names.sort().map((name) => ({ name, text: readFileSync(`${folder}/${name}`, 'utf8') }));
}

async function compile(options: readonly string[]): Promise<Uint8Array> {
  const [{ default: asc }, { Transform }] = await Promise.all([
    import('assemblyscript/asc'),
    import('assemblyscript/transform'),
  ]);
  class Specialization extends Transform {
    override afterCompile(module: { runPasses: (names: string[]) => void }): void {
      module.runPasses(SPECIALIZED);
    }
  }
  let binary: Uint8Array | null = null;
  const stderr = asc.createMemoryStream();
  const { error } = await asc.main([...options], {
    transforms: [new Specialization()],
    stderr,
    readFile: (name, base) => {
      const path = `${base}/${name}`;
      return existsSync(path) ? readFileSync(path, 'utf8') : null;
    },
    writeFile: (_name, contents) => {
      if (typeof contents !== 'string') binary = contents;
    },
  });
  if (error || !binary) throw new Error(`The SIMD kernels do not compile.\n${stderr.toString()}`);
  return binary;
}

/** Length in bytes and value of an unsigned LEB128 number. */
function unsigned(bytes: Uint8Array, at: number): { value: number; next: number } {
  let value = 0;
  for (let shift = 0, next = at; ; shift += 7) {
    const byte = bytes[next++] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return { value, next };
  }
}

interface Section {
  readonly id: number;
  /** Where it begins, where its contents do, and where it ends. */
  readonly at: number;
  readonly contents: number;
  readonly end: number;
}

function sectionsOf(binary: Uint8Array): Section[] {
  const sections: Section[] = [];
  for (let at = 8; at < binary.length;) {
    const { value, next } = unsigned(binary, at + 1);
    sections.push({ id: binary[at] ?? 0, at, contents: next, end: next + value });
    at = next + value;
  }
  return sections;
}

function refuseSideEffects(binary: Uint8Array): void {
  for (const { id } of sectionsOf(binary)) {
    const what = REFUSED_SECTIONS.get(id);
    if (what) throw new Error(`The SIMD kernels hold ${what}: remove globals that are not plain numbers.`);
  }
}

/**
 * The module for a shared memory. The kernels use no atomic instruction, so only the import differs, and compiling takes fifteen seconds.
 *
 * @throws Error where the module has no such import
 */
function sharing(binary: Uint8Array): Uint8Array {
  const section = sectionsOf(binary).find(({ id }) => id === IMPORT_SECTION);
  const imports = Buffer.from(binary.subarray(section?.contents, section?.end));
  const at = imports.indexOf(MEMORY);
  if (!section || at < 0) throw new Error('The SIMD kernels import no memory.');
  const changed = [imports.subarray(0, at), SHARED_MEMORY, imports.subarray(at + MEMORY.length)];
  const length = changed.reduce((sum, part) => sum + part.length, 0);
  if (length > 127) throw new Error('The imports of the SIMD kernels are longer than one byte can say.');
  const head = [binary.subarray(0, section.at), Buffer.from([IMPORT_SECTION, length])];
  return Buffer.concat([...head, ...changed, binary.subarray(section.end)]);
}

/** Those under way: the page and each of its workers is a bundle of its own, and all ask at once. */
const compiling = new Map<string, Promise<Uint8Array>>();

/** Base64 of the deflated module, from the cache where these sources have been compiled before. */
async function kernels(variant: string): Promise<string> {
  const features = variant.endsWith('fused') ? FUSED : [];
  const options = [...OPTIONS, ...IMPORTS, ...features];
  const { version } = createRequire(import.meta.url)('assemblyscript/package.json') as { version: string };
  const hash = createHash('sha256').update(JSON.stringify([version, options, SPECIALIZED, sources()]));
  const file = `${cache}/${hash.digest('hex').slice(0, 32)}.wasm`;
  if (!existsSync(file)) {
    const compiled = compiling.get(file) ?? compile([...options, '--baseDir', folder]);
    compiling.set(file, compiled);
    const binary = await compiled;
    refuseSideEffects(binary);
    mkdirSync(cache, { recursive: true });
    // Each writes the same under a name of its own.
    const draft = `${file}.${randomUUID()}`;
    writeFileSync(draft, binary);
    renameSync(draft, file);
  }
  const binary = readFileSync(file);
  const module = variant.startsWith('shared') ? sharing(binary) : binary;
  return deflateRawSync(module, { level: constants.Z_BEST_COMPRESSION }).toString('base64');
}

export function simdKernels(): Plugin {
  return {
    name: 'simd-kernels',
    resolveId: {
      filter: { id: /^virtual:simd-kernels\// },
      handler: (id) => `\0${id}`,
    },
    load: {
      filter: { id: /^\0virtual:simd-kernels\// },
      async handler(id) {
        for (const { name } of sources()) this.addWatchFile(`${folder}/${name}`);
        return `export default ${JSON.stringify(await kernels(id.slice(id.indexOf(ADDRESS) + ADDRESS.length)))};`;
      },
    },
  };
}
