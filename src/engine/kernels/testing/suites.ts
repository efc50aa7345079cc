/** The tests of all ops. They hold for every backend, so the runners beside `index.ts` differ only in what they start. */
import { adamwStepSuite } from '../adamwStep/adamwStep.suite.ts';
import { cacheAttentionSuite } from '../cacheAttention/cacheAttention.suite.ts';
import { columnSumsSuite } from '../columnSums/columnSums.suite.ts';
import { embeddingSuite } from '../embedding/embedding.suite.ts';
import { frozenMatrixSuite } from '../frozenMatrix/frozenMatrix.suite.ts';
import { gatedUnitSuite } from '../gatedUnit/gatedUnit.suite.ts';
import { gemmSuite } from '../gemm/gemm.suite.ts';
import { headRotationSuite } from '../headRotation/headRotation.suite.ts';
import { mergeColumnsSuite } from '../mergeColumns/mergeColumns.suite.ts';
import { memorySuite } from './memory.suite.ts';
import { selfTestSuite } from './selfTest.suite.ts';
import { rmsNormSuite } from '../rmsNorm/rmsNorm.suite.ts';
import {
  FEW_SELF_ATTENTION_CASES,
  SELF_ATTENTION_CASES,
  selfAttentionSuite,
} from '../selfAttention/selfAttention.suite.ts';
import { squaredNormSuite } from '../squaredNorm/squaredNorm.suite.ts';
import { sumCopiesSuite } from '../sumCopies/sumCopies.suite.ts';
import { takeColumnsSuite } from '../takeColumns/takeColumns.suite.ts';
import { takeRowsSuite } from '../takeRows/takeRows.suite.ts';
import { tokenLogprobsSuite } from '../tokenLogprobs/tokenLogprobs.suite.ts';
import { zerosSuite } from '../zeros/zeros.suite.ts';

/**
 * Registers the tests of all ops. `every` tests attention with all sizes of heads, whose unrolled kernels take a software adapter up to
 * 18 seconds to compile, and products, rotations and norms of all shapes; otherwise one case of each way to compute them.
 */
export function allSuites(every = true): void {
  adamwStepSuite();
  cacheAttentionSuite();
  columnSumsSuite();
  embeddingSuite();
  frozenMatrixSuite();
  gatedUnitSuite();
  gemmSuite(every);
  headRotationSuite(every);
  memorySuite();
  mergeColumnsSuite();
  rmsNormSuite(every);
  selfAttentionSuite(every ? SELF_ATTENTION_CASES : FEW_SELF_ATTENTION_CASES);
  selfTestSuite();
  squaredNormSuite();
  sumCopiesSuite();
  takeColumnsSuite();
  takeRowsSuite();
  tokenLogprobsSuite();
  zerosSuite();
}
