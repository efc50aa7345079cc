/** The places of the page in the order of their tabs, each with a sentence on what it is for. */
export const PLACES = {
  train: {
    title: 'Train',
    what: 'A small language model learns by trial and reward, live in this tab: choose a task, press Train, watch it improve, and take the trained model with you. Nothing leaves your machine unless you send it.',
  },
  answers: {
    title: 'Answers',
    what: 'What the model writes, token by token with its probabilities, and questions of your own.',
  },
  runs: {
    title: 'Runs',
    what: 'The runs that this browser keeps. Compare them, go back to a step of one, or repeat it with other seeds.',
  },
  learn: {
    title: 'Learn',
    what: 'Ideas for the next run, five-minute lessons, and runs that go wrong on purpose, with their cure.',
  },
  make: {
    title: 'Make',
    what: 'A task of your own, with your questions and answers and your grader or program, and a calculator of rewards.',
  },
  teach: {
    title: 'Teach',
    what: 'A link to a simpler page for a class, and a check of the runs that are handed in.',
  },
} as const;

export type Place = keyof typeof PLACES;

export const isPlace = (text: string): text is Place => Object.hasOwn(PLACES, text);

export const PLACE_NAMES: readonly Place[] = Object.keys(PLACES).filter(isPlace);
