/**
 * A run's generators, both those here and those of machines that joined, as one pool. Draws are counted and a request names its weights.
 * So if all compute alike, the answers are the same to the bit whoever gives them, and machines may come and go. A generator's number
 * means a place in the queue and not a machine: each place is taken by whoever is free.
 */
import {
  millisecondsNow,
  type GeneratorModel,
  checkGenerator,
  GeneratorSilent,
  type GenerateOptions,
  type GeneratorPool,
  type GroupRequest,
  type GroupResult,
  type SamplingSettings,
  type WeightPrecision,
} from '@rl-playground/engine/parts';
import { Call } from './call.ts';
import { AHEAD, Dealer, MOST_PATIENCE, type AskingChannel, type Refusals } from './dealer.ts';
import { writeModel } from './generatorModel.ts';
import { Inspector, type InspectorOptions } from './inspector.ts';
import { MachineList, type MachineRecord } from './machineList.ts';
import { LONELY_AFTER } from './patience.ts';
import type { RunChannel } from './runChannel.ts';
import { WeightShelf, type ObjectKeeper } from './weightShelf.ts';

const TICK = 1000;
const TOLD_EVERY = 100;

/** The reports of a run about its machines. */
export type MachineNews =
  | { readonly kind: 'changed' }
  | { readonly kind: 'dropped'; readonly machine: MachineRecord }
  /** There is work and no machine to do it. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'trouble'; readonly text: string };

/** The part of the run's connection that its pool needs. */
export type PoolChannel = AskingChannel &
  ObjectKeeper &
  Pick<RunChannel, 'computation' | 'listen' | 'offer' | 'letIn'>;

export interface MachinePoolOptions {
  readonly channel: PoolChannel;
  readonly model: GeneratorModel;
  readonly precision: WeightPrecision;
  /** The generators here, which the pool owns; null for none. */
  readonly local: GeneratorPool | null;
  readonly onNews: (news: MachineNews) => void;
  readonly inspection?: Partial<InspectorOptions>;
  /** The milliseconds without any machine after which a run without generators of its own reports that it waits. */
  readonly lonelyAfter?: number | undefined;
}

/** The answers of the run's own generators. */
export interface OwnShare {
  readonly answers: number;
  readonly tokens: number;
  /** The seconds of work on them, summed over the generators. */
  readonly busySeconds: number;
}

/** @throws Error if answers could not be checked. */
function checkSampling({ logitNoise = 0 }: SamplingSettings): void {
  if (logitNoise > 0)
    throw new Error(
      `Noise in generators is ${logitNoise}: with it the log-probabilities of machines that joined can't be checked. Set it to 0, or train without them.`,
    );
}

export class MachinePool implements GeneratorPool {
  readonly #local: GeneratorPool | null;
  readonly #onNews: (news: MachineNews) => void;
  readonly #list = new MachineList(millisecondsNow);
  readonly #shelf: WeightShelf;
  readonly #dealer: Dealer;
  readonly #inspector: Inspector;
  readonly #offered: Promise<void>;
  readonly #ticking: ReturnType<typeof setInterval>;
  /** The consecutive looks that found no machine while requests were open. */
  #lonely = 0;
  #saidWaiting = false;
  #isOver = false;
  readonly #ownCounts = { answers: 0, tokens: 0 };
  readonly #lonelyAfter: number;
  #trial: { readonly call: Call; readonly until: number } | null = null;

