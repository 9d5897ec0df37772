import { createScratch, fieldOf, reserve, reserveExactly } from '../../src/check/datum.ts';
import { checkFinite, checkInteger, RefusedValue } from '../../src/check/refusal.ts';
import type { Values } from '../../src/core/frame.ts';
import type { SequentialPlayer } from '../../src/core/interactive.ts';
import { randomizeHessian } from '../../src/inference/hessian-release.ts';
import { randomizeDiscreteGaussian } from '../../src/mechanism/discrete-gaussian.ts';
import { padToSphere, randomizeUnit, scaleToBall } from '../../src/mechanism/unit-mechanism.ts';
import { fillNormal, laplace, type Random } from '../../src/random/random.ts';
import {
  checkIterate,
  fillGradient,
  fillGradientFactor,
  fillHessianFactor,
} from '../../src/risk/regression/gradient.ts';
import type { IndexModel } from '../../src/risk/regression/model.ts';
import { clipOnlineRecord, type OnlineDatum } from '../../src/risk/regression/record.ts';
import { createOnlineReport, type OnlineReport } from './channel.ts';
import { muAt, type OnlineNoise } from './noise.ts';
import type { OnlinePlan, OnlineStep } from './parameters.ts';

const { isSafeInteger } = Number;

// Scratch of the kernel, kept between calls; each call overwrites it.
const gradients = /* @__PURE__ */ createScratch(0);
const draws = /* @__PURE__ */ createScratch(1);
const hessians = /* @__PURE__ */ createScratch(0);

/**
 * One player's randomized gradient at the iterate of the step.
 * @throws TypeError or RangeError for a step or an iterate that the plan cannot have, before the datum is read, or for
 * a record outside the domain, without its values.
 */
function randomize(step: OnlineStep, datum: OnlineDatum, random: Random): OnlineReport {
  const report = createOnlineReport(step.plan);
  randomizeInto(step, datum, random, report);
  return report;
}

/** {@link randomize}, overwriting an existing report; the same coins give the same report. Allocates nothing. */
function randomizeInto(step: OnlineStep, datum: OnlineDatum, random: Random, report: OnlineReport): void {
  const { plan, index, place, iterate } = step;
  const { model, hessian, noise } = plan;
  // Everything that is refused for the step is refused before the datum is read.
  if (!(isSafeInteger(index) && index >= 1)) checkInteger('step.index', index, 1);
  if (!(isSafeInteger(place) && place >= 1)) checkInteger('step.place', place, 1);
  const { values } = report;
  if (values.length !== plan.length) throw new RefusedValue('report', `${plan.length} values`, values.length);
  const gradient = reserveExactly(gradients, model.dimension);
  if (noise.law === 'gaussian') {
    // Product and noise in one pass where there is a factor, see below.
    const factored = model.form === 'index' && fillGradientFactor(model, iterate, datum, gradient);
    if (model.form !== 'index') fillGradient(model, iterate, datum, gradient);
    const { budgets } = noise;
    // From an object in either case: a choice between two numbers would be allocated.
    const { sigma } = budgets === undefined ? noise : { sigma: model.sensitivity / muAt(budgets, place) };
    const { length } = gradient;
    const normals = reserve(draws, length);
    fillNormal(normals, random, 0, length);
    if (factored) {
      const { features } = datum;
      const factor = gradient[0];
      let i = 0;
      if (model.intercept) {
        values[0] = factor + sigma * normals[0];
        i = 1;
      }
      const from = i;
      for (; i + 1 < length; i += 2) {
        values[i] = factor * features[i - from] + sigma * normals[i];
        values[i + 1] = factor * features[i + 1 - from] + sigma * normals[i + 1];
      }
      if (i < length) values[i] = factor * features[i - from] + sigma * normals[i];
    } else {
      for (let i = 0; i < length; i++) values[i] = gradient[i] + sigma * normals[i];
    }
  } else {
    fillGradient(model, iterate, datum, gradient);
    const draw: Draw<never> = DRAWS[noise.law];
    draw(noise as never, gradient, random, values);
  }
  if (hessian !== undefined && model.form === 'index') appendHessian(plan, model, step, datum, random, values);
  report.step = index;
}

type Draw<Noise> = (noise: Noise, gradient: Float64Array, random: Random, values: Values) => void;

/**
 * The draws by law, but the one of most streams, which stands in `randomizeInto`: one function costs less, and always the same.
 * A new law needs a line here and a line in `channel.ts`. The plan's precision is that of
 * its noise.
 */
const DRAWS: {
  readonly [Law in Exclude<OnlineNoise['law'], 'gaussian'>]: Draw<Extract<OnlineNoise, { readonly law: Law }>>;
} = {
  laplace({ scale }, gradient, random, values) {
    for (let i = 0; i < gradient.length; i++) values[i] = gradient[i] + laplace(scale, random);
  },
  unit({ mechanism, unit }, gradient, random, values) {
    const { length } = gradient;
    scaleToBall(gradient, unit);
    const completed = reserve(draws, length + 1);
    completed.set(gradient);
    padToSphere(completed, length);
    randomizeUnit(mechanism, completed, values, random);
  },
  grid({ mechanism, unit }, gradient, random, values) {
    scaleToBall(gradient, unit);
    randomizeDiscreteGaussian(mechanism, gradient, values as Int32Array, random);
  },
  none(_, gradient, __, values) {
    for (let i = 0; i < gradient.length; i++) values[i] = gradient[i];
  },
};

/** The second release, of the Hessian, behind the gradient. */
function appendHessian(
  { hessian, gradientLength, length }: OnlinePlan,
  model: IndexModel,
  { iterate }: OnlineStep,
  datum: OnlineDatum,
  random: Random,
  values: Values,
): void {
  const gradient = gradients.values;
  const released = reserveExactly(hessians, length - gradientLength);
  fillHessianFactor(model, iterate, datum, gradient);
  randomizeHessian(hessian!, gradient, released, random);
  for (let i = gradientLength; i < length; i++) values[i] = released[i - gradientLength];
}

/** The step that a device was sent, remade under its own plan: number, place and iterate, copied and checked. */
function remake(plan: OnlinePlan, received: unknown): OnlineStep {
  const index = checkInteger('step.index', fieldOf(received, 'index'), 1);
  const place = checkInteger('step.place', fieldOf(received, 'place'), 1);
  const sent = fieldOf(received, 'iterate');
  const length = fieldOf(sent, 'length');
  const { dimension } = plan.model;
  if (length !== dimension) throw new RefusedValue('step.iterate', `${dimension} numbers`, length);
  const iterate = Float64Array.from({ length: dimension }, (_, i) =>
    checkFinite(`step.iterate[${i}]`, fieldOf(sent, i)),
  );
  checkIterate(plan.model, iterate);
  return { plan, index, place, iterate };
}

/**
 * The player of online gradient descent.
 * @theorem online-inference (2.3)
 * @theorem online-rates (3.2)
 */
export const player: SequentialPlayer<OnlineStep, OnlineDatum, OnlineReport> = {
  randomize,
  randomizeInto,
  // See `clipOnlineRecord`.
  clip: ({ plan }, datum) => clipOnlineRecord(plan, datum),
  remake,
};
