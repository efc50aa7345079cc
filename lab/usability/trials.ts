/** Five trials, as five people would go about it: what each wants, step by step, and what was changed where a step went badly. */
import type { Hand } from './hand.ts';

export interface Step {
  readonly wants: string;
  readonly act: (hand: Hand) => Promise<void>;
  /** What was changed in the page because of this step. */
  readonly changed?: string;
}

export interface Trial {
  readonly title: string;
  readonly who: string;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly touch?: boolean;
  readonly steps: readonly Step[];
}

const id = (hand: Hand, name: string) => hand.page.getByTestId(name);
const button = (hand: Hand, name: string | RegExp) => hand.page.getByRole('button', { name }).first();
const fold = (hand: Hand, title: string) =>
  hand.page.locator('summary, button[aria-expanded]').filter({ hasText: title }).first();

const train = async (hand: Hand): Promise<void> => {
  await hand.press(id(hand, 'train-button'), 'Train');
  // The run before may have ended: its end is not that of this one.
  await hand.page.locator('[data-testid="status"]:not([data-phase="finished"])').waitFor();
};

const newcomer: Trial = {
  title: 'Newcomer',
  who: 'has heard of reinforcement learning, wants to see it, and has two minutes',
  viewport: { width: 1280, height: 720 },
  steps: [
    { wants: 'to see a model learn', act: train },
    {
      wants: 'to see that something happens',
      act: async (hand) => {
        await hand.watch({ step: 1 });
        await hand.see(id(hand, 'chart-reward'), 'The reward chart');
      },
    },
    {
      wants: 'to know why an answer earned what it did',
      act: (hand) => hand.see(id(hand, 'live-answers').getByTestId('reward-reason').first(), 'The reason'),
    },
    {
      wants: 'to know whether it was worth it',
      act: async (hand) => {
        await hand.watch({ phase: 'finished' });
        await hand.see(id(hand, 'end-card'), 'What this run came to');
      },
    },
    {
      wants: 'to ask the model something',
      act: async (hand) => {
        await hand.press(id(hand, 'try-model'), 'Try it');
        await hand.type(id(hand, 'ask-question'), 'reverse 1234567', 'The question');
        await hand.press(id(hand, 'ask-button'), 'Ask');
        await hand.see(hand.page.locator('[data-testid="ask-answers"][data-done="true"]'), 'The two answers');
      },
    },
    {
      wants: 'to ruin a run',
      act: async (hand) => {
        await hand.press(button(hand, 'What to try next'), 'What to try next');
        await hand.press(button(hand, 'learning rate × 30'), 'learning rate × 30');
        await train(hand);
        await hand.watch({ step: 3 });
      },
      changed:
        'The suggestions were 3.9 screens above; the answers to a question end with a link to them now.',
    },
  ],
};

const researcher: Trial = {
  title: 'Researcher',
  who: 'knows GRPO, wants to see what one setting does, and to take the numbers along',
  viewport: { width: 1440, height: 900 },
  steps: [
    {
      wants: 'a first run',
      act: async (hand) => {
        await train(hand);
        await hand.watch({ phase: 'finished' });
      },
    },
    {
      wants: 'the same with clipping that acts',
      act: async (hand) => {
        await hand.press(fold(hand, 'More settings'), 'More settings');
        await hand.type(hand.page.getByLabel('Search settings'), 'updates per batch', 'The search');
        await hand.press(button(hand, 'Close more settings'), 'Close');
        // Behind a first run it is folded.
        await hand.press(fold(hand, 'Before step 1'), 'Before step 1');
        await hand.press(button(hand, '4 updates per batch'), '4 updates per batch');
        await train(hand);
        await hand.watch({ phase: 'finished' });
      },
      changed: 'The cross that closes the drawer was 22 pixels wide and is 28 now.',
    },
    {
      wants: 'both over each other',
      act: async (hand) => {
        await hand.press(button(hand, 'Compare runs'), 'Compare runs');
        const boxes = hand.page.getByTestId('run-row').getByRole('checkbox', { name: /^Compare/ });
        await hand.press(boxes.nth(0), 'Compare');
        await hand.press(boxes.nth(1), 'Compare');
        await hand.see(id(hand, 'compare'), 'The comparison');
      },
      changed:
        'Check boxes were 16 pixels high with their words and are 24 now. Values of the KL chart beside them lost their first digit; there is room for it now. They were 3.3 screens below; the end of a run leads to them.',
    },
    {
      wants: 'the numbers of one token',
      act: async (hand) => {
        const row = id(hand, 'rollouts').locator('li[data-correct]').first();
        await hand.press(row.getByRole('button', { name: 'Tokens' }), 'Tokens');
        await hand.see(row.getByTestId('token-numbers'), 'The numbers');
      },
    },
    {
      wants: 'the run as files',
      act: async (hand) => {
        await hand.press(id(hand, 'export-menu'), 'Export');
        const saved = hand.page.waitForEvent('download', { timeout: 120_000 });
        await hand.press(id(hand, 'run-directory-button'), 'Run directory');
        await saved;
      },
    },
  ],
};

