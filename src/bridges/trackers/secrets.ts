/**
 * Secrets from the environment, each bound to the server for which its owner has given it: the official one, or the one that the command
 * line or a variable of the same environment names. No other file reads these variables (`lab/checks/checkRepository.ts`), so nothing in
 * a file decides where a secret goes.
 */
import { Secret, secretOf } from '@rl-playground/base/secret';
import { HUB_URL } from '@rl-playground/engine/parts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a variable; an empty one is none. */
export const variable = (environment: Environment, name: string): string | undefined =>
  environment[name] === '' ? undefined : environment[name];

/** The token of the Hugging Face Hub. `server` is the one that the command line names in its place. */
export const hubSecret = (server: string | undefined, environment: Environment): Secret | undefined =>
  secretOf(environment['HF_TOKEN'], server ?? HUB_URL);

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** The headers for a server of a tracker. */
export type Headers = Readonly<Record<string, Secret>>;

/** The key of a W&B account; null without one. */
export function wandbHeaders(server: string, environment: Environment): Headers | null {
  const key = variable(environment, 'WANDB_API_KEY');
  return key === undefined ? null : { Authorization: new Secret(basic('api', key), server, [key]) };
}

/**
 * The headers for an MLflow server, chosen as MLflow's own client does: user and password (those in `given` if the environment has none),
 * else a token.
 *
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
      user === ''
        ? 'MLFLOW_TRACKING_PASSWORD is set, and MLFLOW_TRACKING_USERNAME is not; set both or neither'
        : 'MLFLOW_TRACKING_USERNAME is set, and MLFLOW_TRACKING_PASSWORD is not; set both or neither',
    );
  if (user !== '') return { Authorization: new Secret(basic(user, password), server, [password]) };
  return token === undefined ? {} : { Authorization: new Secret(`Bearer ${token}`, server, [token]) };
}

/** The write token of a Trackio server (`given` if the environment has none); null without one. */
export function trackioHeaders(server: string, environment: Environment, given: string): Headers | null {
  const token = variable(environment, 'TRACKIO_WRITE_TOKEN') ?? given;
  return token === '' ? null : { 'X-Trackio-Write-Token': new Secret(token, server) };
}
