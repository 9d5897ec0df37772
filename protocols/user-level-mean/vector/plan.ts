import { checkInteger, checkOpenUnit, checkWord, refusal } from '../../../src/check/number.ts';
import type { Json } from '../../../src/core/digest.ts';
import { type TwoLevels, twoLevels } from '../../../src/mechanism/exact-coin.ts';
import { planDigest, planFields } from '../scalar/plan.ts';
import type { UserLevelFamily, UserLevelPlan } from '../scalar/types.ts';
import {
  cheapestForm,
  type FormCosts,
  formCosts,
  gaussianDesign,
  locates,
  type ResidualDesign,
  signShares,
  unitDesign,
  type VectorForm,
  vectorShares,
} from './design.ts';
import { locationModel, type SampleDomain } from './model.ts';
import type { LocationModel } from './posterior.ts';
import { type CoordinatesRequest, domainOf, longestOf, seedOf, spreadOf, type VectorRequest } from './request.ts';
import { createRotation, type Rotation } from './rotation.ts';

export type { CoordinatesRequest, VectorRequest };

const { min, sqrt } = Math;

/** A plan for means in d dimensions. */
export interface VectorPlan extends UserLevelPlan {
  readonly variant: 'vector' | 'coordinates';
  /** Where samples lie. */
  readonly domain: SampleDomain;
  /** `one` rotated coordinate a player, drawn by its own coins, or `all`, as they are. */
  readonly answers: 'one' | 'all';
  /** The rotation; absent where all coordinates are answered as they are. */
  readonly rotation?: Rotation;
  /** How many coordinates are located: D with a rotation, else d. */
  readonly size: number;
  /** Shares of the players, round after round. */
  readonly shares: readonly number[];
  /** The coin of every sign. */
  readonly coin: TwoLevels;
  /** What is public about the coordinates that are located. */
  readonly model: LocationModel;
  /** What the last round asks. */
  readonly form: VectorForm;
  /** Error of each form for one player and τ = 1, by closed forms; what the automatic choice compares. */
  readonly costs: FormCosts;
  /** How the residual is sent; absent where all rounds ask for signs. */
  readonly residual?: ResidualDesign;
}

/**
 * A plan whose players answer one bit each about one coordinate of the rotated local mean, or, in the last round, the
 * residual from what the bits have found.
 *
 * Law: y is rotated by H·diag(s)/√D, so that all its coordinates have about the same size. Each player draws a coordinate and one
 * of two thresholds with its own coins and reports both, and the sign of y_j − t through randomized response. Thresholds start at
 * the quartiles of the prior and move, round after round, to those of the posterior. Then either signs go on to the end, or the
 * last round sends y − c, clipped in ℓ₂, as a unit vector (PrivUnitG; k-closest encoding in a deployment) or with Gaussian noise.
 *
 * That the coordinates of rotated local means are normal holds only as m·D grows: skewness γ moves an estimate by about γτ/6, and
 * the rotation averages the skewness of d coordinates away.
 *
 * Guarantee: pure ε for one player's transcript, whatever form; (ε, δ) for `gaussian`. Players are fresh in every round.
 *
 * Source: slides of Avella Medina (2023), two-round estimation with a random rotation; signs and their likelihood in place of
 * bins.
 *
 * @throws TypeError or RangeError naming the field; RangeError for fewer than two players for each of D groups.
 */