  constructor({
    channel,
    model,
    precision,
    local,
    onNews,
    inspection,
    lonelyAfter = LONELY_AFTER,
  }: MachinePoolOptions) {
    this.#lonelyAfter = lonelyAfter;
    this.#local = local;
    this.#onNews = onNews;
    this.#shelf = new WeightShelf(model, precision, channel);
    this.#inspector = new Inspector(model, precision, { computation: channel.computation, ...inspection });
    this.#dealer = new Dealer({
      channel,
      machines: this.#list,
      inspector: this.#inspector,
      model,
      now: millisecondsNow,
      locals: local?.size ?? 0,
      onDropped: (machine) => onNews({ kind: 'dropped', machine }),
      onServerTrouble: () => this.#shelf.restore(),
    });
    this.#offered = channel.offer(writeModel({ model, precision }));
    this.#offered.catch(() => undefined);
    channel.listen({
      unwanted: () => (local === null ? 0 : this.#dealer.unwanted),
      answered: (read) => {
        void this.#dealer.answered(read).then(() => this.#tellSoon());
      },
      hasAnswered: (machine) => this.#list.hasAnswered(machine),
      overheard: (machine) => this.#list.overheard(machine),
      present: (presence) => {
        const changed = this.#list.present(presence);
        if (this.#list.mayReturn(presence.machine)) channel.letIn(presence.machine);
        if (!changed) return;
        this.#dealer.feed();
        onNews({ kind: 'changed' });
      },
      back: (lost) => {
        this.#shelf.restore();
        if (lost) this.#dealer.askAllAgain();
      },
      failed: (error) => onNews({ kind: 'trouble', text: error.message }),
    });
    this.#ticking = setInterval(() => this.#tick(), TICK);
  }

  #telling: ReturnType<typeof setTimeout> | null = null;

  /** Reports soon, because answers may come by the thousand, from strangers too. */
  #tellSoon(): void {
    if (!this.#isOver) this.#telling ??= setTimeout(() => this.#tell(), TOLD_EVERY);
  }

  #tell(): void {
    if (this.#telling !== null) clearTimeout(this.#telling);
    this.#telling = null;
    if (!this.#isOver) this.#onNews({ kind: 'changed' });
  }

  get machines(): readonly MachineRecord[] {
    return this.#list.records;
  }

  /** The share of the run's own generators; null if it has none. */
  get own(): OwnShare | null {
    return this.#local && { ...this.#ownCounts, busySeconds: this.#local.busySeconds };
  }

  #countOwn(groups: GroupResult[]): GroupResult[] {
    for (const { completions } of groups) {
      this.#ownCounts.answers += completions.length;
      this.#ownCounts.tokens += completions.reduce((sum, { tokens }) => sum + tokens.length, 0);
    }
    return groups;
  }

  get refusals(): Refusals {
    return this.#dealer.refusals;
  }

  /** The seconds that checking their answers has taken here. */
  get checkingSeconds(): number {
    return this.#inspector.seconds;
  }

  get #locals(): number {
    return this.#local?.size ?? 0;
  }

  /**
   * The number of machines that the run counts on. Beside generators here it is only those that have given an answer that counts: anyone
   * with the server's token can invent others, and nothing must wait for those.
   */
  get #helpers(): number {
    return this.#local === null ? this.#list.here : this.#list.proven;
  }

  /** The number of generators here and machines. There is at least one place in the queue, which the first machine takes. */
  get size(): number {
    return Math.max(1, this.#locals + this.#helpers);
  }

  /** The most calls of one group that run at once: while a machine works on one, the next waits for it. */
  get places(): number {
    return Math.max(1, this.#locals + AHEAD * this.#helpers);
  }

  get busySeconds(): number {
    return (this.#local?.busySeconds ?? 0) + this.#list.busySeconds;
  }

  get handedOverBytes(): number {
    return this.#shelf.handedOverBytes;
  }

  async setWeights(version: number, packed: Float32Array): Promise<void> {
    this.#shelf.setWeights(version, packed);
    await this.#local?.setWeights(version, packed);
    this.#shelf.keepOnly(this.#dealer.weightsInUse);
  }

  async setBase(...[version, base]: Parameters<GeneratorPool['setBase']>): Promise<void> {
    this.#shelf.setBase(version, base);
    await this.#local?.setBase(version, base);
    // Reading it for machines must not run beside the first steps.
    await this.#shelf.newest.references();
  }

  async setAdapter(version: number, packed: Float32Array): Promise<void> {
    this.#shelf.setAdapter(version, packed);
    await this.#local?.setAdapter(version, packed);
    this.#shelf.keepOnly(this.#dealer.weightsInUse);
  }

  async generate(
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    options: GenerateOptions = {},
  ): Promise<GroupResult[]> {
    checkSampling(sampling);
    options.signal?.throwIfAborted();
    // Alone, generators here batch best with all there is.
    if (this.#local && this.#helpers === 0) {
      this.#tryOut(requests, sampling);
      return this.#countOwn(await this.#local.generate(requests, sampling, options));
    }
    const helpers = Array.from({ length: this.#locals }, (_, i) => i);
    return this.#asked(requests, sampling, options, helpers, () => true);
  }

  async generateOn(
    generator: number,
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    options: GenerateOptions = {},
  ): Promise<GroupResult[]> {
    checkSampling(sampling);
    options.signal?.throwIfAborted();
    if (this.#local && this.#helpers === 0) this.#tryOut(requests, sampling);
    if (this.#local && generator < this.#local.size)
      return this.#countOwn(await this.#local.generateOn(generator, requests, sampling, options));
    // A machine may have gone since its place was counted.
    checkGenerator(Math.min(generator, this.places - 1), this.places);
    // If no machine is counted on any more, its requests are answered here.
    const helpers = this.#locals === 0 ? [] : [generator % this.#locals];
    return this.#asked(requests, sampling, options, helpers, () => this.#helpers === 0);
  }

  /** Asks machines that have shown nothing yet for a group that is also answered here. The run counts on a machine from its first sound answer on. */
  #tryOut([request]: readonly GroupRequest[], sampling: SamplingSettings): void {
    if (request === undefined || this.#list.here === 0) return;
    const now = millisecondsNow();
    if (this.#trial?.call.over === false) {
      if (now < this.#trial.until) return;
      // The earlier trial uses weights that nobody else needs any more.
      this.#trial.call.fail(new Error('Another trial takes its place.'));
    }
    const call = new Call([request], sampling, this.#shelf.newest, {}, true);
    this.#trial = { call, until: now + 1000 * MOST_PATIENCE };
    this.#offered.then(
      () => this.#dealer.ask(call),
      () => undefined,
    );
  }

  /** Asks machines, and these generators here for as long as `mayHelp` says. */
  async #asked(
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    options: GenerateOptions,
    helpers: readonly number[],
    mayHelp: () => boolean,
  ): Promise<GroupResult[]> {
    await this.#offered;
    const call = new Call(requests, sampling, this.#shelf.newest, options);
    const { signal, patience } = options;
    const abort = (): void => call.fail(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    const impatient =
      patience === undefined ? null : setInterval(() => this.#giveUpAfter(patience, call), patience / 4);
    this.#dealer.ask(call);
    const helping = helpers.map((generator) => this.#help(call, generator, options, mayHelp));
    try {
      return await call.groups;
    } finally {
      signal?.removeEventListener('abort', abort);
      if (impatient !== null) clearInterval(impatient);
      // The caller may look at what the machines have added.
      this.#tell();
      await Promise.all(helping);
    }
  }

  /** Lets a generator here take groups that nobody works on, until none are left. */
  async #help(
    call: Call,
    generator: number,
    options: GenerateOptions,
    mayHelp: () => boolean,
  ): Promise<void> {
    const local = this.#local;
    while (local !== null && !call.over) {
      const indices = mayHelp() ? call.take(Math.max(1, Math.ceil(call.waiting / (2 * this.size)))) : [];
      if (indices.length === 0) {
        // A machine that leaves gives back its groups.
        await call.news();
        continue;
      }
      try {
        const groups = await local.generateOn(
          generator,
          indices.flatMap((index) => call.requests[index] ?? []),
          call.sampling,
          { signal: options.signal, patience: options.patience },
        );
        for (const [i, group] of this.#countOwn(groups).entries())
          call.deliver(indices[i] ?? Number.NaN, group);
      } catch (error) {
        call.fail(error);
      }
    }
  }

  #giveUpAfter(patience: number, call: Call): void {
    const { silence } = this.#list;
    // Machines report once a second.
    if (silence === null || silence > Math.max(patience, 2 * TICK))
      call.fail(new GeneratorSilent('No machine that joined has said anything for as long as was waited.'));
  }

  #tick(): void {
    if (this.#list.sweep()) this.#onNews({ kind: 'changed' });
    this.#dealer.tick();
    const text = this.#dealer.takeProblem();
    if (text !== null) this.#onNews({ kind: 'trouble', text });
    this.#sayIfLonely();
  }

  #sayIfLonely(): void {
    if (this.#local !== null || this.#list.here > 0 || !this.#dealer.busy) {
      this.#lonely = 0;
      this.#saidWaiting = false;
      return;
    }
    // Looks are counted in place of seconds, so that a run that is stopped for a while has not waited meanwhile.
    if (this.#saidWaiting || TICK * this.#lonely++ < this.#lonelyAfter) return;
    this.#saidWaiting = true;
    this.#onNews({ kind: 'waiting' });
  }

  /** Ends the pool. The channel remains: another pool may take it over. */
  dispose(): void {
    this.#isOver = true;
    clearInterval(this.#ticking);
    if (this.#telling !== null) clearTimeout(this.#telling);
    this.#trial?.call.fail(new Error('The run has ended.'));
    this.#inspector.dispose();
    this.#local?.dispose();
  }
}
