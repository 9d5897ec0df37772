import type { Json } from '../../src/core/request.ts';
import { altered, type Control, type Numbers, power, times } from './controls.ts';
import type { Change } from './run.ts';

const onAxis =
  (axis: string) =>
  (setting: Numbers): boolean =>
    setting.axis === axis;

/** Squared errors times x to a power, in the cells where x grows: the slope is off by half of it. */
const steeper = (axis: string, field: string, exponent: number): Change =>
  altered((chunk, setting) => ({ squared: times(chunk.squared, power(setting, field, exponent)) }), onAxis(axis));

/** Attacks that find out more than μ allows: nothing is missed and there is no false alarm. */
const certain = altered(({ first, runs }) => ({
  first: (first as number[]).map(() => runs as number),
  second: (first as number[]).map(() => 0),
}));

/** Attacks that find out nothing. */
const blind = altered(({ first }) => ({ second: first as Json }));

/** Noise of one kind of release that is off by a factor: its squares by the square of that. */
export const noisier = (release: string, factor: number): Change =>
  altered(
    ({ squares }) => ({ squares: (squares as number) * factor ** 2 }),
    (setting) => setting.release === release,
  );

/** All chunks of a cell times a factor, in some fields. */
const scaled = (factor: number, ...fields: readonly string[]): Change =>
  altered((chunk) => Object.fromEntries(fields.map((field) => [field, times(chunk[field], factor)])));

/** What is expected by hand, times p to the power −½, in the cells where p grows: the slope is off by a quarter. */
const byHand = (axis: string): Change =>
  altered(({ expected }, setting) => ({ expected: times(expected, power(setting, 'dimension', -0.5)) }), onAxis(axis));

/** The controls of the validations that both algorithms have, by what comes after the name of the algorithm. */
const SHARED: Readonly<Record<string, readonly Control[]>> = {
  privacy: [
    ['attacks that are never wrong', 'an attack proves at most', certain],
    ['attacks that find out nothing', 'and at least', blind],
    ['controls that nobody finds out', 'control, ', blind],
    [
      'a Hessian with noise that is 5 % too small',
      'noise of the Hessian of the sandwich',
      noisier('sandwich-hessian', 0.95),
    ],
    [
      'scores with noise that is 5 % too large',
      'noise of the scores of the sandwich',
      noisier('sandwich-scores', 1.05),
    ],
  ],
  'privacy-error': [
    ['an error like n^−¾', '‖θ⁽ᴷ⁾ − θ̂‖ in n', steeper('records', 'records', 0.5)],
    ['an error like μ^−¾', '‖θ⁽ᴷ⁾ − θ̂‖ in μ', steeper('mu', 'mu', 0.5)],
    ['an error like K^¾', '‖θ⁽ᴷ⁾ − θ̂‖ in K', steeper('steps', 'steps', 0.5)],
    ['a quarter less of p', 'over that by hand in p: ', steeper('dimension', 'dimension', -0.5)],
    ['a half more of p', 'over that by hand in p, features', steeper('unscaled', 'dimension', 1)],
    ['noise that is a quarter too large', 'constant included', scaled(1.25 ** 2, 'squared')],
    ['noise for half of the sensitivity', 'constant included', scaled(0.25, 'squared')],
    ['a function with another constant', 'of a plan is that by hand', scaled(1.01, 'claimed')],
    ['a quarter less of p by hand', 'slope by hand in p', byHand('dimension')],
    ['a quarter less of p by hand', 'in p, features as they are', byHand('unscaled')],
  ],
  normality: [
    ['intervals that miss another twentieth', 'coverage of private', scaled(0.95, 'covered')],
    ['ellipsoids that miss another tenth', 'coverage of the private', scaled(0.9, 'joint')],
    [
      'ellipsoids that miss nothing',
      'coverage of the private',
      altered((p) => ({ joint: (p.joint as Json[]).map(() => 1) })),
    ],
    ['one and a half of the variance', 'mean squared error', scaled(1.5, 'standardised')],
    ['one and a half of the noise', 'over the variance by noise', scaled(1.5, 'noise')],
    ['two thirds of the noise', 'over the variance by noise', scaled(2 / 3, 'noise')],
    [
      'noise that falls like n^−¾',
      'slope of E‖θ⁽ᴷ⁾ − θ̂‖²',
      altered((p, s) => ({ noise: times(p.noise, power(s, 'records', 0.5)) })),
    ],
    ['a sandwich that is enough', 'the sandwich alone', altered((p) => ({ uncorrected: p.covered ?? [] }))],
  ],
  'optimal-rate': [
    [
      'a part for privacy like n^−¾',
      'slope in n of the part',
      altered((p, s) => ({ privacy: times(p.privacy, power(s, 'records', 0.5)) })),
    ],
    [
      'a part for privacy like ε^−¾',
      'slope in ε of the part',
      altered((p, s) => ({ privacy: times(p.privacy, power(s, 'mu', 0.5)) })),
    ],
    ['twice the noise', 'the part for privacy at', scaled(4, 'privacy')],
    ['half of the noise', 'the part for privacy at', scaled(0.25, 'privacy')],
    // √E‖θ̂ − θ₀‖² is all that is left without noise.
    ['no noise', 'the whole error at', altered((p) => ({ squared: withoutNoise(p.squared, p.privacy) }))],
    ['no noise', 'at least half of the mean squared', altered((p) => ({ privacy: times(p.privacy, 1e-6) }))],
  ],
};

/** Squared errors less their part for privacy, in the mean. */
function withoutNoise(squared: Json, privacy: Json): Json {
  const mean = (values: Json): number =>
    (values as number[]).reduce((sum, value) => sum + value, 0) / (values as number[]).length;
  return times(squared, Math.max(1e-6, 1 - mean(privacy) / mean(squared)));
}

/** The claims without chunks. */
export const COMPUTED = /^the releases of a plan compose to μ/;

/** The controls of an algorithm, after the shared ones. */
export function controlsOf(
  key: string,
  own: Readonly<Record<string, readonly Control[]>>,
): Readonly<Record<string, readonly Control[]>> {
  const shared = Object.entries(SHARED).map(([name, controls]) => {
    const full = `${key}-${name}`;
    return [full, [...controls, ...(own[full] ?? [])]] as const;
  });
  return { ...own, ...Object.fromEntries(shared) };
}
