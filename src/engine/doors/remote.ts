/** Models of servers in this browser, for what loads them only when they are asked for. */
export { boundedFetch } from '../hub/remote/answerBody.ts';
export { loadRemote } from '../hub/remote/loadRemote.ts';
export { cacheRoot, deleteKept, keptModels, openKept } from '../hub/remote/modelCache.ts';
