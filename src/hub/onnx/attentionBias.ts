/** Who may look at whom: no position ahead, no padding. */
import type { GraphBuilder } from './graphBuilder.ts';

/** Finite, so that a row of padding, which has nothing to look at, stays free of NaN. */
const MASKED = -1e9;

const BOOL = 9;

/** Adds the nodes of [batch, 1, sequence, total]: 0 where a query may look, a large negative number elsewhere. */
export function attentionBias(graph: GraphBuilder): string {
  const lengthOf = (name: string, input: string): string => {
    const axis = { start: { int: 1 }, end: { int: 2 } };
    const vector = graph.op(`${name}.vector`, 'Shape', [input], axis);
    return graph.op(name, 'Squeeze', [vector, graph.integers([0])]);
  };
  const total = lengthOf('total_length', 'attention_mask');
  const past = graph.op('past_length', 'Sub', [total, lengthOf('new_length', 'input_ids')]);
  const one = graph.integer(1);
  const keys = graph.op('key_positions', 'Range', [graph.integer(0), total, one]);
  const queries = graph.op('query_positions', 'Range', [past, total, one]);
  const queryRows = graph.op('query_rows', 'Unsqueeze', [queries, graph.integers([1])]);
  const causal = graph.op('causal', 'LessOrEqual', [keys, queryRows]);
  const tokens = graph.op('tokens', 'Cast', ['attention_mask'], { to: { int: BOOL } });
  const tokenColumns = graph.op('token_columns', 'Unsqueeze', [tokens, graph.integers([1, 2])]);
  const allowed = graph.op('allowed', 'And', [causal, tokenColumns]);
  return graph.op('attention_bias', 'Where', [allowed, graph.number(0), graph.number(MASKED)]);
}
