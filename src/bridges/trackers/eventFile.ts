/** TensorBoard's event files: records in TFRecord's framing, each an `Event` message. */
import { parse } from 'protobufjs';
import { crc32c } from '@rl-playground/engine/parts';
import type { Ending, Setting } from './tracker.ts';

/**
 * The parts that are written here of TensorFlow's event.proto, summary.proto and tensor.proto, of the hparams plugin's plugin_data.proto, and
 * of google.protobuf.Value.
 */
const { root } = parse(`
syntax = "proto2";
message Event {
  optional double wallTime = 1; optional int64 step = 2;
  oneof what { string fileVersion = 3; Summary summary = 5; }
}
message Summary { repeated Value value = 1; }
message Value {
  optional string tag = 1; optional Metadata metadata = 9;
  oneof value { float simpleValue = 2; Tensor tensor = 8; }
}
message Metadata { optional PluginData pluginData = 1; optional int32 dataClass = 4; }
message PluginData { optional string pluginName = 1; optional bytes content = 2; }
message Tensor { optional int32 dtype = 1; optional Shape shape = 2; repeated string stringVal = 8; }
message Shape { repeated Dimension dim = 2; }
message Dimension { optional int64 size = 1; }
message HParams { optional SessionStart sessionStart = 3; optional SessionEnd sessionEnd = 4; }
message SessionStart { map<string, Hyperparameter> hparams = 1; optional double startTime = 5; }
message SessionEnd { optional int32 status = 1; optional double endTime = 2; }
message Hyperparameter { oneof kind { double numberValue = 2; string stringValue = 3; bool booleanValue = 4; } }
`);
const eventType = root.lookupType('Event');
const hparamsType = root.lookupType('HParams');

const DT_FLOAT = 1;
const DT_STRING = 7;
const DATA_CLASS_TENSOR = 2;

/** TFRecord's sum: rotated right by 15 bits and moved by a constant, because a sum over data that holds its own sum is weak. */
export function maskedCrc32c(bytes: Uint8Array): number {
  const sum = crc32c(bytes);
  return (((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0;
}

/** The length (8 bytes), its sum (4), the data, its sum (4); all little-endian. */
export function record(data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(data.length + 16);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(data.length), true);
  view.setUint32(8, maskedCrc32c(bytes.subarray(0, 8)), true);
  bytes.set(data, 12);
  view.setUint32(12 + data.length, maskedCrc32c(data), true);
  return bytes;
}

/** An event at a moment, in seconds since 1970. */
const event = (wallTime: number, step: number, fields: object): Uint8Array =>
  record(eventType.encode({ wallTime, step, ...fields }).finish());

/** The first record of every file. */
export const versionEvent = (seconds: number): Uint8Array =>
  event(seconds, 0, { fileVersion: 'brain.Event:2' });

/** The scalars of one step, each by its tag; a value is kept in 32 bits. */
export function scalarsEvent(
  seconds: number,
  step: number,
  values: Iterable<readonly [name: string, value: number]>,
): Uint8Array {
  const value = Array.from(values, ([tag, simpleValue]) => ({ tag, simpleValue }));
  return event(seconds, step, { summary: { value } });
}

/** A value that a plugin of TensorBoard reads: the plugin's own message, and a tensor of `stringVal` beside it. */
function pluginEvent(
  seconds: number,
  tag: string,
  pluginData: { readonly pluginName: string; readonly content: Uint8Array },
  stringVal: readonly string[],
): Uint8Array {
  const metadata = { pluginData, dataClass: DATA_CLASS_TENSOR };
  const dtype = stringVal.length > 0 ? DT_STRING : DT_FLOAT;
  const tensor = { dtype, shape: { dim: [{ size: stringVal.length }] }, stringVal };
  return event(seconds, 0, { summary: { value: [{ tag, metadata, tensor }] } });
}

/** A text in Markdown, in TensorBoard's Text tab. */
export const textEvent = (seconds: number, name: string, text: string): Uint8Array =>
  pluginEvent(seconds, `${name}/text_summary`, { pluginName: 'text', content: new Uint8Array() }, [text]);

const hparamsEvent = (seconds: number, name: string, message: object): Uint8Array =>
  pluginEvent(
    seconds,
    `_hparams_/${name}`,
    { pluginName: 'hparams', content: hparamsType.encode(message).finish() },
    [],
  );

/** The run's settings, in the HParams tab. */
export function sessionStartEvent(seconds: number, settings: ReadonlyMap<string, Setting>): Uint8Array {
  const entries = [...settings].map(([name, value]) => [name, { [`${typeof value}Value`]: value }]);
  const hparams: unknown = Object.fromEntries(entries);
  return hparamsEvent(seconds, 'session_start_info', { sessionStart: { hparams, startTime: seconds } });
}

/** The end of the run, in the HParams tab. */
export function sessionEndEvent(seconds: number, ending: Ending): Uint8Array {
  const status = ending === 'finished' ? 1 : 2;
  return hparamsEvent(seconds, 'session_end_info', { sessionEnd: { status, endTime: seconds } });
}
