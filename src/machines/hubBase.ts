/**
 * Loads the frozen base of a run from the Hub in place of the run's server. The run names the place of the files, and it may lie. So the
 * base that is made of them counts only if its SHA-256 is the one that the run has signed.
 */
import { base64Of } from '@rl-playground/base/base64';
import { messageOf } from '@rl-playground/base/errors';
import { bytesText } from '@rl-playground/base/text';
import {
  HUB_URL,
  type FindOptions,
  addressText,
  parseModelAddress,
  filesOf,
  findModel,
  type RemoteModel,
  type ModelFiles,
  openHeaders,
  OpenFolder,
  type BaseSource,
  type GeneratorModel,
} from '@rl-playground/engine/parts';
import { baseInFiles } from '@rl-playground/engine/parts/tensors';
import { bytesOfBase } from './basePieces.ts';
import type { ObjectReference } from './messages.ts';
import { LOOK_UP_WITHIN } from './patience.ts';

export interface HubAccess {
  /** Returns true if its owner allows this server. */
  readonly mayAsk: (hubUrl: string) => boolean;
  readonly asking: Pick<FindOptions, 'secret'>;
  /** Fetches a model's files to this machine. @throws Error if they can't be fetched. */
  readonly fetched: (model: RemoteModel, signal: AbortSignal) => Promise<ModelFiles>;
}

/**
 * The most bytes of files for each byte of the base, which may be in 4 bits and its files in 32, and more beside. A run can't make a
 * machine fetch files of any size.
 */
const MOST_TIMES = 10;
const MOST_BESIDE = 64 * 2 ** 20;

/** The digest of a base as the object store writes it, and its length. */
export async function digestOfBase(base: BaseSource): Promise<Pick<ObjectReference, 'digest' | 'bytes'>> {
  const { createSHA256 } = await import('hash-wasm');
  const hasher = await createSHA256();
  let bytes = 0;
  for await (const piece of bytesOfBase(base.pieces())) {
    hasher.update(piece);
    bytes += piece.length;
  }
  const text = base64Of(hasher.digest('binary'));
  return { digest: `SHA-256=${text.replaceAll('+', '-').replaceAll('/', '_')}`, bytes };
}

type Origin = NonNullable<GeneratorModel['origin']>;

export const originText = ({ name, commit, hubUrl }: Origin): string =>
  `${name} at ${commit?.slice(0, 8) ?? 'no commit'} of ${new URL(hubUrl ?? HUB_URL).host}`;

/**
 * Loads a base from its hub; null if the run names no commit of a hub, or if this machine may not ask it.
 *
 * @throws Error with a sentence for people if the hub can't be reached, or if its files make another base.
 */
export async function baseFromHub(
  { mayAsk, asking, fetched }: HubAccess,
  { config, frozen, origin }: GeneratorModel,
  signed: ObjectReference,
  signal: AbortSignal,
): Promise<BaseSource | null> {
  if (frozen === undefined || !origin || origin.commit === null) return null;
  const { name, commit } = origin;
  const hubUrl = origin.hubUrl ?? HUB_URL;
  if (!mayAsk(hubUrl)) return null;
  const address = parseModelAddress(`${name}@${commit}`);
  if (address?.kind !== 'hub') throw new Error('what the run names is no model of a hub');
  const lookUp = AbortSignal.any([signal, AbortSignal.timeout(LOOK_UP_WITHIN)]);
  const found = await findModel(address, { ...asking, hubUrl, signal: lookUp }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw lookUp.aborted ? new Error(`${hubUrl} said nothing for ${LOOK_UP_WITHIN / 1000} s`) : error;
  });
  if (found.origin.commit !== commit)
    throw new Error(`${hubUrl} has another commit of ${addressText(address)}`);
  if (found.bytes > MOST_TIMES * signed.bytes + MOST_BESIDE)
    throw new Error(
      `its files there are ${bytesText(found.bytes)}, for a base of ${bytesText(signed.bytes)}`,
    );
  // Names and shapes are checked before any weights.
  await openHeaders(filesOf(found, { ...asking, signal }), config);
  const files = await fetched(found, signal);
  const base = baseInFiles(config, await openHeaders(new OpenFolder(files, { signal }), config), frozen);
  const { digest, bytes } = await digestOfBase(base);
  if (digest !== signed.digest || bytes !== signed.bytes)
    throw new Error('what its files there make has another SHA-256 than the run has signed');
  return base;
}

export const whyNotFromHub = (origin: Origin, error: unknown): string =>
  `The model’s base, ${originText(origin)}, comes from the run’s server: ${messageOf(error)}`;
