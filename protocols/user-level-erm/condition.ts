import { twoLevels } from '../../src/mechanism/exact-coin.ts';

const { ceil, max } = Math;

/** What the condition on the number of players is about. */
export interface ConditionFields {
  /** ε of one player's transcript. */
  readonly epsilon: number;
  /** m. */
  readonly samples: number;
  /** d. */
  readonly dimension: number;
  /** B. */
  readonly gradientBound: number;
  /** τ₁. */
  readonly strongConvexity: number;
  /** R. */
  readonly radius: number;
  /** For how many gradients the players are shared out, none of which helps another: T of two rounds each; 1 by default. */
  readonly groups?: number;
}

/** Signs for each coordinate, in units of 1/κ², of those who locate the first gradient, at most half of all. */
const BITS = 60;

/**
 * The least number of players for a descent: the larger of what the theorem's condition, √(mn) ≥ Bd²/(ε·τ₁R), and what locating
 * the first gradient, n ≥ 60·D/κ² with D the least power of two ≥ d, ask for.
 *
 * Law: the theorem says √(mn) = Ω̃(Bd²/ε) and leaves the constant open. Here it is 1/(τ₁R): r = Bd²/(ε√(mn)) is what a gradient is
 * off by, up to logarithms, so θ is off by r/τ₁, which has to be within the ball to say anything.
 *
 * Source: slides of Avella Medina (2023), guarantees for user-level LDP ERM.
 * @theorem slides Guarantees for user-level LDP ERM, conditions
 */
export function requiredPlayers(fields: ConditionFields): number {
  const { records, locating } = needsOf(fields);
  return ceil(max(records / fields.samples, locating));
}

/**
 * The least number m of records that each of n players has to hold for a descent: (Bd²/(ε·τ₁R))²/n; of two rounds each gradient has
 * the players of its own iteration, n/T. Infinity where n is too few to locate a gradient, which no m makes good.
 *
 * Source: as of `requiredPlayers`, whose condition it is, solved for m.
 * @theorem slides Guarantees for user-level LDP ERM, conditions
 */
export function requiredSamples(fields: Omit<ConditionFields, 'samples'> & { readonly players: number }): number {
  const { records, locating } = needsOf(fields);
  return fields.players < locating ? Infinity : max(1, ceil(records / fields.players));
}

/** What mn and what n have to be at least. */
function needsOf(fields: Omit<ConditionFields, 'samples'>): { readonly records: number; readonly locating: number } {
  const { epsilon, dimension, gradientBound, strongConvexity, radius, groups = 1 } = fields;
  const ratio = (gradientBound * dimension * dimension) / (epsilon * strongConvexity * radius);
  let size = 1;
  while (size < dimension) size *= 2;
  const { contrast } = twoLevels(epsilon, 1, 1);
  return { records: groups * ratio * ratio, locating: (groups * BITS * size) / (contrast * contrast) };
}

/** How many players more than n the condition asks for; 0 where n is enough. */
export function shortfallOf(fields: ConditionFields & { readonly players: number }): number {
  return max(0, requiredPlayers(fields) - fields.players);
}
