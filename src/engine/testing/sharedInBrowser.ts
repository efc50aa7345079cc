/** Reference models for tests in a browser, as `shared.ts` finds them under Node: `vitest.config.ts` lists them, and Vite serves them. */
import { describe, inject } from 'vitest';
import { filesAtUrl } from '../hub/sources.ts';
import type { ModelFiles } from '../hub/types.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Absolute path of `../shared/refdata/models` and the folders in it; null in a clone without reference data. */
    referenceModels: { folder: string; names: string[] } | null;
    /** The same for `../shared/refdata/hf`, adapters as `llama3/adapters/all`. */
    huggingFaceModels: { folder: string; names: string[] } | null;
    requireShared: boolean;
  }
}

/** Describes tests of the reference models. If these are missing, it skips with a message, or fails with REQUIRE_SHARED=1. */
export function describeReferenceModels(name: string, body: (models: readonly ModelFiles[]) => void): void {
  const found = inject('referenceModels');
  if (found) {
    const models = found.names.map((model) => filesAtUrl(model, `/@fs${found.folder}/${model}`));
    describe(name, () => body(models));
    return;
  }
  if (inject('requireShared')) throw new Error(`${name}: needs ../shared/refdata/models, which is absent.`);
  describe.skip(`${name} (skipped: reference data ../shared is not in this clone)`, () => body([]));
}

export interface FolderWithAdapters {
  readonly files: ModelFiles;
  /** The adapters that are plain LoRA. */
  readonly adapters: readonly ModelFiles[];
}

/** Describes tests of those models of `refdata/hf` whose names match `wanted`, in the same way. */
export function describeHuggingFaceModels(
  name: string,
  wanted: RegExp,
  body: (folders: readonly FolderWithAdapters[]) => void,
): void {
  const found = inject('huggingFaceModels');
  if (!found) {
    if (inject('requireShared')) throw new Error(`${name}: needs ../shared/refdata/hf, which is absent.`);
    describe.skip(`${name} (skipped: reference data ../shared is not in this clone)`, () => body([]));
    return;
  }
  const filesOf = (path: string): ModelFiles => filesAtUrl(path, `/@fs${found.folder}/${path}`);
  const models = found.names.filter((path) => wanted.test(path));
  const adapters = found.names.filter((path) => /\/adapters\/(?!refused)/.test(path));
  const folders = models.map((model) => ({
    files: filesOf(model),
    adapters: adapters.filter((path) => path.startsWith(`${model}/`)).map(filesOf),
  }));
  describe(name, () => body(folders));
}
