import { checkPositive } from '../../../src/check/refusal.ts';
import type { PlainRequest, Protocol, PublicParameters } from '../../../src/core/contract.ts';
import { digestOf, type Grade } from '../../../src/core/request.ts';
import { certificate } from '../../../src/privacy/certificate.ts';
import { pure } from '../../../src/privacy/guarantee.ts';
import { bits } from '../../../src/random/random.ts';

/** Parameters of the made-up protocol `coin`. */
export interface CoinParameters extends PublicParameters {
  readonly epsilon: number;
}

/** Parameters that remember what they were asked for; a note in the request does not count. */
export function coinParameters(request: PlainRequest): CoinParameters {
  const epsilon = checkPositive('epsilon', request.epsilon);
  const grade = (request.grade ?? 'simulation') as Grade;
  const asked = { epsilon, ...(grade === 'deployment' ? { grade } : {}) };
  const base = { protocol: 'coin', variant: 'coin', version: 1 };
  return { ...base, digest: digestOf({ ...base, ...asked }), grade, epsilon, request };
}

/** A made-up protocol: randomized response on one bit. What it throws quotes the datum, as no protocol of the package does. */
export const coin: Protocol<CoinParameters, number, number, { sum: number }, number> = {
  name: 'coin',
  player: {
    randomize({ epsilon }, datum, random) {
      if (datum !== 0 && datum !== 1) throw new RangeError(`"datum" expected a bit, got ${datum}`);
      return bits(random) < 2 ** 32 / (1 + Math.exp(epsilon)) ? 1 - datum : datum;
    },
    randomizeInto() {
      throw new Error('a number cannot be written over');
    },
    clip: (_, datum) => (datum === 1 ? 1 : 0),
  },
  report: {
    encode: (_, report) => Uint8Array.of(report),
    decode: (_, bytes) => bytes[0],
  },
  server: {
    empty: () => ({ sum: 0 }),
    add(_, tally, report) {
      tally.sum += report;
    },
    merge(_, tally, other) {
      tally.sum += other.sum;
    },
    estimate: (_, { sum }) => sum,
  },
  theory: {
    guarantee: ({ epsilon }) => pure(epsilon),
    certificate({ protocol, variant, epsilon }) {
      const guarantee = pure(epsilon);
      const release = {
        what: 'the bit',
        count: 1,
        mechanism: 'randomized response',
        sensitivity: 1,
        scale: 1,
        guarantee,
      };
      return certificate({ protocol, variant, releases: [release], claimed: guarantee });
    },
    neighbourDistance: () => 1,
  },
  make: coinParameters,
};
