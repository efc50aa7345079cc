/** `npm run lab -- NAME [arguments…]`: measurements and investigations of this project. Nothing of it is needed to use the project, and no test asks for its figures. */
import { manyPrograms, type NamedPrograms } from '../src/cli/manyPrograms.ts';

export const PROGRAMS: NamedPrograms = {
  bench: {
    purpose: 'times training, generating and loading beside peers',
    load: () => import('./bench/bench.ts'),
  },
  buildPackage: {
    purpose: 'builds a package of src that is published',
    load: () => import('./buildPackage.ts'),
  },
  charts: {
    purpose: 'measures what a redraw of the charts costs the page’s thread in a long run',
    load: () => import('./charts.ts'),
  },
  conformance: {
    purpose: 'scores the answers of the reference data by the tasks here, and counts where they agree',
    load: () => import('./conformance.ts'),
  },
  faults: {
    purpose:
      'breaks runs on the built page at every moment, and compares what they come to with undisturbed ones',
    load: () => import('./faults.ts'),
  },
  fingerprint: {
    purpose: 'recomputes what must not change when code is only moved',
    load: () => import('./fingerprint.ts'),
  },
  footprint: {
    purpose: 'trains a model of a published shape, and reports memory and times',
    load: () => import('./footprint.ts'),
  },
  fuzz: {
    purpose: 'tries graders against hostile answers, or with --parsers readers against hostile files',
    load: () => import('./fuzz.ts'),
  },
  formats: {
    purpose: 'compares what a model says in each format of its base with what it says in f32',
    load: () => import('./formats.ts'),
  },
  gguf: {
    purpose: 'compares a GGUF file with rows of reference data: tokens, log-probabilities, greedy answers',
    load: () => import('./gguf.ts'),
  },
  gpu: {
    purpose: 'measures what only a machine with a GPU can show, within a budget of time',
    load: () => import('./gpu.ts'),
  },
  guide: {
    purpose: 'makes the tables of settings, bundled models and memory in docs anew',
    load: () => import('./guide.ts'),
  },
  learning: {
    purpose: 'trains with the default settings, and holds what was learned against what must be',
    load: () => import('./learning.ts'),
  },
  llamaCpp: {
    purpose: 'compares a GGUF file in llama.cpp with the same file here',
    load: () => import('./llamaCpp.ts'),
  },
  losses: {
    purpose: 'computes the loss of batches in a file',
    load: () => import('./losses.ts'),
  },
  machines: {
    purpose: 'times a run with several generators, here and on other machines',
    load: () => import('./machines.ts'),
  },
  opening: {
    purpose: 'measures how long the built page keeps a person waiting until a run can begin',
    load: () => import('./opening.ts'),
  },
  platforms: {
    purpose: 'trains a few steps in Firefox or Deno, and compares the run with Chromium’s',
    load: () => import('./platforms.ts'),
  },
  preflight: {
    purpose: 'checks how often the look at a run before its first step is right',
    load: () => import('./preflight.ts'),
  },
  pretrain: {
    purpose: 'makes a starter model from nothing with the project’s own trainer',
    load: () => import('./pretrain.ts'),
  },
  quantize: {
    purpose: 'measures sizes and errors of a model in each type of GGUF',
    load: () => import('./quantize.ts'),
  },
  recorded: {
    purpose: 'writes answers of a run into the recorded one that a first visit shows',
    load: () => import('./recorded.ts'),
  },
  screenshots: {
    purpose: 'takes the picture of the README anew',
    load: () => import('./screenshots.ts'),
  },
  sentences: {
    purpose: 'lists every sentence that the page and its runs may show',
    load: () => import('./sentences.ts'),
  },
  showpiece: {
    purpose: 'times a first visit to a finished run of a real model, and chats with it',
    load: () => import('./showpiece.ts'),
  },
  soak: {
    purpose:
      'trains a thousand steps on the built page, and compares what it holds at the end with the beginning',
    load: () => import('./soak.ts'),
  },
  watch: {
    purpose: 'looks for the findings of the watch in the logs of runs',
    load: () => import('./watch.ts'),
  },
};

export default manyPrograms('npm run lab --', PROGRAMS);
