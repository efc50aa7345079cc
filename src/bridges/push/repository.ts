/** Finds and makes the model repositories of the Hub to which files are sent. */
import { createRepo, HubApiError, modelInfo } from '@huggingface/hub';
import { boundedFetch, HUB_URL, type Asking, ModelFileError } from '@rl-playground/engine/parts';
import { tokenFor, type PushTarget } from './pushTarget.ts';

const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof HubApiError && error.statusCode === status;

/** The target as the Hub's library takes it. */
export function addressOf(target: PushTarget, asking: Asking) {
  const { repo, hubUrl = HUB_URL } = target;
  return {
    name: repo,
    accessToken: tokenFor(target),
    hubUrl: hubUrl.replace(/\/+$/, ''),
    fetch: boundedFetch(repo, asking),
  };
}

/**
 * The repository of that name; null if there is none that the token may see.
 * @throws ModelFileError if it is open to everyone and a private one was asked for; what the Hub's library throws.
 */
export async function existingRepository(
  target: PushTarget,
  asking: Asking,
): Promise<{ readonly isPrivate: boolean } | null> {
  const found = await modelInfo(addressOf(target, asking)).catch((error: unknown) => {
    if (hasStatus(error, 404)) return null;
    throw error;
  });
  if (target.isPrivate && found?.private === false)
    throw new ModelFileError(
      `${target.repo} is there already and open to everyone, and a private repository was asked for. Choose another name, or say that it may be public.`,
    );
  return found && { isPrivate: found.private };
}

/** Makes the repository unless it is there. @throws as `existingRepository` */
export async function ensureRepository(target: PushTarget, asking: Asking): Promise<void> {
  const { name, ...address } = addressOf(target, asking);
  const visibility = target.isPrivate ? 'private' : 'public';
  try {
    await createRepo({ ...address, repo: { type: 'model', name }, visibility });
  } catch (error) {
    if (!hasStatus(error, 409)) throw error;
    await existingRepository(target, asking);
  }
}
