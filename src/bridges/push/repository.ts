/** Looks up and makes the model repositories of the Hub to which files are sent. */
import { createRepo, HubApiError, modelInfo } from '@huggingface/hub';
import { boundedFetch, HUB_URL, type Asking, ModelFileError } from '@rl-playground/engine/parts';
import { tokenFor, type PushTarget } from './pushTarget.ts';

/** The address of a repository in the form of the Hub's library. */
export function addressOf(
  target: PushTarget,
  asking: Asking,
): { name: string; accessToken: string; hubUrl: string; fetch: typeof fetch } {
  const { repo, hubUrl = HUB_URL } = target;
  return {
    name: repo,
    accessToken: tokenFor(target),
    hubUrl: hubUrl.replace(/\/+$/, ''),
    fetch: boundedFetch(repo, asking),
  };
}

/**
 * Looks up the repository of that name; null if the token may see none.
 *
 * @throws ModelFileError if it is open to everyone and a private one was asked for; the errors of the Hub's library.
 */
export async function existingRepository(
  target: PushTarget,
  asking: Asking,
): Promise<{ readonly isPrivate: boolean } | null> {
  const isPrivate = await whetherPrivate(target, asking);
  if (target.isPrivate && isPrivate === false)
    throw new ModelFileError(
      `${target.repo} is there already and open to everyone, and a private repository was asked for. Choose another name, or say that it may be public.`,
    );
  return isPrivate === null ? null : { isPrivate };
}

/** True if the repository is private; null if there is none. */
async function whetherPrivate(target: PushTarget, asking: Asking): Promise<boolean | null> {
  try {
    return (await modelInfo(addressOf(target, asking))).private;
  } catch (error) {
    if (error instanceof HubApiError && error.statusCode === 404) return null;
    throw error;
  }
}

/** Makes the repository if there is none. @throws as `existingRepository` does. */
export async function ensureRepository(target: PushTarget, asking: Asking): Promise<void> {
  const { isPrivate } = target;
  const { name, ...address } = addressOf(target, asking);
  try {
    await createRepo({
      ...address,
      repo: { type: 'model', name },
      visibility: isPrivate ? 'private' : 'public',
    });
  } catch (error) {
    if (!(error instanceof HubApiError) || error.statusCode !== 409) throw error;
    await existingRepository(target, asking);
  }
}
