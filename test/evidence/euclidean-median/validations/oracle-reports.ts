import { seededRandom } from 'ldpkit';
import { evaluatePolynomial } from 'ldpkit/polynomial';
import {
  type CopiesParameters,
  type EuclideanMedianParameters,
  euclideanMedianParameters,
  gradientVariance,
  integrateDirections,
  player,
  productSecondMoment,
  stepCoefficients,
} from 'ldpkit/protocols/euclidean-median';
import { alongDirections, integrated, type ReportGradient } from './report-gradient.ts';

/** Many reports of one point, each decoded by itself to a gradient estimate at one w. */
export type OracleSetting = {
  /** `printed` and `directions`: algorithm 3 as printed, and with one u; the others with u integrated out. */
  readonly kind: 'printed' | 'directions' | 'lifted' | 'gaussian' | 'copies';
  readonly degree: number;
  readonly reports: number;
};

/** Sums over reports of G, and of ‖G − m‖² and its square, m what is claimed of E G. */
export type OraclePart = { readonly sums: readonly number[]; readonly squared: number; readonly squares: number };

const POINT = [0.6, -0.5];
const AT = [-0.2, 0.4];
const SQUARED_DISTANCE = 0.8 ** 2 + 0.9 ** 2;
const BETA = 0.3;
/** Q of the estimates with u integrated out. */
const RADIAL = [1.1, -0.4, 0.1];

/** Noise of the order of a point: fourth moments of products of larger noise are beyond any sample. */
function parametersOf({ kind, degree }: OracleSetting): EuclideanMedianParameters {
  const shared = { degree: kind === 'printed' || kind === 'directions' ? degree : 2, dimension: 2 };
  if (kind === 'lifted') return euclideanMedianParameters({ maker: kind, epsilon: 6, ...shared });
  const epsilon = kind === 'printed' ? 200 : kind === 'directions' ? 100 : 60;
  const maker = kind === 'directions' ? 'copies' : kind;
  return euclideanMedianParameters({ maker, epsilon, delta: 1e-3, ...shared });
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
      parameters as CopiesParameters,
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

/** The gradient estimates of one part. */
export function oraclePart(setting: OracleSetting, index: number, seed: string): OraclePart {
  const { kind, degree, reports } = setting;
  const parameters = parametersOf(setting);
  const random = seededRandom(`${seed}/oracle/${kind}/${degree}/${index}`);
  const w = Float64Array.from(AT);
  const gradient: ReportGradient =
    kind === 'printed' || kind === 'directions'
      ? alongDirections(parameters as CopiesParameters, stepCoefficients(degree, BETA), w, random)
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
