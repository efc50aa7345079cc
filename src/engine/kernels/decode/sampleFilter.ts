/** The index of the settings' word with min-p. */
export const MIN_P_WORD = 5;

/**
 * Top-k, top-p and min-p in WGSL, among the first DRAWABLE ids. Logits in the order of their size are u32 keys. The smallest key that is
 * kept is found bit by bit from the top, by counting (top-k) or weighing (top-p) all keys from a trial value up. Equal keys at the edge
 * are kept in the order of their ids, by the same search over ids. `logit` is the WGSL of the logit of id `v` that is drawn from.
 */
export function filterCode(logit: string): string {
  return /* wgsl */ `
// The keys above \`edge\` are kept, and those equal to it up to id \`lastId\`.
struct Limits { edge: u32, lastId: u32 }

fn keyOf(logit: f32) -> u32 {
  let bits = bitcast<u32>(logit);
  return select(bits | 0x80000000u, ~bits, (bits & 0x80000000u) != 0u);
}
fn logitOf(key: u32) -> f32 {
  return bitcast<f32>(select(~key, key & 0x7fffffffu, (key & 0x80000000u) != 0u));
}
fn isCandidate(logit: f32, id: u32, limits: Limits) -> bool {
  let key = keyOf(logit);
  return key > limits.edge || (key == limits.edge && id <= limits.lastId);
}
fn countFrom(base: u32, edge: u32, lane: u32) -> u32 {
  var count = 0u;
  for (var v = lane; v < DRAWABLE; v += LANES) { count += select(0u, 1u, keyOf(${logit}) >= edge); }
  return countOverLanes(count, lane);
}
fn massFrom(base: u32, edge: u32, highest: f32, temperature: f32, lane: u32) -> f32 {
  var mass = 0.0;
  for (var v = lane; v < DRAWABLE; v += LANES) {
    let logit = ${logit};
    mass += select(0.0, exp(logit / temperature - highest), keyOf(logit) >= edge);
  }
  return sumOverLanes(mass, lane);
}
// The id of the \`wanted\`-th token whose key is \`edge\`.
fn idOfTie(base: u32, edge: u32, wanted: u32, lane: u32) -> u32 {
  var id = 0u;
  for (var bit = 0x80000000u; bit > 0u; bit >>= 1u) {
    if (bit > DRAWABLE) { continue; }
    // Fewer than wanted below the trial: the id is at or above it.
    var below = 0u;
    for (var v = lane; v < DRAWABLE; v += LANES) {
      below += select(0u, 1u, v < id + bit && keyOf(${logit}) == edge);
    }
    if (countOverLanes(below, lane) < wanted) { id += bit; }
  }
  return id;
}
fn filterLimits(base: u32, temperature: f32, lane: u32) -> Limits {
  let topK = settings[1];
  let topP = bitcast<f32>(settings[2]);
  var most = -3.0e38;
  for (var v = lane; v < DRAWABLE; v += LANES) { most = max(most, ${logit} / temperature); }
  let highest = maxOverLanes(most, lane);

  var edge = 0u;
  var ties = DRAWABLE;
  if (topK > 0u && topK < DRAWABLE) {
    for (var bit = 0x80000000u; bit > 0u; bit >>= 1u) {
      if (countFrom(base, edge | bit, lane) >= topK) { edge |= bit; }
    }
    ties = topK - countFrom(base, edge + 1u, lane);
  }
  if (topP < 1.0) {
    let edgeWeight = exp(logitOf(edge) / temperature - highest);
    let above = massFrom(base, edge + 1u, highest, temperature, lane);
    let limited = topK > 0u && topK < DRAWABLE;
    let all = select(massFrom(base, 0u, highest, temperature, lane), above + f32(ties) * edgeWeight, limited);
    let goal = topP * all;
    var nucleus = 0u;
    for (var bit = 0x80000000u; bit > 0u; bit >>= 1u) {
      let trial = nucleus | bit;
      let mass = massFrom(base, trial, highest, temperature, lane);
      // At or below top-k's edge everything that top-k leaves is in, and that is enough.
      if (trial <= edge || mass >= goal) { nucleus = trial; }
    }
    let weight = exp(logitOf(nucleus) / temperature - highest);
    let missing = goal - massFrom(base, nucleus + 1u, highest, temperature, lane);
    let present = select(countFrom(base, nucleus, lane) - countFrom(base, nucleus + 1u, lane), ties, limited && nucleus == edge);
    edge = nucleus;
    ties = clamp(u32(max(ceil(missing / weight), 1.0)), 1u, max(present, 1u));
  }
  let minP = bitcast<f32>(settings[${MIN_P_WORD}]);
  if (minP > 0.0) {
    var largest = -3.0e38;
    for (var v = lane; v < DRAWABLE; v += LANES) { largest = max(largest, ${logit}); }
    let likeliest = maxOverLanes(largest, lane);
    // The likeliest stays, however its own bound is rounded.
    let least = keyOf(min(likeliest + temperature * log(minP), likeliest));
    if (least > edge) { return Limits(least, DRAWABLE); }
  }
  return Limits(edge, idOfTie(base, edge, ties, lane));
}
`;
}
