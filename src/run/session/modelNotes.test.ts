import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { loadModel, filesInMemory, type LoadedModel } from '@rl-playground/engine/parts';
import { filesInFolder } from '@rl-playground/engine/parts/node';
import { jsonBytes, tinyModelFolder, tinyTokenizerConfig } from '@rl-playground/engine/testing/modelFolder';
import {
  customTask,
  GRADER_DEFAULTS,
  setCustomTasks,
  TASKS,
  type GraderSettings,
} from '@rl-playground/tasks/parts';
import { modelNotes, nothingReadable } from './modelNotes.ts';
import { makeScratchModel } from '../models/scratchModels.ts';
import { bundledFolder } from '../models/modelsInNode.ts';

/** `generation`: generation_config.json. */
function modelWith(template: string, generation: object = {}): Promise<LoadedModel> {
  const files = tinyModelFolder();
  files.set('tokenizer_config.json', jsonBytes({ ...tinyTokenizerConfig, chat_template: template }));
  files.set('generation_config.json', jsonBytes({ eos_token_id: 1, ...generation }));
  return loadModel(filesInMemory('tiny', files));
}

const EVERYTHING = '{% for m in messages %}{{ m.content | trim }};{% endfor %}';
const USER_ALONE = "{% for m in messages %}{% if m.role == 'user' %}{{ m.content }}{% endif %}{% endfor %}";
const SYSTEM_ALONE = "{% for m in messages %}{% if m.role != 'user' %}{{ m.content }}{% endif %}{% endfor %}";

/** A task that has a system prompt. */
const CONFIG = defaultConfig('sum_digits');

/** The notes without those on what the few tokens of the tiny model can't read. */
const notesOf = (...of: Parameters<typeof modelNotes>) =>
  modelNotes(...of).filter(({ title }) => !title.startsWith('tiny cannot read'));

describe('modelNotes', () => {
  it('has nothing to say where the template has every word', async () => {
    expect(notesOf(CONFIG, await modelWith(EVERYTHING))).toEqual([]);
    const bundled = await loadModel(filesInFolder(bundledFolder('starter'), 'starter'));
    expect(notesOf(CONFIG, bundled)).toEqual([]);
  });

  it('names the turn that the template leaves out', async () => {
    const asked = TASKS.map(({ name }) => defaultConfig(name)).filter(
      (config) => config.mixture.length === 0,
    );
    const withSystem = asked.find(({ task }) => {
      const found = TASKS.find(({ name }) => name === task);
      if (!found) return false;
      const problem = found.generate(0, 'train', 0, found.defaults);
      return found.messages(problem, 'full').some(({ role }) => role === 'system');
    });
    if (!withSystem) throw new Error('No task has a system prompt.');
    const [system, ...others] = notesOf(withSystem, await modelWith(USER_ALONE));
    expect(others).toEqual([]);
    expect(system).toMatchObject({
      kind: 'warning',
      title: 'The chat template of tiny leaves out the system prompt',
    });
    const [user] = notesOf(CONFIG, await modelWith(SYSTEM_ALONE));
    expect(user).toMatchObject({
      kind: 'warning',
      title: 'The chat template of tiny leaves out the question',
    });
    expect(user?.text).toContain('role_colon');
    expect(notesOf({ ...CONFIG, renderer: 'role_colon' }, await modelWith(SYSTEM_ALONE))).toEqual([]);
  });

  it('says how the makers sample the model, beside how the run does', async () => {
    const model = await modelWith(EVERYTHING, {
      do_sample: true,
      temperature: 0.6,
      top_k: 20,
      top_p: 0.95,
      repetition_penalty: 1.1,
    });
    const [note] = notesOf({ ...CONFIG, temperature: 1, topP: 1, topK: 0 }, model);
    expect(note?.kind).toBe('info');
    expect(note?.text).toContain('temperature 0.6, top_p 0.95, top_k 20, repetition_penalty 1.1');
    expect(note?.text).toContain('samples with temperature 1, topP 1, topK 0');
  });

  it('says when a model that is to think is not asked to', async () => {
    const thinking = { ...CONFIG, thinking: 'on' } as const;
    expect(notesOf(thinking, await modelWith(EVERYTHING))[0]?.title).toBe('tiny is not asked to think');
    const asked = await modelWith(`${EVERYTHING}{% if enable_thinking %}{% endif %}`);
    expect(notesOf(thinking, asked)).toEqual([]);
  });

  it('reads no pattern of a row as an answer that the model would write', async () => {
    const rows = Array.from({ length: 40 }, (_, i) => ({ question: `${i} + 1`, answer: `\\b${i + 1}\\b` }));
    const bundled = await loadModel(filesInFolder(bundledFolder('starter'), 'starter'));
    const strange = (grader: GraderSettings): boolean => {
      setCustomTasks([customTask({ name: grader.kind, rows, grader, system: '' })]);
      const config = { ...CONFIG, task: `own:${grader.kind}`, taskConfig: {} };
      return nothingReadable(config, bundled) !== null;
    };
    expect(strange({ ...GRADER_DEFAULTS.regex, pattern: '' })).toBe(false);
    expect(strange(GRADER_DEFAULTS.exact)).toBe(true);
    setCustomTasks([]);
  });

  it('names the tasks of a mixture that the model cannot read, and no others', async () => {
    const bundled = await loadModel(filesInFolder(bundledFolder('starter'), 'starter'));
    const config: RunConfig = {
      ...CONFIG,
      task: 'mixture',
      mixture: [
        { task: 'sum_digits', weight: 1, config: {} },
        { task: 'word_sorting', weight: 1, config: {} },
        { task: 'reverse_digits', weight: 1, config: {} },
      ],
    };
    const notes = modelNotes(config, bundled);
    expect(notes.map(({ kind, title }) => [kind, title])).toEqual([
      ['warning', 'starter cannot read the task word_sorting'],
    ]);
    expect(notes[0]?.text).toMatch(
      /^20 of 20 problems, 33% of the run’s, have characters that its vocabulary lacks: /,
    );
  });
});

it('a task whose questions have special tokens of the model is read all the same', async () => {
  const config = defaultConfig('rpn_arithmetic');
  const model = await makeScratchModel(config);
  expect(nothingReadable(config, model)).toBeNull();
  expect(modelNotes(config, model)).toEqual([]);
});
