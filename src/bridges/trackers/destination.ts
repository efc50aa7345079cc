/** The destination of a run, from the options of `npx rl-playground track` and the environment. Keys come from the environment alone. */
import { basename, relative, resolve } from 'node:path';
import { inside } from '@rl-playground/engine/parts/node';
import { messageOf, BadInput, orBadInput } from '@rl-playground/base/errors';
import { Secret } from '@rl-playground/base/secret';
import type { TrackerPlace, TrackTarget } from '@rl-playground/run/settings';
import {
  hubSecret,
  mlflowHeaders,
  trackioHeaders,
  variable,
  wandbHeaders,
  type Environment,
} from './secrets.ts';
import { HttpClient, type Patience, type Server } from './http.ts';
import { mlflowTracker } from './mlflow.ts';
import type { TrackState } from './state.ts';
import { tensorBoardTracker } from './tensorboard.ts';
import { trackioTracker } from './trackio.ts';
import type { TrackedRun, Tracker } from './tracker.ts';
import { wandbTracker } from './wandb.ts';

export interface Destination {
  /** The words, without keys, that tell one destination from another. */
  readonly text: string;
  /** The run's name there. */
  readonly name: string;
  tracker(run: TrackedRun, state: TrackState, patience: Patience): Tracker;
}

const WANDB_URL = 'https://api.wandb.ai';
const USUAL_PROJECT = 'rl-playground';

interface Known {
  /** The options that mean something to the tracker. */
  readonly options: readonly (keyof TrackerPlace)[];
  /** The variable that names its server, and the server that it has without one. */
  readonly variable?: string;
  readonly usual?: string;
}

const KNOWN: Readonly<Record<TrackTarget, Known>> = {
  tensorboard: { options: ['name', 'dir'] },
  wandb: { options: ['project', 'entity', 'name', 'url'], variable: 'WANDB_BASE_URL', usual: WANDB_URL },
  mlflow: { options: ['project', 'name', 'url'], variable: 'MLFLOW_TRACKING_URI' },
  trackio: { options: ['project', 'name', 'space', 'url'], variable: 'TRACKIO_SERVER_URL' },
};

interface Address {
  readonly base: string;
  readonly user: string;
  readonly password: string;
  readonly writeToken: string;
}

/** The address that an option or a variable gives; an option may not hold a key. @throws BadInput */
function addressOf(
  target: TrackTarget,
  option: string | undefined,
  environment: Environment,
): Address | null {
  const name = KNOWN[target].variable ?? '';
  const text = option ?? variable(environment, name) ?? KNOWN[target].usual;
  if (text === undefined) return null;
  const from = option === undefined ? name : '--url';
  try {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !/^https?:$/.test(url.protocol))
      throw new Error(
        `${url === null || url.password === '' ? text : 'the address'} is no address of a server; it must begin with http:// or https://`,
      );
    const base = `${url.origin}${url.pathname}`.replace(/\/+$/, '');
    const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    const writeToken = url.searchParams.get('write_token') ?? '';
    if (option !== undefined && `${user}${password}${writeToken}` !== '')
      throw new Error(
        'it holds a key, which would stay in the history of your shell; set it in the environment',
      );
    return { base, user, password, writeToken };
  } catch (error) {
    throw new BadInput(`${from}: ${messageOf(error)}.`, { cause: error });
  }
}

/** A run that goes to a server. `place`: what it goes to there, in words. */
const served = (
  server: Server,
  place: string,
  name: string,
  make: (client: HttpClient, run: TrackedRun, state: TrackState) => Tracker,
): Destination => ({
  text: `${server.base}, ${place}, run ${name}`,
  name,
  tracker: (run, state, patience) => make(new HttpClient(server, patience), run, state),
});

function wandb(options: TrackerPlace, name: string, environment: Environment): Destination {
  const { base } = addressOf('wandb', options.url, environment) ?? { base: WANDB_URL };
  const headers = wandbHeaders(base, environment);
  if (headers === null)
    throw new BadInput(
      '--to wandb needs the key of your account in WANDB_API_KEY; W&B shows it at wandb.ai/authorize.',
    );
  const project = options.project ?? variable(environment, 'WANDB_PROJECT') ?? USUAL_PROJECT;
  const entity = options.entity ?? variable(environment, 'WANDB_ENTITY') ?? null;
  const place = `project ${project}${entity === null ? '' : ` of ${entity}`}`;
  const server = { label: 'W&B', base, headers, keyFrom: 'WANDB_API_KEY' };
  return served(server, place, name, (client, run, state) =>
    wandbTracker(client, { project, entity }, run, state),
  );
}

function mlflow(options: TrackerPlace, name: string, environment: Environment): Destination {
  const address = addressOf('mlflow', options.url, environment);
  if (address === null)
    throw new BadInput(
      '--to mlflow needs the address of a tracking server, by --url or MLFLOW_TRACKING_URI: http://127.0.0.1:5000 for one that "mlflow server" runs on this machine.',
    );
  const headers = orBadInput(
    () => mlflowHeaders(address.base, environment, address),
    (why) => `--to mlflow: ${why}.`,
  );
  const experiment = options.project ?? variable(environment, 'MLFLOW_EXPERIMENT_NAME') ?? USUAL_PROJECT;
  const keyFrom = 'MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD';
  const server = { label: 'MLflow', base: address.base, headers, keyFrom };
  return served(server, `experiment ${experiment}`, name, (client, run, state) =>
    mlflowTracker(client, experiment, run, state),
  );
}

