import { checkWord } from '../../src/check/refusal.ts';
import { namesOf, readWhole } from '../../src/core/request.ts';
import { rememberedRequest } from '../user-level-mean/shape.ts';
import type { Gradients } from './descent.ts';
import {
  bySigns,
  byTwoRounds,
  type ErmPlan,
  type ErmRound,
  type TwoRoundErmPlan,
  type TwoRoundErmRound,
} from './gradients.ts';
import type { ErmRequest, TwoRoundErmRequest } from './objective.ts';

/** Every plan of this protocol. */
export type UserLevelErmPlan = ErmPlan | TwoRoundErmPlan;

/** Every round of this protocol. */
export type UserLevelErmRound = ErmRound | TwoRoundErmRound;

/** Every field of the variant's request, as plain data that a device can be sent: see {@link userLevelErmPlan}. */
export type UserLevelErmRequest = { readonly variant: 'descent' } & (ErmRequest | TwoRoundErmRequest);

export const ERM_REQUEST: readonly string[] = /* @__PURE__ */ namesOf<UserLevelErmRequest>({
  variant: true,
  epsilon: true,
  delta: true,
  players: true,
  samples: true,
  dimension: true,
  loss: true,
  featureBound: true,
  threshold: true,
  scale: true,
  radius: true,
  strongConvexity: true,
  smoothness: true,
  step: true,
  iterations: true,
  spread: true,
  samePlayers: true,
  predict: true,
  seed: true,
  grade: true,
  force: true,
  gradients: true,
});

export const VARIANTS = ['descent'] as const;

/**
 * Noisy gradient descent θ ← Π(θ − ηĝ) on the mean of the players' risks. ĝ is the user-level mean of the players'
 * gradients, by signs of rotated coordinates, one bit each. The first gradient is located in several rounds. Every
 * later gradient is searched for around ĝ + ½(τ₁ + τ₂)(θ′ − θ). The error of this prediction is at most
 * ½(τ₂ − τ₁)‖θ′ − θ‖ larger than that of ĝ, so that one round is enough and the information of earlier rounds is not
 * lost.
 *
 * With `gradients: 'two-round'` every iteration is a mean of two rounds by its own players, as in the slides: first the
 * location of the rotated gradient, then the residual from there. T is the least that its own noise requires, with n/T
 * players per gradient.
 *
 * Guarantee: pure ε for one player, who answers once. With `samePlayers` a player answers in every round: pure ε with
 * ε/K for each of K bits or, with a δ, (ε, δ) by composition of Gaussian DP.
 *
 * Source: slides of Avella Medina (2023), user-level LDP ERM.
 * @throws TypeError or RangeError naming the field; RangeError with the number of missing players if there are fewer
 * than the theorem's condition √(mn) ≥ Bd²/(ε·τ₁R) requires, unless forced.
 * @theorem slides User-level LDP ERM
 * @theorem slides Guarantees for user-level LDP ERM, conditions
 */
export function descent(request: ErmRequest): ErmPlan;
export function descent(request: TwoRoundErmRequest): TwoRoundErmPlan;
export function descent(request: ErmRequest | TwoRoundErmRequest): UserLevelErmPlan;
export function descent(request: ErmRequest | TwoRoundErmRequest): UserLevelErmPlan {
  // A field that gradients of this kind do not read is refused: it would change nothing.
  const made = readWhole(
    'request',
    request,
    (given) => {
      const gradients = checkWord('gradients', given.gradients ?? 'signs', ['signs', 'two-round']);
      return gradientsOf({ gradients }).make(given);
    },
    { others: ['variant'] },
  );
  return { ...made, request: rememberedRequest(request, 'descent') } as UserLevelErmPlan;
}

/**
 * A plan from plain data: what a device is sent to make the same plan, with the same digest, as the server.
 * @throws TypeError or RangeError naming the field.
 */
export function userLevelErmPlan(request: UserLevelErmRequest): UserLevelErmPlan {
  checkWord('variant', request.variant, VARIANTS);
  return descent(request);
}

const GRADIENTS = { signs: bySigns, 'two-round': byTwoRounds } as const;

/** How gradients are estimated, by name; a new kind needs a line here. Each kind gets only its own plans. */
export function gradientsOf<Plan extends UserLevelErmPlan>({
  gradients,
}: Pick<Plan, 'gradients'>): Gradients<object, Plan, UserLevelErmRound> {
  return GRADIENTS[gradients] as unknown as Gradients<object, Plan, UserLevelErmRound>;
}
