import type { MarginDatum } from '../../protocols/generalized-linear/margin/record.ts';
import { hinge } from '../../protocols/hinge/index.ts';
import { normal } from '../../src/random/normal.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import type { Broken } from './broken.ts';

const { clip, randomize, randomizeInto } = hinge.player;

/** A record with its features shortened to norm 1 and its label to ±1: the silent clipping that nobody asked for. */
function clipped(datum: MarginDatum): MarginDatum {
  const features = Float64Array.from(datum.features);
  const norm = Math.max(1, Math.hypot(...features));
  return { features: features.map((entry) => entry / norm), label: Math.max(-1, Math.min(1, datum.label)) };
}

let calls = 0;

/** Players that do what a player must not. */
export const brokenPlayers: readonly Broken[] = [
  {
    what: 'a player whose clip throws for what is no record',
    law: 'clip takes anything, gives a datum of the domain, and gives a datum of the domain as it is',
    player: { clip: (_, datum) => clipped(datum as MarginDatum) },
  },
  {
    what: 'a player whose clip shortens what is short enough',
    law: 'clip takes anything, gives a datum of the domain, and gives a datum of the domain as it is',
    player: {
      clip(parameters, datum) {
        const { features, label } = clip(parameters, datum);
        return { features: Array.from(features, (entry) => 0.5 * entry), label };
      },
    },
  },
  {
    what: 'a player whose clip hands on what it was given',
    law: 'a clipped datum is a copy: whoever changes what was given changes nothing of it',
    player: { clip: (_, datum) => datum as MarginDatum },
  },
  {
    what: 'a player that draws again for records with a small first feature',
    law: 'how many coins a report takes does not depend on the datum',
    player: {
      randomize(parameters, datum, random) {
        if (Math.abs(datum.features[0]) < 0.2) normal(random);
        return randomize(parameters, datum, random);
      },
    },
  },
  {
    what: 'a player that shows the datum in its refusal',
    law: 'no refusal contains a digit of the datum',
    player: {
      randomize(parameters, datum, random) {
        try {
          return randomize(parameters, datum, random);
        } catch (error) {
          throw new RangeError(`"datum" expected a record, got ${JSON.stringify(datum)} (${String(error)})`);
        }
      },
    },
  },
  {
    what: 'a player that hides the datum in the cause of its refusal',
    law: 'no refusal contains a digit of the datum',
    player: {
      randomize(parameters, datum, random) {
        try {
          return randomize(parameters, datum, random);
        } catch {
          throw new RangeError('"datum" expected a record', { cause: new Error(`label ${datum?.label}`) });
        }
      },
    },
  },
  {
    what: 'a player that clips the datum instead of refusing it',
    law: 'what is not a datum is refused with a TypeError or RangeError, before any coin is spent',
    player: { randomize: (parameters, datum, random) => randomize(parameters, clipped(datum), random) },
  },
  {
    what: 'a player that does not look at the norm when it writes over a report',
    law: 'what is not a datum is refused with a TypeError or RangeError, before any coin is spent',
    player: {
      randomizeInto: (parameters, datum, random, report) => randomizeInto(parameters, clipped(datum), random, report),
    },
  },
  {
    what: 'a player that tosses coins for a refused datum',
    law: 'what is not a datum is refused with a TypeError or RangeError, before any coin is spent',
    player: {
      randomize(parameters, datum, random) {
        normal(random);
        return randomize(parameters, datum, random);
      },
    },
  },
  {
    what: 'a player with noise of its own, the same for everybody',
    law: 'other coins give another report, in every value of it that is a real number',
    player: {
      randomize: (parameters, datum) => randomize(parameters, datum, seededRandom('fixed')),
      randomizeInto: (parameters, datum, _, report) => randomizeInto(parameters, datum, seededRandom('fixed'), report),
    },
  },
  {
    what: 'a player that sends one value in the clear',
    law: 'other coins give another report, in every value of it that is a real number',
    player: {
      randomize(parameters, datum, random) {
        const report = randomize(parameters, datum, random);
        report.values[0] = datum.features[0];
        return report;
      },
    },
  },
  {
    what: 'a player that remembers how often it was asked',
    law: 'randomize draws on the coins it is given and on nothing else: the same coins, the same report',
    player: {
      randomize(parameters, datum, random) {
        const report = randomize(parameters, datum, random);
        report.values[0] += calls++;
        return report;
      },
    },
  },
  {
    what: 'a player that writes over a report with other coins',
    law: 'randomizeInto over any earlier report is randomize, and consumes the same coins',
    player: {
      randomizeInto(parameters, datum, random, report) {
        normal(random);
        randomizeInto(parameters, datum, random, report);
      },
    },
  },
  {
    what: 'a player that adds to the earlier report',
    law: 'randomizeInto over any earlier report is randomize, and consumes the same coins',
    player: {
      randomizeInto(parameters, datum, random, report) {
        const { values } = randomize(parameters, datum, random);
        for (let i = 0; i < values.length; i++) report.values[i] += values[i];
      },
    },
  },
  {
    what: 'a player that forgets the datum',
    law: 'randomize leaves datum and parameters as they are',
    player: {
      randomize(parameters, datum, random) {
        const report = randomize(parameters, datum, random);
        (datum.features as Float64Array).fill(0);
        return report;
      },
    },
  },
];
