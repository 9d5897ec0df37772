import { clipNumber, createScratch, dropTiny, reserve } from '../../src/check/datum.ts';
import { RefusedValue } from '../../src/check/refusal.ts';
import type { Player } from '../../src/core/contract.ts';
import { createReport, type ValuesReport } from '../../src/core/frame.ts';
import { padToSphere, randomizeUnit } from '../../src/mechanism/unit-mechanism.ts';
import type { Random } from '../../src/random/random.ts';
import { checkRecord, clipRecord } from '../generalized-linear/device.ts';
import { gradientBound, LOSS, type Wave, type WaveDatum } from './parameters.ts';

/** The player of one wave. */
export const player: Player<Wave, WaveDatum, ValuesReport> = {
  randomize(wave, datum, random) {
    const report = createReport(wave);
    randomizeInto(wave, datum, random, report);
    return report;
  },
  randomizeInto,
  clip: clipRecord,
};

// Scratch of the kernel, kept between calls and overwritten by each.
const scratch = /* @__PURE__ */ createScratch(64);

function randomizeInto(wave: Wave, datum: WaveDatum, random: Random, { values }: ValuesReport): void {
  const { dimension, length, mechanism } = wave;
  if (values.length !== length) throw new RefusedValue('report', `${length} values`, values.length);
  const unit = reserve(scratch, dimension + 1);
  fillAnswer(wave, datum, unit);
  padToSphere(unit, dimension);
  randomizeUnit(mechanism, unit, values, random);
}

/** What a wave asks, in the unit ball of R^p: the gradient over its largest length, or the loss as the first entry. */
export function fillAnswer(wave: Wave, datum: WaveDatum, target: Float64Array): void {
  const { asks, variant, radius, dimension, w } = wave;
  checkRecord(wave, datum);
  const loss = LOSS[variant];
  if (asks === 'risk') {
    target.fill(0, 0, dimension);
    // w may be outside the ball by rounding, and so the loss by rounding too large.
    target[0] = clipNumber((2 * loss.value(w, datum)) / loss.largest(radius) - 1, 1);
    return;
  }
  loss.fillGradient(w, datum, target);
  const bound = gradientBound(wave);
  for (let i = 0; i < dimension; i++) target[i] = dropTiny(target[i]) / bound;
}
