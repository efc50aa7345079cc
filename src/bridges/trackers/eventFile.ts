/**
 * TensorBoard's event files: records of TFRecord's framing, each an `Event` message. The fields are those of TensorFlow's event.proto,
 * summary.proto and tensor.proto, and of the hparams plugin's plugin_data.proto; this file has only those that it writes.
 */
import { Writer } from 'protobufjs/minimal.js';
import { crc32c } from '@rl-playground/engine/parts';

/** TFRecord's sum: rotated right by 15 bits and moved by a constant, because a sum over data that holds its own sum is weak. */
export function maskedCrc32c(bytes: Uint8Array): number {
  const sum = crc32c(bytes);
  return (((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0;
}

/** A record: length (8 bytes), its sum (4), the data, its sum (4), all little-endian. */
export function record(data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(data.length + 16);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(data.length), true);
  view.setUint32(8, maskedCrc32c(bytes.subarray(0, 8)), true);
  bytes.set(data, 12);
  view.setUint32(12 + data.length, maskedCrc32c(data), true);
  return bytes;
}

const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;
const tag = (field: number, type: number): number => ((field << 3) | type) >>> 0;

const DT_FLOAT = 1;
const DT_STRING = 7;
const DATA_CLASS_TENSOR = 2;

/** A field that is a message. */
function nested(writer: Writer, field: number, write: (inside: Writer) => void): Writer {
  writer.uint32(tag(field, BYTES)).fork();
  write(writer);
  return writer.ldelim();
}

/** Writes an event. `seconds` are counted since 1970. */
function event(seconds: number, step: number, write: (writer: Writer) => void): Uint8Array {
  const writer = Writer.create();
  writer.uint32(tag(1, FIXED_64)).double(seconds).uint32(tag(2, VARINT)).int64(step);
  write(writer);
  return record(writer.finish());
}

/** The first record of every file. */
export function versionEvent(seconds: number): Uint8Array {
  return event(seconds, 0, (writer) => writer.uint32(tag(3, BYTES)).string('brain.Event:2'));
}

/** The scalars of one step, each by its tag. A value is kept in 32 bits. */
export function scalarsEvent(
  seconds: number,
  step: number,
  values: Iterable<readonly [name: string, value: number]>,
): Uint8Array {
  return event(seconds, step, (writer) =>
    nested(writer, 5, (summary) => {
      for (const [name, value] of values)
        nested(summary, 1, (inside) =>
          inside.uint32(tag(1, BYTES)).string(name).uint32(tag(2, FIXED_32)).float(value),
        );
    }),
  );
}

/** A value that a plugin of TensorBoard reads. `content` is the plugin's own message; `tensor` writes the tensor beside it. */
function pluginEvent(
  seconds: number,
  { name, plugin, content }: { readonly name: string; readonly plugin: string; readonly content: Uint8Array },
  tensor: (writer: Writer) => void,
): Uint8Array {
  return event(seconds, 0, (writer) =>
    nested(writer, 5, (summary) =>
      nested(summary, 1, (value) => {
        value.uint32(tag(1, BYTES)).string(name);
        nested(value, 9, (metadata) => {
          nested(metadata, 1, (data) =>
            data.uint32(tag(1, BYTES)).string(plugin).uint32(tag(2, BYTES)).bytes(content),
          );
          metadata.uint32(tag(4, VARINT)).int32(DATA_CLASS_TENSOR);
        });
        nested(value, 8, tensor);
      }),
    ),
  );
}

/** A text in Markdown, in TensorBoard's Text tab. */
export function textEvent(seconds: number, name: string, text: string): Uint8Array {
  const about = { name: `${name}/text_summary`, plugin: 'text', content: new Uint8Array() };
  return pluginEvent(seconds, about, (tensor) => {
    tensor.uint32(tag(1, VARINT)).int32(DT_STRING);
    nested(tensor, 2, (shape) => nested(shape, 2, (size) => size.uint32(tag(1, VARINT)).int64(1)));
    tensor.uint32(tag(8, BYTES)).string(text);
  });
}

/** A message of the hparams plugin; the tensor beside it is empty. */
function hparamsEvent(seconds: number, name: string, write: (data: Writer) => void): Uint8Array {
  const data = Writer.create();
  write(data);
  const about = { name: `_hparams_/${name}`, plugin: 'hparams', content: data.finish() };
  return pluginEvent(seconds, about, (tensor) => {
    tensor.uint32(tag(1, VARINT)).int32(DT_FLOAT);
    nested(tensor, 2, (shape) => nested(shape, 2, (size) => size.uint32(tag(1, VARINT)).int64(0)));
  });
}

export type Hyperparameter = string | number | boolean;

/** Writes a google.protobuf.Value. */
function writeValue(writer: Writer, value: Hyperparameter): void {
  if (typeof value === 'number') writer.uint32(tag(2, FIXED_64)).double(value);
  else if (typeof value === 'string') writer.uint32(tag(3, BYTES)).string(value);
  else writer.uint32(tag(4, VARINT)).bool(value);
}

/** The run's settings, in the HParams tab. */
export function sessionStartEvent(
  seconds: number,
  settings: ReadonlyMap<string, Hyperparameter>,
): Uint8Array {
  return hparamsEvent(seconds, 'session_start_info', (data) =>
    nested(data, 3, (start) => {
      for (const [name, value] of settings)
        nested(start, 1, (entry) => {
          entry.uint32(tag(1, BYTES)).string(name);
          nested(entry, 2, (inside) => writeValue(inside, value));
        });
      start.uint32(tag(5, FIXED_64)).double(seconds);
    }),
  );
}

const STATUS = { finished: 1, failed: 2 } as const;

/** The event of the run's end. */
export function sessionEndEvent(seconds: number, status: keyof typeof STATUS): Uint8Array {
  return hparamsEvent(seconds, 'session_end_info', (data) =>
    nested(data, 4, (end) =>
      end.uint32(tag(1, VARINT)).int32(STATUS[status]).uint32(tag(2, FIXED_64)).double(seconds),
    ),
  );
}