const teacher: Trial = {
  title: 'Teacher',
  who: 'prepares an hour for a class: one lesson, nothing to break',
  viewport: { width: 1280, height: 720 },
  steps: [
    {
      wants: 'to see a lesson through',
      act: async (hand) => {
        await hand.press(fold(hand, 'Lessons of five minutes'), 'Lessons');
        await hand.press(button(hand, 'Groups that teach nothing'), 'The lesson');
        await hand.see(id(hand, 'lesson'), 'The lesson’s page');
      },
    },
    {
      wants: 'a link for the class',
      act: async (hand) => {
        await hand.press(fold(hand, 'For a class'), 'For a class');
        await hand.choose(hand.page.getByLabel('Opens with the lesson'), 'dead-groups', 'The lesson');
        await hand.press(hand.page.getByRole('checkbox', { name: 'More charts' }), 'More charts');
        await hand.press(button(hand, 'Copy link for the class'), 'Copy link');
      },
    },
    {
      wants: 'to see what the class will see',
      act: async (hand) => {
        const link = await id(hand, 'class-link').textContent();
        await hand.page.goto(link ?? '');
        await hand.watch({ phase: 'idle' });
        await hand.see(id(hand, 'lesson'), 'The lesson');
      },
    },
  ],
};

const phone: Trial = {
  title: 'On a phone',
  who: 'follows a link on the way home, with one thumb',
  viewport: { width: 390, height: 844 },
  touch: true,
  steps: [
    { wants: 'to start', act: train },
    {
      wants: 'to see what the model writes',
      act: async (hand) => {
        await hand.watch({ step: 1 });
        await hand.see(id(hand, 'live-answers').getByRole('listitem').first(), 'The first answer');
      },
    },
    {
      wants: 'the outcome',
      act: async (hand) => {
        await hand.watch({ phase: 'finished' });
        await hand.see(id(hand, 'end-card'), 'What this run came to');
      },
    },
    {
      wants: 'another task',
      act: async (hand) => {
        await hand.press(fold(hand, 'Settings'), 'Settings');
        await hand.choose(id(hand, 'task-select'), 'gcd', 'The task');
        await train(hand);
        await hand.watch({ step: 1 });
      },
    },
    {
      wants: 'dark colours',
      act: async (hand) => {
        await hand.press(button(hand, /^Colours/), 'Colours');
      },
      changed: 'The last of the buttons on top stood alone in a second line; all are in one now.',
    },
  ],
};

const keyboard: Trial = {
  title: 'By keyboard alone',
  who: 'has no mouse',
  viewport: { width: 1280, height: 720 },
  steps: [
    {
      wants: 'to start',
      act: async (hand) => {
        await hand.tabTo(id(hand, 'train-button'), 'Train');
        await hand.key('Enter');
        await hand.watch({ step: 1 });
      },
    },
    {
      wants: 'to pause from anywhere',
      act: async (hand) => {
        await hand.key('Control+Enter');
        await hand.watch({ phase: 'paused' });
      },
    },
    {
      wants: 'to change the learning rate',
      act: async (hand) => {
        await hand.key('Control+k');
        await id(hand, 'command-field').waitFor();
        await hand.write('reset');
        await hand.key('Escape');
        await hand.tabTo(id(hand, 'reset-button'), 'Reset');
        await hand.key('Enter');
        await hand.watch({ phase: 'idle' });
        await hand.key('Control+k');
        await id(hand, 'command-field').waitFor();
        await hand.write('Learning rate');
        await hand.key('Enter');
        await hand.key('Control+a');
        await hand.write('0.0006');
      },
    },
    {
      wants: 'to run it to its end',
      act: async (hand) => {
        await hand.key('Control+Enter');
        await hand.watch({ phase: 'finished' });
      },
    },
    {
      wants: 'to take the run along',
      act: async (hand) => {
        await hand.key('Control+k');
        await id(hand, 'command-field').waitFor();
        await hand.write('Export');
        const saved = hand.page.waitForEvent('download');
        await hand.key('Enter');
        await saved;
      },
      changed:
        'Export stood in a menu alone, far by Tab from where results are read; the commands have each of its ways now.',
    },
  ],
};

export const TRIALS: readonly Trial[] = [newcomer, researcher, teacher, phone, keyboard];
