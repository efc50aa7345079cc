/** Names that a person can remember and say, in place of a run's id. */
import { avalanche32, fnv1a32 } from '@rl-playground/base/random';

const KINDS =
  'amber bold brave brief bright brisk calm clear clever cosy crisp dapper eager early fair fleet fond fresh gentle glad golden grand happy hardy hazel humble jolly keen kind lively loyal lucky mellow merry mild misty modest neat nimble noble patient plucky polite prime proud quick quiet rapid ready rosy rustic serene sharp silent silver simple smart snowy sober solid spry steady sunny supple swift tidy tranquil true vivid warm wise witty young'.split(
    ' ',
  );
const ANIMALS =
  'badger beaver bison bittern bobcat buzzard caribou condor cormorant crane curlew deer dipper dolphin dormouse dove eagle egret falcon ferret finch fox gannet gecko goose grouse gull hare harrier hawk heron hoopoe ibex ibis jackdaw jay kestrel kite kiwi lark lemur lizard lynx magpie marten merlin mole moose newt nuthatch orca osprey otter owl panda petrel pika plover puffin quail rabbit raven robin salmon seal shrew skylark sparrow squirrel stork swallow swan swift tern thrush toad trout turtle vole walrus weasel whale wren'.split(
    ' ',
  );

/** The name for a run's id, from `adjective-animal-1` to `-99`. An id has the same name everywhere; two of 20 runs share one about once in 3,000 times. */
export function runName(run: string): string {
  const hash = avalanche32(fnv1a32(run));
  const kind = KINDS[hash % KINDS.length] ?? '';
  const rest = Math.floor(hash / KINDS.length);
  const animal = ANIMALS[rest % ANIMALS.length] ?? '';
  return `${kind}-${animal}-${1 + (Math.floor(rest / ANIMALS.length) % 99)}`;
}

/** The time when a run began, by its id, in milliseconds since 1970; 0 for an id that does not say it. */
export function runBegan(run: string): number {
  const began = parseInt(run.split('-')[0] ?? '', 36);
  return Number.isFinite(began) ? began : 0;
}

/** An id that no other run has, which says when the run began. */
export function newRunId(now = Date.now()): string {
  // Browsers keep `randomUUID` from pages that came by plain http.
  const [chance = 0] = crypto.getRandomValues(new Uint32Array(1));
  return `${now.toString(36)}-${chance.toString(16).padStart(8, '0')}`;
}
