/** The machines that may join the page's run: the server where they meet, and those that are there. It is loaded when a machine is invited. */
import type { RunConfig } from '@rl-playground/run/settings';
import { Observed } from '@rl-playground/base/observed';
import type { ServerAddress } from './addresses.ts';
import { computationOf } from '@rl-playground/run/environment/computation';
import { connectInPage } from './connectInPage.ts';
import { watchServer } from './connection.ts';
import { parsePageAddress } from './invitation.ts';
import type { MachineRecord } from './machineList.ts';
import type { MachineNews, MachinePool, OwnShare } from './machinePool.ts';
import { runLabel } from './names.ts';
import { RunChannel } from './runChannel.ts';
import type { EngineEnvironment } from '@rl-playground/engine/parts';
import { joinedEnvironment } from './joinedEnvironment.ts';
import { promptsInWords } from '@rl-playground/run/data';
import type { Notice, RunController, RunSurroundings } from '@rl-playground/run/session';

/** The machines of a run as the page shows them. */
export interface InvitedMachines {
  /** The run as machines see it, `sum_digits (7KQ2XA)`; null before one has begun. */
  readonly run: string | null;
  /** The server where they meet, without the token; null if nobody is invited. */
  readonly server: string | null;
  /** True if the server answers, and before a run has begun with it. */
  readonly connected: boolean;
  readonly machines: readonly MachineRecord[];
  /** The share of this page; null if its generators don't answer. */
  readonly own: OwnShare | null;
}

/** The dropped machines of a run that notices name: a stranger can invent any number. */
const MOST_SAID = 5;

const NOBODY: InvitedMachines = { run: null, server: null, connected: true, machines: [], own: null };

interface Meeting {
  readonly server: ServerAddress;
  /** True if generators of this page answer too. */
  readonly local: boolean;
}

export class JoinedMachines extends Observed<InvitedMachines> implements RunSurroundings {
  readonly #notify: (notice: Omit<Notice, 'id'>) => void;
  #meeting: Meeting | null = null;
  /** The meeting of the run that was last begun or continued. */
  #used: Meeting | null = null;
  #channel: RunChannel | null = null;
  #drops = 0;

  constructor(notify: (notice: Omit<Notice, 'id'>) => void) {
    super(NOBODY);
    this.#notify = notify;
  }

  /** True if the invitation has changed since the run got its generators. */
  get changed(): boolean {
    return this.#used !== this.#meeting;
  }

  /**
   * Lets machines join the run at a server, `ws://TOKEN@host:port`, from the run's next start on; a paused run, from when it continues.
   * `local`: generators of this page answer too. @throws Error with a sentence for people if the address is none, or if no server answers
   * there.
   */
  async invite(address: string, { local }: { readonly local: boolean }): Promise<void> {
    const server = parsePageAddress(address);
    // A wrong address is found before an hour of training, not after.
    await (await connectInPage(server, 'trainer')).close();
    await this.leave();
    this.#meeting = { server, local };
    this.update({ ...NOBODY, server: server.url });
  }

  /**
   * Ends the invitation; the server's data of the run is deleted. It must be called while the run rests, because the run can't go on
   * without its server.
   */
  async leave(): Promise<void> {
    const channel = this.#channel;
    this.#channel = null;
    this.#meeting = null;
    this.update(NOBODY);
    await channel?.close();
  }

  /** Makes the environment of a run that is about to begin or to continue. */
  async around(
    environment: EngineEnvironment,
    { task }: RunConfig,
    line: string,
  ): Promise<EngineEnvironment> {
    this.#used = this.#meeting;
    if (this.#meeting === null) return environment;
    const { server, local } = this.#meeting;
    await this.#channel?.close();
    const connection = await connectInPage(server, 'trainer');
    const channel = await RunChannel.open(connection, {
      name: task,
      about: promptsInWords(task),
      computation: computationOf(line),
    });
    this.#channel = channel;
    this.#drops = 0;
    this.update({ ...NOBODY, server: server.url, run: runLabel({ name: task, run: channel.run }) });
    void watchServer(connection, (isThere) => {
      if (this.#channel === channel) this.#sayServer(isThere, local);
    });
    return joinedEnvironment(environment, { channel, local, onNews: (news, pool) => this.#hear(news, pool) });
  }

  /** Reports that the server is gone, or is there again. */
  #sayServer(connected: boolean, local: boolean): void {
    if (connected === this.snapshot().connected) return;
    this.update({ connected });
    const text = local
      ? 'Until it is there again, this page’s own generators answer alone.'
      : 'The run waits for it: it has no generators of its own.';
    this.#notify(
      connected
        ? {
            kind: 'info',
            title: 'The server of the machines is there again',
            text: 'Requests that were lost are sent again.',
          }
        : { kind: 'warning', title: 'The server of the machines does not answer', text },
    );
  }

  #hear(news: MachineNews, pool: MachinePool): void {
    const { machines, own } = pool;
    switch (news.kind) {
      case 'changed':
      case 'dropped':
        this.update({ machines, own });
        if (news.kind === 'dropped') this.#sayDropped(news.machine);
        return;
      case 'waiting':
        this.#notify({
          kind: 'info',
          title: 'The run waits for machines',
          text: `None that joined is there, and the run has no generators of its own. It goes on as soon as one comes: at ${this.snapshot().server}.`,
        });
        return;
      case 'trouble':
        this.#notify({ kind: 'info', title: 'The server of the machines', text: news.text });
    }
  }

  #sayDropped({ name, dropped }: MachineRecord): void {
    if (++this.#drops > MOST_SAID) return;
    const rest =
      this.#drops === MOST_SAID ? ' Of others that are dropped only the list of machines says so.' : '';
    this.#notify({
      kind: 'info',
      title: `The machine ${name} was dropped`,
      text: `Because ${dropped}. What it was asked is asked again; nothing was learned from its wrong answers.${rest}`,
    });
  }
}

const known = new WeakMap<RunController, JoinedMachines>();

/** The machines of a page's run; the first call adds them to the environment of its runs. */
export function machinesOf(controller: RunController): JoinedMachines {
  const there = known.get(controller);
  if (there) return there;
  const machines = new JoinedMachines((notice) => controller.notify(notice));
  known.set(controller, machines);
  controller.device.surroundings = machines;
  return machines;
}