/** A Space's own server, and the Hub's token for it. @throws BadInput */
function spaceServer(space: string, environment: Environment): { server: Server; token: string } {
  const [, owner, name] = /^([\w.-]+)\/([\w.-]+)$/.exec(space) ?? [];
  if (owner === undefined || name === undefined)
    throw new BadInput(`--space: "${space}" is no name of a Space; it must be owner/name.`);
  const base = `https://${`${owner}-${name}`.toLowerCase().replaceAll(/[_.]/g, '-')}.hf.space`;
  const token = hubSecret(base, environment)?.sentTo(base) ?? null;
  if (token === null)
    throw new BadInput(`--to trackio: the Space ${space} needs a token that may write to it, in HF_TOKEN.`);
  const headers = { Authorization: new Secret(`Bearer ${token}`, base, [token]) };
  return { server: { label: 'Trackio', base, headers, keyFrom: 'HF_TOKEN' }, token };
}

/** A Trackio server of one's own. @throws BadInput */
function trackioServer(url: string | undefined, environment: Environment): { server: Server; token: null } {
  const address = addressOf('trackio', url, environment);
  if (address === null)
    throw new BadInput(
      '--to trackio needs a Space by --space or TRACKIO_SPACE_ID, or a server by --url or TRACKIO_SERVER_URL: http://127.0.0.1:7860 for one that "trackio show" runs on this machine.',
    );
  const headers = trackioHeaders(address.base, environment, address.writeToken);
  if (headers === null)
    throw new BadInput(
      '--to trackio needs the write token of the server in TRACKIO_WRITE_TOKEN; "trackio show" prints it.',
    );
  const server = { label: 'Trackio', base: address.base, headers, keyFrom: 'TRACKIO_WRITE_TOKEN' };
  return { server, token: null };
}

function trackio(options: TrackerPlace, name: string, environment: Environment): Destination {
  const { url } = options;
  if (options.space !== undefined && url !== undefined)
    throw new BadInput('--space and --url both name a place; give one of them.');
  const space = url === undefined ? (options.space ?? variable(environment, 'TRACKIO_SPACE_ID')) : undefined;
  const project = options.project ?? variable(environment, 'TRACKIO_PROJECT') ?? USUAL_PROJECT;
  const { server, token } =
    space === undefined ? trackioServer(url, environment) : spaceServer(space, environment);
  return served(server, `project ${project}`, name, (client, run, state) =>
    trackioTracker(client, { project, token }, run, state),
  );
}

const originOf = (text: string | undefined): string | null =>
  text !== undefined && URL.canParse(text) ? new URL(text).origin : null;

/** Refuses a place that only a file names: neither the run nor a key goes there unless the environment names it too. @throws BadInput */
export function checkNamedPlace(
  target: TrackTarget,
  folder: string,
  { url, space, dir }: TrackerPlace,
  namedBy: string,
  environment: Environment,
): void {
  const refuse = (what: string, instead: string): never => {
    throw new BadInput(
      `--track ${target}: ${namedBy} names ${what}, and nothing else does, so nothing is sent there. If it is yours, ${instead}.`,
    );
  };
  if (dir !== undefined)
    try {
      inside(folder, relative(resolve(folder), resolve(dir)));
    } catch (error) {
      const instead = `run npx rl-playground track ${folder} --to ${target} --dir ${dir}`;
      refuse(`the folder ${dir}, which is not of the run directory (${messageOf(error)})`, instead);
    }
  const { variable: name = '', usual } = KNOWN[target];
  if (url !== undefined && originOf(url) !== originOf(variable(environment, name) ?? usual))
    refuse(`the server ${originOf(url) ?? url}`, `set ${name} to its address`);
  if (space !== undefined && space !== variable(environment, 'TRACKIO_SPACE_ID'))
    refuse(`the Space ${space}`, `set TRACKIO_SPACE_ID to its name`);
}

/** The destination of a run directory. @throws BadInput naming what is missing */
export function destinationOf(
  target: TrackTarget,
  folder: string,
  options: TrackerPlace,
  environment: Environment,
): Destination {
  const own = KNOWN[target].options;
  const others = (Object.keys(options) as (keyof TrackerPlace)[]).filter((key) => !own.includes(key));
  if (others.length > 0)
    throw new BadInput(
      `--${others[0]} means nothing to ${target}; it takes ${own.map((key) => `--${key}`).join(', ')}.`,
    );
  const name = options.name ?? basename(resolve(folder));
  switch (target) {
    case 'tensorboard': {
      const dir = options.dir === undefined ? inside(folder, 'tensorboard') : resolve(options.dir);
      return {
        text: options.dir === undefined ? 'the run directory' : dir,
        name,
        tracker: (run, state) => tensorBoardTracker(dir, run, state),
      };
    }
    case 'wandb':
      return wandb(options, name, environment);
    case 'mlflow':
      return mlflow(options, name, environment);
    case 'trackio':
      return trackio(options, name, environment);
  }
}
