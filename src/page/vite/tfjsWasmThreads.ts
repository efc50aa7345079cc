import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const packages = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/**
 * Three repairs of tfjs' threaded wasm.
 *
 * It starts threads from its Emscripten glue's `toString()`. A minifier lets that text name variables of the bundle
 * around it, and every thread dies ("e is not defined"), so threads get the glue as it was published. It never starts more
 * threads than half of `hardwareConcurrency`, whatever `setThreadsCount` says; doubled, each logical core may have one.
 * And it always starts eight workers from `blob:` addresses, which the page's policy refuses: none where one thread is asked for.
 */
export function tfjsWasmThreads(): Plugin {
  const gluePath = `${packages}/@tensorflow/tfjs-backend-wasm/wasm-out/tfjs-backend-wasm-threaded-simd.js`;
  const factoryText =
    '`var WasmBackendModuleThreadedSimd = ` +\n                    wasmFactoryThreadedSimd.toString()';
  const startText = 'wasm = wasmFactoryThreadedSimd(factoryConfig);';
  const coresText = 'return navigator["hardwareConcurrency"]';
  const workersText = 'var pthreadPoolSize=8;';
  const loadedText = 'var numWorkersToLoad=PThread.unusedWorkers.length;';
  const replaced = (code: string, repairs: readonly (readonly [from: string, to: string])[]): string =>
    repairs.reduce((text, [from, to]) => {
      if (text.split(from).length !== 2)
        throw new Error(`tfjs-backend-wasm has changed: no single "${from}".`);
      return text.replace(from, () => to);
    }, code);
  const glue = (code: string): string =>
    replaced(code, [
      [coresText, 'return 2*navigator["hardwareConcurrency"]'],
      [workersText, 'var pthreadPoolSize=Module["threads"]===1?0:8;'],
      // The last worker that is loaded says so; where there are none, nobody would.
      [loadedText, `${loadedText}if(!numWorkersToLoad)removeRunDependency("wasm-instantiate");`],
    ]);
  const backend = (code: string): string =>
    replaced(code, [
      [factoryText, JSON.stringify(readFileSync(gluePath, 'utf8'))],
      [startText, `factoryConfig.threads = threadsCount; ${startText}`],
    ]);
  return {
    name: 'tfjs-wasm-threads',
    transform: {
      filter: {
        id: /tfjs-backend-wasm\/(dist\/backend_wasm|wasm-out\/tfjs-backend-wasm-threaded-simd)\.js/,
      },
      handler(code, id) {
        return { code: id.includes('/wasm-out/') ? glue(code) : backend(code), map: null };
      },
    },
  };
}
