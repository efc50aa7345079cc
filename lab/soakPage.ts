/** Counts the memory of a page that trains, where it is asked for: JavaScript heap, wasm memory, GPU buffers, workers, private files. */
import type { BrowserContext, CDPSession, Page } from 'playwright';
import { fetchedAnswer } from '@rl-playground/base/testing/fetchedAnswer';
import { bufferBytesOf, countBuffersInPage } from './bufferBytes.ts';

/** The memory of a page in bytes, except for the two counts. */
export interface Holdings {
  /** JavaScript's objects on the page's thread, without code and rows. */
  readonly heap: number;
  /** The memory that these hold outside of JavaScript: the DOM, the contents of typed arrays. */
  readonly native: number;
  /** The code that V8 made of the page's functions. V8 optimizes for thousands of steps, as it sees fit. */
  readonly code: number;
  /** The metrics of all steps, as the page has them for its charts and checkpoints. */
  readonly rows: number;
  readonly wasm: number;
  readonly gpu: number;
  readonly workers: number;
  readonly commits: number;
  /** One commit: weights, optimizer, settings. */
  readonly commitFiles: number;
  /** The evaluations in a commit, a file each. */
  readonly evaluations: number;
  /** All private files that belong to no commit, without the answers. */
  readonly otherFiles: number;
  /** `metrics.jsonl`: a line for each step. */
  readonly log: number;
  /** `rollouts.jsonl`: a line for each answer. */
  readonly answers: number;
}

/** Runs in the page and in its generators ahead of their own scripts. It watches wasm memory for as long as that lives. */
function watchWasmMemory(): void {
  const made: WeakRef<WebAssembly.Memory>[] = [];
  const Original = WebAssembly.Memory;
  const note = (memory: WebAssembly.Memory): void => void made.push(new WeakRef(memory));
  const noteExports = (instance: WebAssembly.Instance): void => {
    for (const value of Object.values(instance.exports)) if (value instanceof Original) note(value);
  };
  WebAssembly.Memory = new Proxy(Original, {
    construct(target, words: [WebAssembly.MemoryDescriptor]) {
      const memory = new target(...words);
      note(memory);
      return memory;
    },
  });
  WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
    construct(target, words: [WebAssembly.Module, WebAssembly.Imports?]) {
      const instance = new target(...words);
      noteExports(instance);
      return instance;
    },
  });
  for (const name of ['instantiate', 'instantiateStreaming'] as const) {
    const original = Reflect.get(WebAssembly, name) as (...words: unknown[]) => Promise<object>;
    Reflect.set(WebAssembly, name, async (...words: unknown[]) => {
      const result = await original(...words);
      noteExports(
        'instance' in result ? (result.instance as WebAssembly.Instance) : (result as WebAssembly.Instance),
      );
      return result;
    });
  }
  Reflect.set(globalThis, 'wasmBytes', () => {
    const living = new Set(made.map((each) => each.deref()));
    let bytes = 0;
    for (const memory of living) bytes += memory?.buffer.byteLength ?? 0;
    return bytes;
  });
}

/** Makes the context's pages and their generators count. */
export async function prepareCounts(context: BrowserContext): Promise<void> {
  await context.addInitScript(countBuffersInPage);
  await context.addInitScript(watchWasmMemory);
  await context.route(/\/assets\/worker-[^/]*\.js/, async (route) => {
    const response = await fetchedAnswer(route);
    const prefix = `(${countBuffersInPage.toString()})();(${watchWasmMemory.toString()})();\n`;
    await route.fulfill({ response, body: prefix + (await response.text()) });
  });
}

type FileCounts = Pick<
  Holdings,
  'commits' | 'commitFiles' | 'evaluations' | 'otherFiles' | 'log' | 'answers'
>;

