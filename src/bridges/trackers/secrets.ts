/**
 * Secrets out of the environment, each bound to the server that its owner has given it for: the official one, or the one that the command line or a variable of
 * the same environment names. No other file reads these variables (`lab/checks/checkRepository.ts`), so nothing that a file brings decides where a secret goes.
 */
import { Secret, secretOf } from '@rl-playground/base/secret';
import { HUB_URL } from '@rl-playground/engine/parts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a variable; an empty one is none. */
export const variable = (environment: Environment, name: string): string | undefined =>
  environment[name] === '' ? undefined : environment[name];

/** The token of the Hugging Face Hub. `server`: the one that the command line names in its place. */
export const hubSecret = (server: string | undefined, environment: Environment): Secret | undefined =>
  secretOf(environment['HF_TOKEN'], server ?? HUB_URL);

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** Headers that a server of a tracker is sent. */
export type Headers = Readonly<Record<string, Secret>>;

/** The key of a W&B account; null without one. */
export function wandbHeaders(server: string, environment: Environment): Headers | null {
  const key = variable(environment, 'WANDB_API_KEY');
  return key === undefined ? null : { Authorization: new Secret(basic('api', key), server, [key]) };
}

/**
 * What an MLflow server is sent, as MLflow's own client chooses: user and password, of `given` where the environment has none, else a token.
 * @throws Error where one of user and password is there without the other.
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

/** The write token of a Trackio server, `given` where the environment has none; null without one. */
export function trackioHeaders(server: string, environment: Environment, given: string): Headers | null {
  const token = variable(environment, 'TRACKIO_WRITE_TOKEN') ?? given;
  return token === '' ? null : { 'X-Trackio-Write-Token': new Secret(token, server) };
}
