/** Gives a commit's files to the worker that writes them, some megabytes at a time, so that the page keeps no second copy. */
import type { OpenFile } from '@rl-playground/engine/parts';
import type { KeeperAnswer, KeeperRequest } from './keeperWorker.ts';
import { commitFolder, type CommitRecord } from './keptRun.ts';

const PIECE_BYTES = 4 * 2 ** 20;

/** The browser gave no more room, or the write failed otherwise. */
export class KeepError extends Error {
  override readonly name = 'KeepError';
  readonly full: boolean;

  constructor(message: string, full: boolean) {
    super(message);
    this.full = full;
  }
}

export class CommitWriter {
  #worker: Worker | null = null;

  #ask(request: KeeperRequest, transfer: Transferable[] = []): Promise<CommitRecord | null> {
    const worker = (this.#worker ??= new Worker(new URL('./keeperWorker.ts', import.meta.url), {
      type: 'module',
    }));
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        worker.onmessage = null;
        worker.onerror = null;
      };
      worker.onmessage = ({ data }: MessageEvent<KeeperAnswer>) => {
        settle();
        if (data.type === 'done') resolve(data.commit);
        else reject(new KeepError(data.message, data.full));
      };
      worker.onerror = (event) => {
        settle();
        this.dispose();
        reject(new KeepError(event.message || 'The worker that keeps runs could not start.', false));
      };
      worker.postMessage(request, transfer);
    });
  }

  /** Writes all files, one after the other, then the record. @throws KeepError, and the files that were written count as nothing. */
  async write(
    run: string,
    folder: string,
    files: ReadonlyMap<string, OpenFile>,
    end: Omit<Extract<KeeperRequest, { type: 'end' }>, 'type'>,
  ): Promise<CommitRecord> {
    await this.#ask({ type: 'begin', run, folder });
    for (const [path, file] of files) {
      for (let at = 0; at === 0 || at < file.size; at += PIECE_BYTES) {
        // What is read may be a view of what others read.
        const bytes = (await file.read(at, Math.min(at + PIECE_BYTES, file.size))).slice();
        await this.#ask({ type: 'piece', path, bytes }, [bytes.buffer]);
      }
    }
    const commit = await this.#ask({ type: 'end', ...end });
    if (commit === null) throw new KeepError('The worker that keeps runs gave no record.', false);
    return commit;
  }

  /** @throws KeepError where a file is not as the record says. */
  async verify(run: string, number: number): Promise<void> {
    await this.#ask({ type: 'verify', run, folder: commitFolder(number) });
  }

  dispose(): void {
    this.#worker?.terminate();
    this.#worker = null;
  }
}