/** Counts the files in the origin's private folder by the records of commits (`src/run/kept/keptRun.ts`). */
function fileCounts(page: Page): Promise<FileCounts> {
  return page.evaluate(async () => {
    interface Commit {
      readonly files: readonly { readonly path: string; readonly size: number }[];
    }
    const commits: Commit[] = [];
    const counts = { otherFiles: 0, answers: 0, log: 0 };
    const kinds = new Map<string, keyof typeof counts>([
      ['rollouts.jsonl', 'answers'],
      ['metrics.jsonl', 'log'],
    ]);
    const walk = async (folder: FileSystemDirectoryHandle): Promise<void> => {
      const record = await folder.getFileHandle('commit.json').catch(() => null);
      if (record !== null) {
        commits.push(JSON.parse(await (await record.getFile()).text()) as Commit);
        return;
      }
      for await (const [name, handle] of folder.entries()) {
        if (handle.kind === 'directory') await walk(handle as FileSystemDirectoryHandle);
        else {
          const { size } = await (handle as FileSystemFileHandle).getFile();
          counts[kinds.get(name) ?? 'otherFiles'] += size;
        }
      }
    };
    await walk(await navigator.storage.getDirectory());
    const largest = (ofEvaluations: boolean): number =>
      Math.max(
        0,
        ...commits.map(({ files }) =>
          files
            .filter(({ path }) => path.startsWith('eval_results/') === ofEvaluations)
            .reduce((sum, { size }) => sum + size, 0),
        ),
      );
    return {
      ...counts,
      commits: commits.length,
      commitFiles: largest(false),
      evaluations: largest(true),
    };
  });
}

/** The fields of a heap snapshot that are read (Chrome's own format, `v8/src/profiler/heap-snapshot-generator.cc`). */
interface HeapSnapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly (readonly string[] | string)[];
    };
  };
  readonly nodes: readonly number[];
}

/** Bytes of what is alive on the page's thread, after garbage was collected. */
interface Alive {
  readonly used: number;
  /** The part of them that is compiled functions. */
  readonly code: number;
  readonly native: number;
}

async function usedBytes(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  return (await session.send('Runtime.getHeapUsage')).usedSize;
}

async function aliveNow(session: CDPSession): Promise<Alive> {
  const used = await usedBytes(session);
  const pieces: string[] = [];
  const take = ({ chunk }: { readonly chunk: string }): void => void pieces.push(chunk);
  session.on('HeapProfiler.addHeapSnapshotChunk', take);
  await session.send('HeapProfiler.takeHeapSnapshot', {});
  session.off('HeapProfiler.addHeapSnapshotChunk', take);
  const { snapshot, nodes } = JSON.parse(pieces.join('')) as HeapSnapshot;
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [typeAt, sizeAt] = [fields.indexOf('type'), fields.indexOf('self_size')];
  const codeType = types[typeAt]?.indexOf('code');
  const bytes = { all: 0, code: 0 };
  for (let at = 0; at < nodes.length; at += fields.length) {
    const size = nodes[at + sizeAt] ?? 0;
    bytes.all += size;
    if (nodes[at + typeAt] === codeType) bytes.code += size;
  }
  return { used, code: bytes.code, native: bytes.all - used };
}

/** The bytes of the metrics that the page holds: the growth of its heap by a copy of them. */
async function rowBytes(page: Page, session: CDPSession): Promise<number> {
  const before = await usedBytes(session);
  await page.evaluate(() => {
    // Numbers too: objects that are spread would share them.
    Reflect.set(window, 'copies', structuredClone(window.rlPlayground?.controller.snapshot().metrics));
  });
  const bytes = (await usedBytes(session)) - before;
  await page.evaluate(() => Reflect.deleteProperty(window, 'copies'));
  return Math.max(0, bytes);
}

/** Returns the memory of a page that rests, after collecting its garbage. The browser runs with `--expose-gc`. */
export async function holdingsOf(page: Page, session: CDPSession): Promise<Holdings> {
  const generators = page.workers().filter((worker) => /\/assets\/worker-/.test(worker.url()));
  const inGenerators = await Promise.all(
    generators.map((worker) =>
      worker.evaluate(() => {
        (Reflect.get(globalThis, 'gc') as () => void)();
        const wasm = Reflect.get(globalThis, 'wasmBytes') as () => number;
        const gpu = Reflect.get(globalThis, 'bufferBytes') as (() => { readonly now: number }) | undefined;
        return { wasm: wasm(), gpu: gpu?.().now ?? 0 };
      }),
    ),
  );
  const { used, code, native } = await aliveNow(session);
  const rows = await rowBytes(page, session);
  const wasm = await page.evaluate(() => (Reflect.get(globalThis, 'wasmBytes') as () => number)());
  const sum = (key: 'wasm' | 'gpu'): number => inGenerators.reduce((total, each) => total + each[key], 0);
  return {
    heap: used - code - rows,
    native,
    code,
    rows,
    wasm: wasm + sum('wasm'),
    gpu: ((await bufferBytesOf(page))?.now ?? 0) + sum('gpu'),
    workers: page.workers().length,
    ...(await fileCounts(page)),
  };
}
