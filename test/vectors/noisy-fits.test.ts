import { describe, expect, test } from '@jest/globals';
import type { NoisyFit } from '../../protocols/noisy-gradient-descent/curator.ts';
import { type CentralRecord, descend, descent } from '../../protocols/noisy-gradient-descent/index.ts';
import type { NoisyGradientDescentRequest } from '../../protocols/noisy-gradient-descent/parameters.ts';
import { newton, reweight, reweighted, solve } from '../../protocols/noisy-newton/index.ts';
import type { NoisyNewtonRequest } from '../../protocols/noisy-newton/parameters.ts';
import type { ReweightedRequest } from '../../protocols/noisy-newton/reweighted.ts';
import type { Random } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { difference } from '../../src/testing/contract/law.ts';
import { recorded } from './frozen.ts';

/** A frozen fit, recorded from this package. */
interface FrozenFit {
  readonly request: {
    readonly model: { readonly kind: string; readonly [field: string]: unknown };
    readonly [field: string]: unknown;
  };
  /** Everything in the plan that noise is made of. */
  readonly noise: readonly number[];
  /** θ⁽¹⁾, θ⁽ᴷ⁾, and where there are regions both released matrices and the covariance. */
  readonly fit: readonly number[];
}

/** n. */
const RECORDS = 60;

/** Record i: features on a coarse grid, so that no rounding is in them; a response of the kind that the model takes. */
function frozenRecords(kind: string): CentralRecord[] {
  return Array.from({ length: RECORDS }, (_, i) => {
    const features = [0, 1].map((j) => (((i * (j + 3) * 37) % 101) - 50) / 25);
    const response = 1 + features[0] - features[1] + (((i * 53) % 17) - 8) / 8;
    return { features, response: kind === 'logistic' ? (response > 0 ? 1 : 0) : response };
  });
}

/** What is frozen of a fit. */
function numbersOf({ theta, iterates, region }: NoisyFit): readonly number[] {
  const released = region === undefined ? [] : [...region.hessian, ...region.scores, ...region.covariance];
  return [...iterates[1], ...theta, ...released];
}

/** A protocol: the numbers that the noise of a plan is made of, and its fit to the frozen records. */
interface Fitting {
  noise(request: object): readonly number[];
  fit(request: object, records: readonly CentralRecord[], random: Random): NoisyFit;
}

const gradientDescent: Fitting = {
  noise(request) {
    const { steps, step, noise, sandwich } = descent(request as NoisyGradientDescentRequest);
    return [steps, step, noise, ...Object.values(sandwich ?? {})];
  },
  fit: (request, records, random) => descend(descent(request as NoisyGradientDescentRequest), records, random),
};

const newtonSteps: Fitting = {
  noise(request) {
    const { steps, gradientNoise, hessianNoise, warmUp, sandwich } = newton(request as NoisyNewtonRequest);
    return [steps, gradientNoise, hessianNoise, ...Object.values(warmUp), ...Object.values(sandwich ?? {})];
  },
  fit: (request, records, random) => solve(newton(request as NoisyNewtonRequest), records, random),
};

const weights: Fitting = {
  noise(request) {
    const { steps, early, last, sandwich } = reweighted(request as ReweightedRequest);
    return [steps, early.gradient, early.matrix, last.gradient, last.matrix, ...Object.values(sandwich ?? {})];
  },
  fit: (request, records, random) => reweight(reweighted(request as ReweightedRequest), records, random),
};

describe.each([
  ['noisy-gradient-descent', gradientDescent],
  ['noisy-newton', newtonSteps],
  ['noisy-newton-reweighted', weights],
])('%s', (name, protocol) => {
  const fits = recorded<FrozenFit>(name);
  const fitWith = (seed: string, { request }: FrozenFit): readonly number[] => {
    const asked = { ...request, records: RECORDS, force: true };
    return numbersOf(protocol.fit(asked, frozenRecords(request.model.kind), seededRandom(seed)));
  };

  test.each(fits)('the fit of $request', (stored) => {
    const { request, noise, fit } = stored;
    const now = {
      noise: [...protocol.noise({ ...request, records: RECORDS, force: true })],
      fit: fitWith('frozen', stored),
    };
    // Only where they are apart: all the numbers, so that they can be recorded again.
    const same = difference(now.noise, noise) < 1e-12 && difference(now.fit, fit) < 1e-9;
    expect(same ? { noise, fit } : now).toEqual({ noise, fit });
  });

  test('control: coins of another seed give another fit', () => {
    expect(difference(fitWith('other', fits[0]), fits[0].fit)).toBeGreaterThan(1e-3);
  });
});
