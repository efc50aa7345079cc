import { describe, expect, it } from 'vitest';
import { jsonBytes, tinyModelFolder, tinyTokenizerConfig } from '@rl-playground/engine/testing/modelFolder';
import { loadModel, filesInMemory, openBytes, type OpenFile } from '@rl-playground/engine/parts';
import { contents } from '@rl-playground/engine/testing/zips';
import { onnxFolder } from './folder.ts';

const ONNX = new Uint8Array([1, 2, 3]);

async function exported(
  changes: Record<string, Uint8Array | null> = {},
  beside: [string, OpenFile][] = [],
): Promise<Map<string, Uint8Array>> {
  const folder = tinyModelFolder();
  for (const [name, bytes] of Object.entries(changes)) {
    if (bytes === null) folder.delete(name);
    else folder.set(name, bytes);
  }
  const model = await loadModel(filesInMemory('tiny', folder));
  return contents(onnxFolder(model, new Map([['model.onnx', openBytes(ONNX)], ...beside])));
}

const parsed = (files: ReadonlyMap<string, Uint8Array>, name: string): unknown =>
  JSON.parse(new TextDecoder().decode(files.get(name)));

describe('onnxFolder', () => {
  it('holds the graph, configs and tokenizer, and nothing of a training run or another format', async () => {
    const one = new Uint8Array([7]);
    const files = await exported({
      'curve.svg': one,
      'trainer_state.json': one,
      'metrics.jsonl': one,
      LICENSE: one,
      'special_tokens_map.json': one,
    });
    expect([...files.keys()].sort()).toEqual([
      'LICENSE',
      'README.md',
      'config.json',
      'generation_config.json',
      'onnx/model.onnx',
      'special_tokens_map.json',
      'tokenizer.json',
      'tokenizer_config.json',
    ]);
    expect(files.get('onnx/model.onnx')).toEqual(ONNX);
  });

  it('asks transformers.js for full precision and keeps what config.json said', async () => {
    expect(parsed(await exported(), 'config.json')).toMatchObject({
      model_type: 'llama',
      hidden_size: 8,
      'transformers.js_config': { dtype: 'fp32' },
    });
  });

  it('says how many files of data lie beside the graph', async () => {
    const files = await exported({}, [['model.onnx_data', openBytes(ONNX)]]);
    expect(files.get('onnx/model.onnx_data')).toEqual(ONNX);
    expect(parsed(files, 'config.json')).toMatchObject({
      'transformers.js_config': { use_external_data_format: 1 },
    });
  });

  it('names the stop tokens where generation_config.json does not', async () => {
    const given = await exported();
    expect(parsed(given, 'generation_config.json')).toMatchObject({ eos_token_id: [1, 15] });
    const absent = await exported({ 'generation_config.json': null });
    expect(parsed(absent, 'generation_config.json')).toEqual({ eos_token_id: [1], pad_token_id: 1 });
  });

  it('puts a chat template that is a file of its own where transformers.js looks', async () => {
    const { chat_template: _, ...config } = tinyTokenizerConfig;
    const template = '{{ bos_token }}{% for m in messages %}<{{ m.content }}>{% endfor %}';
    const files = await exported({
      'tokenizer_config.json': jsonBytes(config),
      'chat_template.jinja': new TextEncoder().encode(template),
    });
    expect(files.has('chat_template.jinja')).toBe(false);
    expect(parsed(files, 'tokenizer_config.json')).toEqual({ ...config, chat_template: template });
  });
});
