/** The results of benchmarks of visitors' machines. `benchmarkInPage.ts` measures; it has a door of its own, because it loads the engine. */
export {
  ANSWER_TOKENS,
  benchmarkOfLinked,
  FIGURE_NAMES,
  FIGURES,
  linkedBenchmark,
  ROWS,
  type BenchmarkResult,
  type Figure,
  type FigureName,
} from './benchmarkResult.ts';
export { BUSY } from './timing.ts';
