import { type Random, seededRandom } from 'ldpkit';
import { evaluatePolynomial, radialGradientCorrection } from 'ldpkit/polynomial';
import {
  type copies,
  directionGradient,
  euclideanMedian,
  euclideanMedianParameters,
  gradientVariance,
  integrateDirections,
  type lifted,
  liftedMoments,
  potential,
  productSecondMoment,
  radialRisks,
  stepCoefficients,
} from 'ldpkit/protocols/euclidean-median';

const { player, server } = euclideanMedian;

/** Many reports of one point, each decoded by itself to a gradient estimate at one w. */
export type OracleSetting = {
  /** `printed` and `directions`: algorithm 3 as printed, and with one u; the others with u integrated out. */
  readonly kind: 'printed' | 'directions' | 'lifted' | 'gaussian' | 'copies';
  readonly degree: number;
  readonly reports: number;
};

/** Sums over reports of G, and of ‖G − m‖² and its square, m what is claimed of E G. */
export type OracleChunk = { readonly sums: readonly number[]; readonly squared: number; readonly squares: number };

const POINT = [0.6, -0.5];

const AT = [-0.2, 0.4];

const SQUARED_DISTANCE = 0.8 ** 2 + 0.9 ** 2;

const BETA = 0.3;

/** Q of the estimates with u integrated out. */
const RADIAL = [1.1, -0.4, 0.1];

/** Noise of the order of a point: fourth moments of products of larger noise are beyond any sample. */
function parametersOf({ kind, degree }: OracleSetting): ReturnType<typeof euclideanMedianParameters> {
  const shared = { degree: kind === 'printed' || kind === 'directions' ? degree : 2, dimension: 2 };
  if (kind === 'lifted') return euclideanMedianParameters({ variant: kind, epsilon: 6, ...shared });
  const epsilon = kind === 'printed' ? 200 : kind === 'directions' ? 100 : 60;
  const variant = kind === 'directions' ? 'copies' : kind;
  return euclideanMedianParameters({ variant, epsilon, delta: 1e-3, ...shared });
}

/** The polynomial in r that the mean gradient has in front of w − x. */
function radialOf({ kind, degree }: OracleSetting): Float64Array {
  if (kind !== 'printed' && kind !== 'directions') return Float64Array.from(RADIAL.slice(0, degree + 1));
  return integrateDirections(stepCoefficients(degree, BETA), 2);
}

/** E G of the corrected forms, Q(r)(w − x). */
export function meanOf(setting: OracleSetting): number[] {
  const factor = evaluatePolynomial(radialOf(setting), SQUARED_DISTANCE);
  return AT.map((entry, i) => factor * (entry - POINT[i]));
}

/** E‖G − m‖² in closed form; m = 0 for `printed`. */
export function stated(setting: OracleSetting): number {
  const parameters = parametersOf(setting);
  if (setting.kind === 'printed' || setting.kind === 'directions') {
    const second = productSecondMoment(
      parameters as ReturnType<typeof copies>,
      stepCoefficients(setting.degree, BETA),
      SQUARED_DISTANCE,
    );
    return setting.kind === 'printed' ? second : second - meanOf(setting).reduce((sum, entry) => sum + entry ** 2, 0);
  }
  return gradientVariance(parameters as Parameters<typeof gradientVariance>[0], {
    coefficients: radialOf(setting),
    w: AT,
    point: POINT,
  });
}

/** The gradient estimates of one chunk. */
export function oracleChunk(setting: OracleSetting, index: number, seed: string): OracleChunk {
  const { kind, degree, reports } = setting;
  const parameters = parametersOf(setting);
  const random = seededRandom(`${seed}/oracle/${kind}/${degree}/${index}`);
  const w = Float64Array.from(AT);
  const gradient: ReportGradient =
    kind === 'printed' || kind === 'directions'
      ? alongDirections(parameters as ReturnType<typeof copies>, stepCoefficients(degree, BETA), w, random)
      : integrated(parameters, Array.from(radialOf(setting)), w);
  const m = kind === 'printed' ? [0, 0] : meanOf(setting);
  const datum = { point: Float64Array.from(POINT) };
  const report = player.randomize(parameters, datum, random);
  const target = new Float64Array(2);
  const sums = [0, 0];
  let [squared, squares] = [0, 0];
  for (let i = 0; i < reports; i++) {
    player.randomizeInto(parameters, datum, random, report);
    gradient(report.values, target);
    let square = 0;
    for (let j = 0; j < 2; j++) {
      sums[j] += target[j];
      square += (target[j] - m[j]) ** 2;
    }
    squared += square;
    squares += square * square;
  }
  return { sums, squared, squares };
}

/** Writes the gradient estimate of one report at a fixed w into `target`. */
export type ReportGradient = (values: ReturnType<typeof player.randomize>['values'], target: Float64Array) => void;

/** The direction estimates of algorithm 3, with directions from a source of the server's. */
export function alongDirections(
  parameters: ReturnType<typeof copies>,
  coefficients: ArrayLike<number>,
  w: Float64Array,
  random: Random,
): ReportGradient {
  return (values, target) => directionGradient(parameters, coefficients, values, 0, w, random, target);
}

/** Gradients Q(r)(w − x) with u integrated out, of `lifted`, `gaussian` and averaged copies. */
export function integrated(
  parameters: ReturnType<typeof euclideanMedianParameters>,
  coefficients: ArrayLike<number>,
  w: Float64Array,
): ReportGradient {
  if (parameters.variant === 'lifted') return liftedGradient(parameters, coefficients, w);
  const { dimension } = parameters;
  const copies = 'copies' in parameters ? parameters.copies : 1;
  const corrected = radialGradientCorrection(Float64Array.from(coefficients), {
    dimension,
    sigma: parameters.sigma / Math.sqrt(copies),
  });
  return (values, target) => {
    let r = 0;
    for (let i = 0; i < dimension; i++) {
      target[i] = w[i];
      for (let copy = 0; copy < copies; copy++) target[i] -= values[copy * dimension + i] / copies;
      r += target[i] * target[i];
    }
    const factor = evaluatePolynomial(corrected, r);
    for (let i = 0; i < dimension; i++) target[i] *= factor;
  };
}

// The gradient is an affine function of the report: its columns are read off once, from the server's own risk.
function liftedGradient(
  parameters: ReturnType<typeof lifted>,
  coefficients: ArrayLike<number>,
  w: Float64Array,
): ReportGradient {
  const { dimension, features } = parameters;
  const at = (entry: number): Float64Array => {
    const tally = server.empty(parameters);
    if (tally.kind !== 'moments') throw new TypeError('"tally" expected moments');
    tally.players = 1;
    if (entry >= 0) tally.sums[entry] = 1;
    const target = new Float64Array(dimension);
    radialRisks(liftedMoments(parameters, tally)).risk(potential(coefficients)).gradient(w, target);
    return target;
  };
  const origin = at(-1);
  const columns = Array.from({ length: features.size }, (_, entry) => at(entry).map((value, i) => value - origin[i]));
  return (values, target) => {
    target.set(origin);
    for (let e = 0; e < columns.length; e++) for (let i = 0; i < dimension; i++) target[i] += values[e] * columns[e][i];
  };
}
