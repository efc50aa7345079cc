/**
 * Sends files to a model repository of the Hub, in one commit: all of them are there afterwards, or none. Large ones go to its storage by
 * Git LFS, where the SHA-256 of what was sent is the name of the object. Xet, the Hub's newer way, would send chunks that another server
 * puts together again. It saves parts that the Hub has already, and a trained model has few of those.
 */
import { uploadFilesWithProgress, type CommitProgressEvent } from '@huggingface/hub';
import { withRetries, type Asking, ModelFileError } from '@rl-playground/engine/parts';
import { hubProblem } from './hubProblem.ts';
import { checkTarget, type PushTarget } from './pushTarget.ts';
import { addressOf, ensureRepository, existingRepository } from './repository.ts';
import { Stall } from './stall.ts';

/** A file in its own place: a blob, which browsers keep on disk, or under Node the `file:` URL of one. */
export interface PushFile {
  readonly content: Blob | URL;
  readonly size: number;
}

export interface PushProgress {
  /** Hashing names the large files; committing begins when all bytes are there. */
  readonly stage: 'hashing' | 'sending' | 'committing';
  /** The bytes that are through this stage. */
  readonly done: number;
  readonly total: number;
}

export interface PushOptions extends Asking {
  readonly onProgress?: (progress: PushProgress) => void;
}

export interface Pushed {
  /** The address of the repository's page. */
  readonly url: string;
  /** The commit's id; null if the server did not name it. */
  readonly commit: string | null;
}

/** @throws ModelFileError that says what to do, or the signal's reason. */
async function asked<T>({ repo }: PushTarget, options: Asking, work: () => Promise<T>): Promise<T> {
  return withRetries(
    repo,
    async () => {
      try {
        return await work();
      } catch (error) {
        options.signal?.throwIfAborted();
        throw hubProblem(error, repo);
      }
    },
    options,
  );
}

/**
 * The repository that has the target's name before anything is sent; null if there is none that the token may see.
 * @throws ModelFileError if name or token are wrong, or the server can't be asked; the signal's reason.
 */
export async function findRepository(
  target: PushTarget,
  options: Asking = {},
): Promise<{ readonly isPrivate: boolean } | null> {
  checkTarget(target);
  return asked(target, options, () => existingRepository(target, options));
}

/**
 * Sends files, by path, to a repository, which is made if it is not there. Files of the same path are replaced there, others stay. Large
 * files that have arrived are not sent again by a later try. `make` is called once the repository is there and may be written to.
 * @throws ModelFileError that says what to do, after which nothing of the repository has changed; the signal's reason.
 */
export async function pushFiles(
  make: () => Promise<ReadonlyMap<string, PushFile>>,
  target: PushTarget,
  options: PushOptions = {},
): Promise<Pushed> {
  checkTarget(target);
  await asked(target, options, () => ensureRepository(target, options));
  const files = await make();
  const { hubUrl } = addressOf(target, options);
  const commit = await asked(target, options, () => sent(files, target, options));
  return { url: `${hubUrl}/${target.repo}`, commit };
}

/** One try, which gives the commit's id. @throws BusyError if a connection takes nothing for a while, and what the Hub's library throws */
async function sent(
  files: ReadonlyMap<string, PushFile>,
  target: PushTarget,
  options: PushOptions,
): Promise<string | null> {
  const stall = new Stall(options.stallMilliseconds);
  const { name, accessToken, hubUrl } = addressOf(target, options);
  const heard = listener(files, options.onProgress);
  const events = uploadFilesWithProgress({
    repo: { type: 'model', name },
    files: [...files].map(([path, { content }]) => ({ path, content })),
    accessToken,
    hubUrl,
    commitTitle: 'Upload a model from RL Playground',
    useWebWorkers: true,
    useXet: false,
    abortSignal: options.signal ? AbortSignal.any([options.signal, stall.signal]) : stall.signal,
  });
  try {
    for (;;) {
      const { value, done } = await events.next();
      if (done) return value?.commit.oid ?? null;
      heard(value);
      // Checksums take their time, and so may a commit.
      stall.heard(value.event === 'fileProgress' && value.state === 'uploading');
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    stall.signal.throwIfAborted();
    throw error;
  } finally {
    stall.end();
  }
}

/** Adds up the library's news of single files. */
function listener(
  files: ReadonlyMap<string, PushFile>,
  onProgress: (progress: PushProgress) => void = () => {},
): (event: CommitProgressEvent) => void {
  const total = [...files.values()].reduce((sum, { size }) => sum + size, 0);
  const shares = { hashing: new Map<string, number>(), sending: new Map<string, number>() };
  const bytesOf = (stage: keyof typeof shares): number =>
    [...shares[stage]].reduce((sum, [path, share]) => sum + share * (files.get(path)?.size ?? 0), 0);
  return (event) => {
    if (event.event === 'phase') {
      if (event.phase === 'committing') onProgress({ stage: 'committing', done: total, total });
      return;
    }
    if (event.state === 'error')
      throw new ModelFileError(`${event.path} could not be sent. Nothing in the repository was changed.`);
    const stage = event.state === 'hashing' ? 'hashing' : 'sending';
    shares[stage].set(event.path, event.progress);
    onProgress({ stage, done: Math.round(bytesOf(stage)), total });
  };
}
