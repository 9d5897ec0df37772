import { clipBall, clipNumber, createScratch, lengthOf, reserve, UNIT_TOLERANCE } from '../../src/check/datum.ts';
import { type DefinedPlayer, definePlayer, type PlayerDefinition } from '../../src/core/define.ts';
import { randomizeOneBitMean } from '../../src/mechanism/categories.ts';
import { randomizeKClosest } from '../../src/mechanism/k-closest.ts';
import { padToSphere } from '../../src/mechanism/unit-mechanism.ts';
import { uniformInteger } from '../../src/random/random.ts';
import { type MeanSetting, meanSetting, reportLength, variantOf } from './parameters.ts';
import { coordinateOf, entryAt, fillPoint, type MeanDatum } from './record.ts';

const { max, min } = Math;

// Scratch of the player: the point, completed to the sphere.
const points = /* @__PURE__ */ createScratch(64);

/**
 * The player: under `oneBit` one coordinate, drawn without regard to the datum, and its one-bit report; under
 * `kClosest` the whole vector, completed to the sphere.
 *
 * Clipped: what is no number, or missing, counts as 0; a coordinate beyond its bounds is moved to the nearer one, a
 * vector beyond the ball is shortened.
 */
export const playing: PlayerDefinition<MeanSetting, MeanDatum, 'uint32'> = {
  name: 'mean',
  version: 1,
  make: meanSetting,
  variant: variantOf,
  datum: {
    expected: 'numbers within bounds or ball',
    accepts({ domain, lower, upper }, value): value is MeanDatum {
      if ((typeof value === 'number' ? 1 : lengthOf(value)) !== lower.length) return false;
      let squared = 0;
      for (let j = 0; j < lower.length; j++) {
        const entry = entryAt(value, j);
        if (typeof entry !== 'number') return false;
        // NaN is outside both: it fails every comparison.
        if (domain === 'box' && !(entry >= lower[j] && entry <= upper[j])) return false;
        squared += (entry / upper[j]) ** 2;
      }
      return domain === 'box' || squared <= 1 + UNIT_TOLERANCE;
    },
    clip({ domain, lower, upper }, value) {
      if (domain === 'ball') return clipBall(value, lower.length, upper[0]);
      const clipped = Float64Array.from(lower, (low, j) =>
        max(low, min(upper[j], clipNumber(entryAt(value, j), Infinity))),
      );
      return lower.length > 1 || (value !== null && typeof value === 'object') ? clipped : clipped[0];
    },
  },
  report: { values: 'uint32', length: reportLength },
  channel: {
    deployment(setting, datum, random, report) {
      const { lower, mechanism } = setting;
      if (mechanism.name === 'k-closest') {
        const point = reserve(points, lower.length + 1);
        fillPoint(setting, datum, point);
        padToSphere(point, lower.length);
        randomizeKClosest(mechanism, point, report, random);
      } else {
        const j = lower.length === 1 ? 0 : uniformInteger(lower.length, random);
        const sign = randomizeOneBitMean(mechanism, coordinateOf(setting, datum, j), random);
        report[0] = 2 * j + (sign > 0 ? 1 : 0);
      }
    },
  },
  privacy: { guarantee: ({ mechanism }) => mechanism.guarantee },
};

/** What a device needs, and nothing else: give it to `deployedPlayer` in the place of `mean`. */
export const meanPlayer: DefinedPlayer<MeanSetting, MeanDatum, Uint32Array> = /* @__PURE__ */ definePlayer(playing);
