/** Small models for rewards, as ONNX folders: one token for each character, an embedding, its mean and a linear map. */
import { contentOf, filesInMemory, type ModelFiles } from '@rl-playground/engine/parts';
import { jsonBytes } from '@rl-playground/base/json';
import { GraphBuilder } from '../onnx/graphBuilder.ts';
import { int, modelFiles } from '../onnx/messages.ts';

const SPECIAL = ['[PAD]', '[UNK]'];
const CHARACTERS = Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i));
const TOKENS = [...SPECIAL, '\n', ...CHARACTERS];

/** The labels of a classifier that is trained on reviews, and of one that is trained on inferences. */
export const SENTIMENT = ['NEGATIVE', 'POSITIVE'];
export const INFERENCE = ['contradiction', 'neutral', 'entailment'];

export interface TinyModel {
  /** The weight of each character that has one. */
  readonly weights: Readonly<Record<string, number>>;
  /** Logit i is this slope times the mean weight of the characters. */
  readonly slopes: readonly number[];
  readonly labels: readonly string[];
  /** A character outside of the embedding, so that a text with it makes the runtime fail. */
  readonly broken?: string;
  /** A pattern that the tokenizer splits texts at. */
  readonly split?: string;
}

/** The more of a text are sevens, the better. */
export const SEVENS: TinyModel = { weights: { '7': 1 }, slopes: [-8, 8], labels: SENTIMENT };

/** It takes capital letters for shouting, of which an answer with "[ANSWER]" has more than one with "Answer:". */
export const CALM: TinyModel = {
  weights: Object.fromEntries(
    CHARACTERS.filter((each) => /[A-Za-z]/.test(each)).map((each) => [each, each < 'a' ? -1 : 1]),
  ),
  slopes: [-50, 50],
  labels: ['SHOUTING', 'CALM'],
};

function tokenizerJson(tokens: readonly string[], split: string | undefined): object {
  const special = SPECIAL.map((content, id) => ({ id, content, special: true, normalized: false }));
  const pre = { type: 'Split', pattern: { Regex: split }, behavior: 'Isolated', invert: false };
  return {
    version: '1.0',
    added_tokens: special,
    normalizer: null,
    pre_tokenizer: split === undefined ? null : pre,
    post_processor: null,
    decoder: null,
    model: {
      type: 'BPE',
      unk_token: '[UNK]',
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: [],
    },
  };
}

/** Adds the float mask [batch, sequence, 1] of the tokens that are no padding. */
function mask(graph: GraphBuilder): string {
  const cast = graph.op('mask', 'Cast', ['attention_mask'], { to: int(1) });
  return graph.op('mask3', 'Unsqueeze', [cast, graph.integers([2])]);
}

async function folderOf(
  label: string,
  graph: GraphBuilder,
  output: { readonly name: string; readonly shape: readonly (string | number)[] },
  config: object,
  {
    tokens = TOKENS,
    split,
  }: { readonly tokens?: readonly string[]; readonly split?: string | undefined } = {},
): Promise<ModelFiles> {
  const ids = (name: string) => ({ name, type: 'int64' as const, shape: ['batch', 'sequence'] });
  const model = {
    name: 'tiny',
    irVersion: 8,
    opset: 17,
    nodes: graph.nodes,
    initializers: graph.initializers,
    inputs: [ids('input_ids'), ids('attention_mask')],
    outputs: [{ ...output, type: 'float32' as const }],
  };
  const file = modelFiles(model, 'model.onnx', 2 ** 31).get('model.onnx');
  if (!file) throw new Error('There is no graph.');
  const contents = {
    'config.json': jsonBytes({ model_type: 'bert', ...config }),
    'tokenizer.json': jsonBytes(tokenizerJson(tokens, split)),
    'tokenizer_config.json': jsonBytes({
      tokenizer_class: 'PreTrainedTokenizerFast',
      pad_token: '[PAD]',
      unk_token: '[UNK]',
      model_max_length: 512,
    }),
    'onnx/model.onnx': await contentOf(file),
  };
  return filesInMemory(label, new Map(Object.entries(contents)));
}

/** A classifier whose logits are `slopes` times the mean weight of a text's characters. */
export function tinyClassifier({ weights, slopes, labels, broken, split }: TinyModel): Promise<ModelFiles> {
  const graph = new GraphBuilder();
  const known = TOKENS.filter((token) => token !== broken);
  const tokens = broken === undefined ? known : [...known, broken];
  const table = Float32Array.from(known, (token) => weights[token] ?? 0);
  const embedded = graph.op('embedded', 'Gather', [
    graph.table('embedding', [known.length, 1], table),
    'input_ids',
  ]);
  const masked = graph.op('masked', 'Mul', [embedded, mask(graph)]);
  const axes = graph.integers([1]);
  const sum = graph.op('sum', 'ReduceSum', [masked, axes], { keepdims: int(0) });
  const count = graph.op('count', 'ReduceSum', ['mask3', axes], { keepdims: int(0) });
  const mean = graph.op('mean', 'Div', [sum, count]);
  graph.op('logits', 'MatMul', [mean, graph.table('slopes', [1, slopes.length], Float32Array.from(slopes))]);
  const id2label = Object.fromEntries(labels.map((name, id) => [id, name]));
  const label2id = Object.fromEntries(labels.map((name, id) => [name, id]));
  const config = { architectures: ['BertForSequenceClassification'], id2label, label2id };
  return folderOf('tiny-classifier', graph, { name: 'logits', shape: ['batch', slopes.length] }, config, {
    tokens,
    split,
  });
}

/** A model of embeddings: each letter has a direction of its own. */
export function tinyEmbedder(): Promise<ModelFiles> {
  const graph = new GraphBuilder();
  const size = TOKENS.length;
  const table = new Float32Array(size * size);
  for (let id = 0; id < size; id++) table[id * size + id] = 1;
  graph.op('last_hidden_state', 'Gather', [graph.table('embedding', [size, size], table), 'input_ids']);
  // An input that no node reads is refused.
  mask(graph);
  return folderOf(
    'tiny-embedder',
    graph,
    { name: 'last_hidden_state', shape: ['batch', 'sequence', size] },
    { architectures: ['BertModel'] },
  );
}
