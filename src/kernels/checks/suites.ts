/** The tests of all ops. They hold for every backend, so the runners beside `index.ts` differ only in what they start. */
import { adamwSuite } from '../adamw/adamw.suite.ts';
import { attentionSuite } from '../attention/attention.suite.ts';
import { cacheAttentionSuite } from '../cacheAttention/cacheAttention.suite.ts';
import { decodeAttentionSuite } from '../decodeAttention/decodeAttention.suite.ts';
import { embeddingSuite } from '../embedding/embedding.suite.ts';
import { gatedUnitSuite } from '../gatedUnit/gatedUnit.suite.ts';
import { gemmSuite } from '../gemm/gemm.suite.ts';
import { blockGradientsSuite } from './blockGradients.suite.ts';
import { memorySuite } from './memory.suite.ts';
import { selfTestSuite } from './selfTest.suite.ts';
import { rmsNormSuite } from '../rmsNorm/rmsNorm.suite.ts';
import { ropeSuite } from '../rope/rope.suite.ts';
import { selfAttentionSuite } from '../selfAttention/selfAttention.suite.ts';
import { squaredNormSuite } from '../squaredNorm/squaredNorm.suite.ts';
import { swigluSuite } from '../swiglu/swiglu.suite.ts';
import { tokenLogprobsSuite } from '../tokenLogprobs/tokenLogprobs.suite.ts';

export function allSuites(): void {
  adamwSuite();
  attentionSuite();
  blockGradientsSuite();
  cacheAttentionSuite();
  decodeAttentionSuite();
  embeddingSuite();
  gatedUnitSuite();
  gemmSuite();
  memorySuite();
  rmsNormSuite();
  ropeSuite();
  selfAttentionSuite();
  selfTestSuite();
  squaredNormSuite();
  swigluSuite();
  tokenLogprobsSuite();
}