export function vector(family: UserLevelFamily, request: VectorRequest): VectorPlan {
  const fields = planFields(family, 'vector', request, true);
  const { dimension, epsilon, bound } = fields;
  const seed = seedOf(request);
  const wanted = checkWord('form', request.form ?? 'automatic', ['automatic', 'sign', 'unit', 'gaussian']);
  const delta = request.delta === undefined ? undefined : checkOpenUnit('delta', request.delta);
  if (wanted === 'gaussian' && delta === undefined) {
    throw new RangeError(refusal('delta', 'a number strictly between 0 and 1 for the form gaussian', delta));
  }
  const rotation = createRotation(dimension, seed);
  const { size } = rotation;
  const coin = signCoin(epsilon);
  const designs = [unitDesign(fields), ...(delta === undefined ? [] : [gaussianDesign(fields, delta)])];
  const rounds = roundsOf(request, fields.players, size);
  const costs = formCosts(fields, coin.contrast, size, rounds, designs);
  const bits = (fields.players * coin.contrast ** 2) / size;
  const form = wanted !== 'automatic' ? wanted : locates(bits) ? cheapestForm(costs) : 'sign';
  const residual = designs.find((design) => design.form === form);
  const shares = vectorShares(form, rounds, bits);
  const domain = domainOf(request);
  const longest = longestOf(domain, fields);
  const spread = spreadOf(request, bound);
  const model = locationModel(
    longest,
    size,
    fields,
    coin,
    domain,
    spread === undefined ? undefined : spread * sqrt(dimension / size),
  );
  const digest = planDigest(fields, {
    ...agreed(domain, shares, spread),
    seed,
    form,
    ...(form === 'gaussian' ? { delta: delta as number } : {}),
  });
  return {
    ...fields,
    variant: 'vector',
    digest,
    domain,
    answers: 'one',
    rotation,
    size,
    shares,
    coin,
    model,
    form,
    costs,
    ...(residual === undefined ? {} : { residual }),
  };
}

/**
 * The coordinate-wise scheme, for comparison: every player answers all d coordinates of its local mean, one bit each, and its
 * budget is split evenly. Nothing is rotated.
 *
 * Law: as for {@link vector} with signs to the end, at ε/d for each coordinate, each of which has a deviation of its own.
 *
 * Guarantee: pure ε, by basic composition of d bits, whose exact losses together are at most ε.
 *
 * Source: slides of Avella Medina (2023), the multivariate case: error Õ(d/(√(mn)·ε)).
 *
 * @throws TypeError or RangeError naming the field.
 */
export function coordinates(family: UserLevelFamily, request: CoordinatesRequest): VectorPlan {
  const fields = planFields(family, 'coordinates', request, true);
  const { dimension, epsilon, bound, players } = fields;
  const coin = signCoin(epsilon, dimension);
  const rounds = roundsOf(request, players, 1);
  const shares = signShares(rounds, players * coin.contrast ** 2);
  const domain = domainOf(request);
  const spread = spreadOf(request, bound);
  const model = locationModel(bound, 1, fields, coin, domain, spread);
  return {
    ...fields,
    variant: 'coordinates',
    digest: planDigest(fields, agreed(domain, shares, spread)),
    domain,
    answers: 'all',
    size: dimension,
    shares,
    coin,
    model,
    form: 'sign',
    costs: formCosts({ ...fields, dimension: 1 }, coin.contrast, 1, rounds, []),
  };
}

/** The coin of signs, so many of which share ε. */
function signCoin(epsilon: number, answers: number = 1): TwoLevels {
  return twoLevels(epsilon, 1, 1, answers);
}

function roundsOf(request: CoordinatesRequest, players: number, groups: number): number {
  if (players < 2 * groups) {
    throw new RangeError(refusal('players', `at least ${2 * groups}, two for each of ${groups} groups`, players));
  }
  // With few players rounds would be empty.
  const most = min(64, Math.floor(players / groups));
  if (request.rounds === undefined) return min(8, most);
  const rounds = checkInteger('rounds', request.rounds, 2, most);
  // Thresholds that are moved once find no coordinate: at d = 8, n = 20,000, m = 50 and ε = 1 the error is .23, and .0073 after eight.
  if (rounds === 2)
    throw new RangeError(refusal('rounds', '3 or more (the variant for two rounds is twoRound)', rounds));
  return rounds;
}

function agreed(
  domain: SampleDomain,
  shares: readonly number[],
  spread: number | undefined,
): { readonly [name: string]: Json } {
  return { domain, shares: [...shares], ...(spread === undefined ? {} : { spread }) };
}
