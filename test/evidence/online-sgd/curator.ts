import type { Random } from 'ldpkit';
import { unpackSymmetric } from 'ldpkit/inference';
import { fillGradient, fillHessianFactor } from 'ldpkit/optimize';
import { type OnlinePlan, type OnlineStep, onlineSgd } from 'ldpkit/protocols/online-sgd';
import { printedPlugIn } from './printed-plug-in.ts';

/** Sums over what no server of a private stream sees: packed products of what every player adds to the two matrices. */
export interface ClearSums {
  readonly hessian: Float64Array;
  readonly gradient: Float64Array;
}

/**
 * The protocol, with somebody who looks over every player's shoulder and adds to the sums: for plug-ins that no local protocol
 * can have. It is played player by player: the simulation in blocks has no shoulders to look over.
 */
export function watched({ hessian, gradient }: ClearSums): Pick<typeof onlineSgd, 'player' | 'server'> {
  const { player, server } = onlineSgd;
  type Datum = Parameters<typeof player.randomize>[1];
  let scratch = new Float64Array(0);
  const watch = ({ plan: { model }, iterate }: OnlineStep, datum: Datum): void => {
    if (model.form !== 'index') return;
    if (scratch.length !== model.dimension) scratch = new Float64Array(model.dimension);
    fillHessianFactor(model, iterate, datum, scratch);
    addProducts(hessian, scratch);
    fillGradient(model, iterate, datum, scratch);
    addProducts(gradient, scratch);
  };
  return {
    server,
    player: {
      ...player,
      randomize(step, datum, random) {
        watch(step, datum);
        return player.randomize(step, datum, random);
      },
      randomizeInto(step, datum, random, report) {
        watch(step, datum);
        player.randomizeInto(step, datum, random, report);
      },
    },
  };
}

/** The covariance by the plug-in as printed, κ₁ = κ₂ = `floor`. It needs a trusted curator: for comparison only. */
export function printedCovariance(
  { model, noise }: OnlinePlan,
  steps: number,
  clear: ClearSums,
  floor: number,
  coins: Random,
): Float64Array {
  const { dimension, gradientBound, sensitivity } = model;
  if (noise.law !== 'gaussian' || model.form !== 'index') throw new RangeError('"plan" expected Gaussian noise');
  return printedPlugIn(
    {
      dimension,
      steps,
      mu: sensitivity / noise.sigma,
      hessian: unpackSymmetric(clear.hessian, dimension, 1 / steps),
      gradient: unpackSymmetric(clear.gradient, dimension, 1 / steps),
      gradientBound,
      hessianBound: model.hessianBound ?? 1,
      hessianFloor: floor,
      gradientFloor: floor,
    },
    coins,
  ).covariance;
}

function addProducts(packed: Float64Array, vector: Float64Array): void {
  for (let i = 0, k = 0; i < vector.length; i++) for (let j = 0; j <= i; j++) packed[k++] += vector[i] * vector[j];
}
