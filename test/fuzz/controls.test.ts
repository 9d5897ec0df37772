// What the fuzz is for is shown by what it catches: decoders that lack one check each, and a tally that forgets.
import { expect, test } from '@jest/globals';
import { channelOf } from '../../protocols/generalized-linear/margin/channels.ts';
import type { ChannelParameters } from '../../protocols/generalized-linear/margin/parameters.ts';
import { ReportError } from '../../src/check/refusal.ts';
import { createValues, encodeValues, type Precision, receivedBytes, type Values } from '../../src/core/frame.ts';
import type { AnyProtocol } from '../../src/testing/contract/law.ts';
import { fuzz } from './fuzzing.ts';
import { type Trial, trials } from './trial.ts';

const RUNS = 12000;

const CHECKS = [
  'kind',
  'magic',
  'frame version',
  'protocol version',
  'precision',
  'name',
  'digest',
  'count',
  'too short',
  'too long',
  'finite',
  'norm',
  'error',
] as const;

type Check = (typeof CHECKS)[number];

/** Which check a byte of the header belongs to, for a name of this length. */
function partOf(at: number, name: number): Check {
  if (at < 4) return 'magic';
  if (at < 7) return (['frame version', 'protocol version', 'precision'] as const)[at - 4];
  if (at < 8 + name) return 'name';
  return at < 24 + name ? 'digest' : 'count';
}

function refuse(without: Check | undefined): never {
  if (without === 'error') throw new RangeError('refused');
  throw new ReportError('refused');
}

/** A second decoder of the frame, written from its description, that lacks one check, or none. */
function decoder(without?: Check): (parameters: ChannelParameters, given: Uint8Array) => unknown {
  return (parameters, given) => {
    const { protocol, precision, length } = parameters;
    if (without === 'kind' && !(given instanceof Uint8Array)) refuse(without);
    let bytes = given;
    try {
      if (without !== 'kind') bytes = receivedBytes(given);
    } catch {
      refuse(without);
    }
    const values = createValues(precision, length);
    const prescribed = encodeValues(parameters, precision, length, values);
    const size = precision === 'float64' ? 8 : 4;
    const header = prescribed.length - size * length;
    if (bytes.length < prescribed.length && without !== 'too short') refuse(without);
    if (bytes.length > prescribed.length && without !== 'too long') refuse(without);
    for (let at = 0; at < header; at++) {
      if (bytes[at] !== prescribed[at] && partOf(at, protocol.length) !== without) refuse(without);
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = 0; i < length; i++) values[i] = readValue(view, header + size * i, precision);
    if (without !== 'finite' && values.some((value) => !Number.isFinite(value))) refuse(without);
    if (without !== 'norm') limited(parameters, values, without);
    return { values };
  };
}

function limited(parameters: ChannelParameters, values: Values, without: Check | undefined): void {
  try {
    channelOf(parameters)
      .limits()
      .check(without === 'finite' ? values.map((value) => value || 0) : values);
  } catch {
    refuse(without);
  }
}

function readValue(view: DataView, at: number, precision: Precision): number {
  if (precision === 'float32') return view.getFloat32(at, true);
  if (precision === 'float64') return view.getFloat64(at, true);
  return precision === 'int32' ? view.getInt32(at, true) : view.getUint32(at, true);
}

function withProtocol(trial: Trial, change: Partial<AnyProtocol>): Trial {
  return { ...trial, protocol: { ...trial.protocol, ...change } };
}

const sound: Trial = trials('hinge').find(({ parameters }) => parameters.variant === 'gaussian') as Trial;
const { report, server } = sound.protocol;

test.each(trials('hinge'))('$name: a second decoder, with all checks, accepts the same reports', (trial) => {
  const second = withProtocol(trial, { report: { encode: report.encode, decode: decoder() as typeof report.decode } });
  expect(fuzz(second, 4000, 21)).toEqual(fuzz(trial, 4000, 21));
});

test.each([...CHECKS])('a decoder without the check of: %s, is caught', (check) => {
  const decode = decoder(check) as typeof report.decode;
  expect(fuzz(withProtocol(sound, { report: { encode: report.encode, decode } }), RUNS, 20).found).toBeDefined();
});

test('a decoder that keeps a view of the bytes is caught', () => {
  // Behind a header of 33 bytes no value is aligned; behind one of 44 all are.
  const median = trials('euclidean-median').find(({ header, size }) => header % 4 === 0 && size === 4) as Trial;
  const own = median.protocol.report;
  const decode: typeof own.decode = (parameters, given) => {
    const { values } = own.decode(parameters, given);
    const { buffer, byteOffset } = receivedBytes(given);
    const from = byteOffset + median.header;
    return { values: from % 4 === 0 ? new Float32Array(buffer, from, values.length) : values };
  };
  const { found } = fuzz(withProtocol(median, { report: { encode: own.encode, decode } }), RUNS, 20);
  expect(found).toMatch('kept a view of the bytes');
});

test('a decoder that scribbles over the bytes is caught', () => {
  const decode: typeof report.decode = (parameters, bytes) => {
    const decoded = report.decode(parameters, bytes);
    bytes[0] = 0;
    return decoded;
  };
  expect(fuzz(withProtocol(sound, { report: { encode: report.encode, decode } }), RUNS, 20).found).toBeDefined();
});

test('a tally that now and then forgets a report is caught', () => {
  let calls = 0;
  const add: typeof server.add = (parameters, tally, one) => {
    calls++;
    if (calls % 50 !== 0) server.add(parameters, tally, one);
  };
  const { found } = fuzz(withProtocol(sound, { server: { ...server, add } }), RUNS, 20);
  expect(found).toBe('the tally is not that of what was accepted');
});
