import { euclideanMedian, euclideanMedianParameters } from '../../protocols/euclidean-median/index.ts';
import { frequency } from '../../protocols/frequency/index.ts';
import { generalizedLinear, generalizedLinearParameters } from '../../protocols/generalized-linear/index.ts';
import { hinge, hingeParameters } from '../../protocols/hinge/index.ts';
import { mean } from '../../protocols/mean/index.ts';
import type { PublicParameters } from '../../src/core/contract.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { type AnyProtocol, spelled } from '../../src/testing/contract/law.ts';

/** What is fuzzed: one set of parameters, and the reports that mutations begin with. */
export interface Trial {
  readonly name: string;
  readonly protocol: AnyProtocol;
  readonly parameters: PublicParameters;
  /** Honest reports. */
  readonly own: readonly Uint8Array[];
  /** Honest reports of other protocols, variants and digests. */
  readonly strangers: readonly Uint8Array[];
  /** Bytes before the values. */
  readonly header: number;
  /** Bytes of a value. */
  readonly size: 4 | 8;
  /** Whether values are integers. */
  readonly integers: boolean;
}

interface Setting {
  readonly protocol: AnyProtocol;
  readonly parameters: PublicParameters;
  readonly datum: unknown;
}

const budget = { epsilon: 1, delta: 1e-6 };
const record = { features: [0.3, -0.4, 0.5], label: -1 };
const point = { point: [0.3, -0.4, 0.5] };

const signed = (protocol: AnyProtocol) => (parameters: PublicParameters) => ({ protocol, parameters, datum: record });
const ofHinge = signed(hinge);
const ofLinear = signed(generalizedLinear);
const ofMedian = (parameters: PublicParameters) => ({ protocol: euclideanMedian, parameters, datum: point });

const ofFrequency = (variant: string) => {
  const request = { variant, epsilon: 1, categories: 5 };
  return { protocol: frequency as AnyProtocol, parameters: frequency.make!(request), datum: 3 };
};
const ofMean = (variant: string) => {
  const request = { variant, epsilon: 1, bounds: Array.from({ length: 3 }, () => [-1, 1]) };
  return { protocol: mean as AnyProtocol, parameters: mean.make!(request), datum: record.features };
};

/** Every variant of every protocol of one report, in every precision. */
const SETTINGS: readonly Setting[] = [
  ...(['printed', 'copies', 'gaussian'] as const).map((variant) =>
    ofHinge(hingeParameters({ variant, ...budget, degree: 1, dimension: 3 })),
  ),
  ofHinge(hingeParameters({ variant: 'lifted', epsilon: 1, degree: 1, dimension: 3 })),
  ofHinge(hingeParameters({ variant: 'sampled', epsilon: 1, degree: 2, dimension: 3 })),
  ofHinge(hingeParameters({ variant: 'sampled', epsilon: 1, degree: 2, dimension: 3, grade: 'deployment' })),
  ofHinge(hingeParameters({ variant: 'direct', epsilon: 1, degree: 2, dimension: 3 })),
  ofHinge(hingeParameters({ variant: 'direct', epsilon: 1, degree: 1, dimension: 3, grade: 'deployment' })),
  ofHinge(hingeParameters({ variant: 'gaussian', epsilon: 1e12, delta: 1e-6, degree: 2, dimension: 3 })),
  ofHinge(hingeParameters({ variant: 'lifted', epsilon: 1, degree: 1, dimension: 3, grade: 'deployment' })),
  ofHinge(hingeParameters({ variant: 'gaussian', ...budget, degree: 1, dimension: 3, grade: 'deployment' })),
  ...(['printed', 'copies'] as const).map((variant) =>
    ofLinear(generalizedLinearParameters({ variant, ...budget, degree: 2, dimension: 3 })),
  ),
  ofLinear(generalizedLinearParameters({ variant: 'gaussian', ...budget, degree: 2, dimension: 3 })),
  ofLinear(generalizedLinearParameters({ variant: 'lifted', epsilon: 2, degree: 1, dimension: 3, task: 'regression' })),
  ofLinear(generalizedLinearParameters({ variant: 'sphericalLaplace', epsilon: 1, dimension: 3 })),
  ofLinear(
    generalizedLinearParameters({ variant: 'lifted', epsilon: 4, degree: 0, dimension: 3, grade: 'deployment' }),
  ),
  ...(['printed', 'copies', 'gaussian'] as const).map((variant) =>
    ofMedian(euclideanMedianParameters({ variant, ...budget, degree: 2, dimension: 3 })),
  ),
  ofMedian(euclideanMedianParameters({ variant: 'lifted', epsilon: 1, degree: 1, dimension: 3 })),
  ofMedian(euclideanMedianParameters({ variant: 'lifted', epsilon: 1, degree: 0, dimension: 3, grade: 'deployment' })),
  ofMedian(euclideanMedianParameters({ variant: 'gaussian', ...budget, degree: 1, dimension: 3, grade: 'deployment' })),
  ...['randomizedResponse', 'hadamardResponse', 'subsetSelection'].map((variant) => ofFrequency(variant)),
  ...['oneBit', 'kClosest'].map(ofMean),
];

function honest({ protocol, parameters, datum }: Setting, count: number): Uint8Array[] {
  const random = seededRandom(`fuzz ${parameters.digest}`);
  return Array.from({ length: count }, () =>
    protocol.report.encode(parameters, protocol.player.randomize(parameters, datum, random)),
  );
}

/** What the seventh byte of a report says of its values. */
const PRECISION: Readonly<Record<number, string>> = { 4: 'float32', 5: 'int32', 6: 'uint32', 8: 'float64' };

/** The trials of a protocol; of all of them without a name. */
export function trials(name?: string): Trial[] {
  const first = SETTINGS.map((setting) => honest(setting, 1)[0]);
  return SETTINGS.flatMap((setting, i) => {
    const { protocol, parameters } = setting;
    if (name !== undefined && protocol.name !== name) return [];
    const own = honest(setting, 8);
    const [code, nameLength] = own[0].subarray(6, 8);
    const precision = PRECISION[code];
    const size = precision === 'float64' ? 8 : 4;
    const { variant, grade } = parameters;
    return [
      {
        name: `${protocol.name} ${variant}, ${grade ?? 'simulation'}, ${precision}`,
        protocol,
        parameters,
        own,
        strangers: first.filter((_, other) => other !== i),
        header: 28 + nameLength,
        size,
        integers: precision.endsWith('int32'),
      } satisfies Trial,
    ];
  });
}

/** Whether two tallies hold the same numbers, bit for bit. */
export function sameTally(left: unknown, right: unknown): boolean {
  return spelled(left) === spelled(right);
}
