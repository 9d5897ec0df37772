import type { AuditedPart, AuditTarget } from '../audit/target.ts';
import { checkWord, RefusedValue } from '../check/refusal.ts';
import type { Certifiable } from '../core/certify.ts';
import type { PlainRequest, PublicParameters } from '../core/contract.ts';
import type { Uncertainty } from '../inference/model-interval.ts';
import type { ApproximateGuarantee } from '../privacy/guarantee.ts';
import type { StudyRequest, Tried } from './study.ts';

/** The request to a study of a fitted model: plain data, so worker threads make the same parameters. */
export interface ModelStudyRequest extends Omit<StudyRequest, 'degree' | 'shares'> {
  /** μ > 0, of a study with a budget in μ. */
  readonly mu: number;
  /** n: players, or records of a trusted curator. */
  readonly players: number;
  /** m, records of one player; 1 where a curator holds them. */
  readonly samples: number;
  /** R > 0, of a study with waves: the model has at most this norm. */
  readonly radius?: number;
  /** T, of a study with waves: how many groups of fresh players answer. */
  readonly waves?: number;
}

/** A claim that does not hold, and what shows it. */
export interface RefutedClaim {
  readonly claimed: ApproximateGuarantee;
  /** Why it does not hold, in words. */
  readonly because: string;
  /** A δ that is needed whatever ε is, on the data that `example` describes. */
  readonly unboundedDelta: number;
  /** The data on which it is needed, in words. */
  readonly example: string;
}

export interface ModelForecast {
  readonly what: string;
  /** The error, in the units of the coefficients. */
  readonly error: number;
  /** The same without the privacy noise, where steps and records also leave an error. */
  readonly without?: number;
  readonly assumed: string;
}

/** The records, without privacy, that a model is fitted to in a simulation. */
export interface ModelRecords {
  /** n, records of a curator, or players. */
  readonly players: number;
  /** d, without the intercept. */
  readonly dimension: number;
  /** Record i is `features[i·d] … features[i·d + d − 1]`. */
  readonly features: Float32Array;
  /** A number for each, in units of the label, or 1 and −1. */
  readonly responses: ArrayLike<number>;
  /** The records of player i are `from(i)` to `until(i) − 1`; record i itself where a curator holds them. */
  from(index: number): number;
  until(index: number): number;
}

export interface ModelFit {
  readonly theta: Float64Array;
  /** [low, high] around each coefficient, each of level .95; absent where none are released. */
  readonly intervals?: readonly (readonly [number, number])[];
  /** Whether its steps were seen to have come to an end, where what was released tells it; else its intervals may miss. */
  readonly finished?: boolean;
  /** What the noise leaves open, where what was released tells it; from the intervals, or by the forecast, where absent. */
  readonly uncertainty?: Uncertainty;
}

/** How a model is fitted to records, with and without privacy. */
export interface ModelPlay {
  /** Which records: numbers of a regression, two sides, or two sides of players with several records. */
  readonly records: 'regression' | 'sides' | 'players';
  /** Whether an intercept is the first coefficient. */
  readonly intercept: boolean;
  /** The private fit; the seed decides all coins. What cannot be served is refused by its name, here and below. */
  fit(asked: ModelStudyRequest, records: ModelRecords, seed: string): ModelFit;
  /** The model of least risk, without privacy. */
  optimum(records: ModelRecords, asked: ModelStudyRequest): Float64Array;
  /** The mean loss of a model; every player counts once. */
  risk(records: ModelRecords, theta: Float64Array, asked: ModelStudyRequest): number;
  /** The risk of the best model that ignores the features. */
  constantRisk(records: ModelRecords, asked: ModelStudyRequest): number;
  /** Another private answer to the same question, for comparison. */
  readonly rival?: { readonly name: string; readonly fit: ModelPlay['fit'] };
  /** What was public beforehand, and which conditions of a theorem do not hold. */
  notes(asked: ModelStudyRequest): readonly string[];
}

export interface ModelStudyNumbers {
  readonly players: number;
  readonly samples: number;
  readonly dimension: number;
}

/** What a protocol offers to its users if it fits a model in rounds, or on the records of a curator. See `Study`. */
export interface ModelStudy extends Tried {
  readonly kind: 'model';
  /** Who holds the records: players who answer in rounds, or a trusted curator. */
  readonly setting: 'rounds' | 'central';
  /** The protocol, as far as certificates are concerned; without `make` where there is nothing to certify. */
  readonly protocol: { readonly name: string } & Partial<Certifiable<PublicParameters>>;
  readonly budget: 'epsilon' | 'mu';
  /** Whether a request names a radius and a number of waves; then the variants are losses, one for each run. */
  readonly waves?: true;
  /** The default numbers for a certificate and for an attack; an attack repeats the whole fit many times. */
  readonly defaults: { readonly certify: ModelStudyNumbers; readonly audit: ModelStudyNumbers };
  /** The request of a variant of the protocol. */
  request(asked: ModelStudyRequest): PlainRequest;
  /** What is wrong with the claim, instead of a certificate; absent where there is a guarantee. */
  refuted?(asked: ModelStudyRequest): RefutedClaim;
  /** What is attacked, all of it by default. */
  target(asked: ModelStudyRequest, part?: AuditedPart): AuditTarget<unknown, unknown, unknown>;
  /** What to expect, by formulas, without data. */
  forecast(asked: ModelStudyRequest): ModelForecast;
  /** Where a claim is refuted: what to expect of answers whose guarantee holds, at the same budget. */
  rivals?(asked: ModelStudyRequest): readonly (ModelForecast & { readonly name: string })[];
  /** The parts that can be attacked separately; absent where there is only one. */
  parts?(asked: ModelStudyRequest): readonly AuditedPart[];
  readonly play: ModelPlay;
}

/** The typed part of a request; it has one of the two budgets. */
type TypedRequest = {
  readonly [name in keyof Omit<ModelStudyRequest, 'variant'>]?: ModelStudyRequest[name] | undefined;
};

/** The request for a study of a fitted model from the typed options; the study's own numbers replace missing ones. */
export function modelRequest(
  study: ModelStudy,
  variant: string,
  typed: TypedRequest,
  otherwise: ModelStudyNumbers,
): ModelStudyRequest {
  const { mu = 1, epsilon = 1, delta = 1e-6, grade = 'simulation' } = typed;
  if (study.setting === 'central' && grade === 'deployment') {
    const { name } = study.protocol;
    throw new RefusedValue('grade', `simulation: ${name} has a curator, and nothing that is sent`, grade);
  }
  const { players = otherwise.players, samples = otherwise.samples, dimension = otherwise.dimension } = typed;
  const numbers = { epsilon, delta, mu, players, samples, dimension };
  const { radius, waves } = typed;
  return {
    variant: checkWord('variant', variant, study.variants),
    ...numbers,
    ...(radius === undefined ? {} : { radius }),
    ...(waves === undefined ? {} : { waves }),
    ...(grade === 'simulation' ? {} : { grade }),
  };
}
