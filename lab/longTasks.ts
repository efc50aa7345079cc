/** Watches tasks on a page's thread that last more than 50 ms, as the browser reports them. */
import type { Page } from 'playwright';

/** The data that the page keeps; times are its own. */
interface Watch {
  readonly tasks: { readonly start: number; readonly milliseconds: number }[];
  readonly observer: PerformanceObserver;
}

const WATCH = 'longTasksOfFootprint';

/** Runs in the page. */
function watchInPage(name: string): void {
  const tasks: Watch['tasks'] = [];
  const take = (entries: PerformanceEntryList): void => {
    for (const { startTime, duration } of entries) tasks.push({ start: startTime, milliseconds: duration });
  };
  const observer = new PerformanceObserver((list) => take(list.getEntries()));
  observer.observe({ type: 'longtask' });
  Reflect.set(window, name, { tasks, observer } satisfies Watch);
}

/** Runs in the page. It returns the tasks since the last call, including those that the observer has not been told of. */
function takeInPage(name: string): Watch['tasks'] {
  const { tasks, observer } = Reflect.get(window, name) as Watch;
  for (const { startTime, duration } of observer.takeRecords())
    tasks.push({ start: startTime, milliseconds: duration });
  return tasks.splice(0);
}

export class LongTasks {
  readonly #page: Page;
  /** The times in the page's clock in which we made it do something. */
  readonly #ours: { readonly from: number; readonly to: number }[] = [];

  private constructor(page: Page) {
    this.#page = page;
  }

  static async watch(page: Page): Promise<LongTasks> {
    await page.evaluate(watchInPage, WATCH);
    return new LongTasks(page);
  }

  /** Makes the page's thread collect garbage, which does not count as one of its tasks. */
  async collectGarbage(): Promise<void> {
    const from = await this.#now();
    await this.#page.requestGC();
    this.#ours.push({ from, to: await this.#now() });
  }

  /** The milliseconds of the longest task since the last call; 0 if there was none. */
  async longest(): Promise<number> {
    const tasks = await this.#page.evaluate(takeInPage, WATCH);
    const own = tasks.filter(({ start }) => !this.#ours.some(({ from, to }) => start >= from && start <= to));
    return Math.max(0, ...own.map(({ milliseconds }) => milliseconds));
  }

  #now(): Promise<number> {
    return this.#page.evaluate(() => performance.now());
  }
}
