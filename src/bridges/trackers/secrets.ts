/**
 * Secrets out of the environment, each bound to the server that its owner has given it for: the official one, or the one that the command
 * line or a variable of the same environment names. No other file reads these variables (`lab/checks/checkRepository.ts`), so nothing that a
 * file brings decides where a secret goes.
 */
import { Secret, secretOf } from '@rl-playground/base/secret';
import { HUB_URL } from '@rl-playground/engine/parts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a variable; an empty one is none. */
export const variable = (environment: Environment, name: string): string | undefined =>
  environment[name] === '' ? undefined : environment[name];

/** The token of the Hugging Face Hub, or of the server that the command line names in its place. */
export const hubSecret = (server: string | undefined, environment: Environment): Secret | undefined =>
  secretOf(environment['HF_TOKEN'], server ?? HUB_URL);

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** The headers with secrets for a tracker's server. */
export type Headers = Readonly<Record<string, Secret>>;

/** The key of a W&B account; null without one. */
export function wandbHeaders(server: string, environment: Environment): Headers | null {
  const key = variable(environment, 'WANDB_API_KEY');
  return key === undefined ? null : { Authorization: new Secret(basic('api', key), server, [key]) };
}

/**
 * The headers for an MLflow server, chosen as by MLflow's own client: user and password from the environment or else from `given`, else a token.
 * @throws Error if one of user and password is there without the other.
 */
export function mlflowHeaders(
  server: string,
  environment: Environment,
  given: { readonly user: string; readonly password: string },
): Headers {
  const user = variable(environment, 'MLFLOW_TRACKING_USERNAME') ?? given.user;
  const password = variable(environment, 'MLFLOW_TRACKING_PASSWORD') ?? given.password;
  const token = variable(environment, 'MLFLOW_TRACKING_TOKEN');
  if ((user === '') !== (password === ''))
    throw new Error(
      `MLFLOW_TRACKING_${user === '' ? 'PASSWORD' : 'USERNAME'} is set, and MLFLOW_TRACKING_${user === '' ? 'USERNAME' : 'PASSWORD'} is not; set both or neither`,
    );
  if (user !== '') return { Authorization: new Secret(basic(user, password), server, [password]) };
  return token === undefined ? {} : { Authorization: new Secret(`Bearer ${token}`, server, [token]) };
}

/** The write token of a Trackio server, from the environment or else `given`; null without one. */
export function trackioHeaders(server: string, environment: Environment, given: string): Headers | null {
  const token = variable(environment, 'TRACKIO_WRITE_TOKEN') ?? given;
  return token === '' ? null : { 'X-Trackio-Write-Token': new Secret(token, server) };
}
