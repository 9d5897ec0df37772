import { createLedger, deployedPlayer, guaranteeCap, memoryStore } from 'ldpkit';
import { hinge } from 'ldpkit/protocols/hinge';
import { liftedHinge, sampledHinge } from 'ldpkit/protocols/hinge/player';
import type { Parameters } from './tasks.ts';

/** A part of a report: its bytes from `from` to `to` − 1, and what they mean. */
export interface Part {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly meaning: string;
}

/** The bytes of one person's only report, from a device that believes a request and a digest and nothing else. */
export function deviceReport(parameters: Parameters, datum: unknown): Uint8Array {
  const { request, digest, variant } = parameters;
  // A new device, whose owner allows this collection once.
  const ledger = createLedger({ cap: guaranteeCap(hinge.theory.guarantee(parameters)), store: memoryStore() });
  const agreed = { request: request!, digest };
  const player = variant === 'lifted' ? liftedHinge : variant === 'sampled' ? sampledHinge : hinge;
  return deployedPlayer(player, agreed, { ledger }).report(datum);
}

const KINDS: Readonly<Record<number, string>> = {
  4: 'single-precision numbers',
  5: 'whole numbers with a sign, 32 bits',
  6: 'whole numbers, 32 bits',
  8: 'double-precision numbers',
};

/**
 * The parts of a report, in their order, without a gap.
 *
 * @throws ReportError for bytes that the server would refuse.
 */
export function partsOf(parameters: Parameters, bytes: Uint8Array): readonly Part[] {
  const { values } = hinge.report.decode(parameters, bytes);
  const letters = bytes[7];
  const parts: Part[] = [];
  const add = (name: string, length: number, meaning: string) => {
    const from = parts.at(-1)?.to ?? 0;
    parts.push({ name, from, to: from + length, meaning });
  };
  add('magic', 4, 'the letters LDPK: this is a report');
  add('frame', 1, `version ${bytes[4]} of this frame`);
  add('version', 1, `version ${bytes[5]} of the protocol and of its law`);
  add('kind', 1, `the numbers below are ${KINDS[bytes[6]]}`);
  add('length', 1, `the name of the protocol has ${letters} letters`);
  add('name', letters, `the protocol: ${String.fromCharCode(...bytes.subarray(8, 8 + letters))}`);
  add('digest', 16, 'a fingerprint of everything that was agreed; another agreement, another fingerprint');
  add('count', 4, `${values.length} numbers follow, the lowest byte of each first`);
  for (const [name, length, meaning] of numbersOf(parameters, values)) add(name, 4 * length, meaning);
  return parts;
}

type Numbers = readonly (readonly [name: string, length: number, meaning: string])[];

function numbersOf({ variant }: Parameters, values: ArrayLike<number>): Numbers {
  if (variant === 'gaussian') {
    return Array.from({ length: values.length }, (_, j) => [
      `number ${j + 1}`,
      1,
      `${values[j]}: coordinate ${j + 1} of y·x on a grid, plus exact discrete Gaussian noise`,
    ]);
  }
  const powers = variant === 'sampled';
  const seed = values.length - (powers ? 2 : 1);
  return [
    ['seed', seed, 'public random numbers, drawn without a look at the record: they stand for a few random directions'],
    ['choice', 1, `${values[seed]}: the number of one of these directions. Only this depends on the person, at random`],
    ...(powers
      ? ([
          ['power', 1, `${values[seed + 1]}: which power of y·x the direction is about, drawn without a look at it`],
        ] as const)
      : []),
  ];
}
