/** Somebody's hand on the page: presses, types, looks, and keeps count of what that took and of where it hesitated. */
import type { Locator, Page } from 'playwright';

/** Milliseconds for a whole run on a busy machine. */
const PATIENCE = 240_000;
/** Milliseconds for the page to do what was pressed. */
const PROMPT = 40_000;
/** Tab stops up to which nobody wonders where the focus is going. */
const TABS = 12;

/** What a step took. */
export interface Taken {
  readonly seconds: number;
  readonly clicks: number;
  readonly keys: number;
  /** Heights of the view that were scrolled. */
  readonly screens: number;
  readonly hesitations: readonly string[];
}

export class Hand {
  readonly page: Page;
  #clicks = 0;
  #keys = 0;
  #screens = 0;
  #hesitations: string[] = [];

  constructor(page: Page) {
    this.page = page;
  }

  /** Does a step, and says what it took. */
  async take(step: (hand: Hand) => Promise<void>): Promise<Taken> {
    [this.#clicks, this.#keys, this.#screens, this.#hesitations] = [0, 0, 0, []];
    const began = performance.now();
    await step(this);
    return {
      seconds: (performance.now() - began) / 1000,
      clicks: this.#clicks,
      keys: this.#keys,
      screens: this.#screens,
      hesitations: this.#hesitations,
    };
  }

  /** Looks for something, and scrolls to where it is. */
  async see(target: Locator, name: string): Promise<void> {
    await target.waitFor({ state: 'visible', timeout: PROMPT });
    const distance = await target.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      const height = window.innerHeight;
      return top < 0 ? top / height : bottom > height ? Math.min(top, bottom - height) / height : 0;
    });
    if (distance === 0) return;
    await target.scrollIntoViewIfNeeded();
    const screens = Math.abs(distance);
    this.#screens += screens;
    if (screens > 2)
      this.#hesitations.push(`${name} is ${screens.toFixed(1)} screens ${distance > 0 ? 'below' : 'above'}`);
  }

  /** Presses something, which may not be pressable yet: a dead end until it is. */
  async press(target: Locator, name: string): Promise<void> {
    await this.see(target, name);
    const refused = async (): Promise<boolean> =>
      (await target.isDisabled()) || (await target.getAttribute('aria-disabled')) === 'true';
    if (await refused()) this.#hesitations.push(`${name} can not be pressed yet`);
    await target.click({ timeout: PROMPT });
    this.#clicks++;
  }

  async choose(target: Locator, value: string, name: string): Promise<void> {
    await this.see(target, name);
    await target.selectOption(value);
    this.#clicks += 2;
  }

  async type(target: Locator, text: string, name: string): Promise<void> {
    await this.see(target, name);
    await target.fill(text);
    this.#clicks++;
    this.#keys += text.length;
  }

  async key(name: string): Promise<void> {
    await this.page.keyboard.press(name);
    this.#keys++;
  }

  /** Types where the focus is. */
  async write(text: string): Promise<void> {
    await this.page.keyboard.type(text);
    this.#keys += text.length;
  }

  /** Goes to something by Tab alone. @throws where it is not among the next hundred stops. */
  async tabTo(target: Locator, name: string): Promise<void> {
    for (let presses = 0; presses < 100; presses++) {
      if (await target.evaluate((element) => element === document.activeElement)) {
        if (presses > TABS) this.#hesitations.push(`${name} is ${presses} tab stops away`);
        return;
      }
      await this.key('Tab');
    }
    throw new Error(`100 presses of Tab did not reach ${name}.`);
  }

  /** Waits for the run, as somebody who watches does. */
  async watch(test: { readonly phase: string } | { readonly step: number }): Promise<void> {
    const { page } = this;
    if ('phase' in test) {
      const reached = page.locator(`[data-testid="status"][data-phase="${test.phase}"]`);
      await reached.waitFor({ timeout: PATIENCE });
      return;
    }
    await page.waitForFunction(
      (step) =>
        Number(document.querySelector<HTMLElement>('[data-testid="status"]')?.dataset['step']) >= step,
      test.step,
      { timeout: PATIENCE },
    );
  }
}
