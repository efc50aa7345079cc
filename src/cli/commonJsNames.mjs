/** The address of a module, in pieces: programs of this repository are bundled with the address of their source in its place. */
export const moduleAddress = ['import', 'meta', 'url'].join('.');

/** The CommonJS names that Emscripten's glue in tfjs-backend-wasm asks Node for. `var`, because fflate declares `require` too. */
export const commonJsNames = `import { createRequire as nodeCreateRequire } from 'node:module';
import { fileURLToPath as nodeFileURLToPath } from 'node:url';
import { dirname as nodeDirname } from 'node:path';
var require = nodeCreateRequire(${moduleAddress});
var __filename = nodeFileURLToPath(${moduleAddress});
var __dirname = nodeDirname(__filename);`;
