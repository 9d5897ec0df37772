import { pure } from '../../privacy/guarantee.ts';
import type { Random } from '../../random/random.ts';
import {
  type AnyCase,
  type Control,
  changeOne,
  changing,
  coins,
  isObject,
  numbersBefore,
  numbersIn,
  replaceNumbers,
  spelled,
} from './law.ts';

const honest: Control['breaks'] = (protocol) => protocol;

/** Parameters and claims that contradict each other. */
export const brokenClaims: readonly Control[] = [
  {
    what: 'parameters with a short digest',
    law: 'parameters name their protocol and carry a digest of 32 hexadecimal digits',
    breaks: honest,
    parameters: (made) => ({ ...made, digest: made.digest.slice(0, 16) }),
  },
  {
    what: 'a digest that does not depend on the request',
    law: 'the same request gives the same parameters, and every other request another digest',
    breaks: honest,
    parameters: (made) => ({ ...made, digest: '0'.repeat(32) }),
    shows: ({ others }) => others.length > 0,
  },
  {
    what: 'parameters with a function in them',
    law: 'parameters are plain data: a structured clone does everything that the original does',
    breaks: honest,
    parameters: (made) => Object.assign({}, made, { evaluate: () => 0 }),
  },
  {
    what: 'a certificate of another variant',
    law: 'the certificate names the protocol and its variant and survives JSON',
    breaks: changing('theory', 'certificate', (certificate, parameters) => ({
      ...certificate(parameters),
      variant: `${parameters.variant}s`,
    })),
  },
  {
    what: 'a certificate that JSON cannot carry',
    law: 'the certificate names the protocol and its variant and survives JSON',
    breaks: changing('theory', 'certificate', (certificate, parameters) => ({
      ...certificate(parameters),
      reportDelta: Infinity,
    })),
  },
  {
    what: 'a guarantee of next to no epsilon',
    law: 'the guarantee is implied by a total of the certificate',
    breaks: changing('theory', 'guarantee', () => pure(1e-9)),
  },
  {
    what: 'a certificate whose totals do not meet the claim',
    law: 'a claim that is the guarantee is met by a total that says so',
    breaks: (protocol, trial) =>
      changing('theory', 'certificate', (certificate, parameters) => {
        const { totals, ...rest } = certificate(parameters);
        const missed = totals.map((total) => ({ ...total, withinClaim: false }));
        return { ...rest, totals: missed, claimed: protocol.theory.guarantee(parameters) };
      })(protocol, trial),
  },
  {
    what: 'an audit of what is no datum',
    law: 'an audit is given data of the domain, and a likelihood ratio that favours the datum that was played',
    breaks: (protocol, { data }) => ({
      ...protocol,
      auditing: {
        view: (_, report) => numbersIn(report),
        pairs: () => [{ name: 'a datum and none', first: data[0], second: Symbol('none') }],
      },
    }),
  },
  {
    what: 'a distance of neighbours that is none',
    law: 'the distance of neighbours is a number > 0',
    breaks: changing('theory', 'neighbourDistance', () => Number.NaN),
  },
];

const CLIP = 'clip takes anything, gives a datum of the domain, and gives a datum of the domain as it is';
const COPY = 'a clipped datum is a copy: whoever changes what was given changes nothing of it';
const WORDS = 'how many coins a report takes does not depend on the datum';
const SHOWN = 'no refusal contains a digit of the datum';
const REFUSED = 'what is not a datum is refused with a TypeError or RangeError, before any coin is spent';
const OTHER = 'other coins give another report, in every value of it that is a real number';
const COINS = 'randomize draws on the coins it is given and on nothing else: the same coins, the same report';
const INTO = 'randomizeInto over any earlier report is randomize, and consumes the same coins';
const DEVICE = 'a device plays what was agreed, or nothing, and whether it answers tells nothing of the datum';
const LEAVES = 'randomize leaves datum and parameters as they are';

/** Whether a datum has a number that whoever holds it can change: an object of texts has none. */
const holdsNumbers = (datum: unknown): boolean => isObject(datum) && numbersIn(datum).length > 0;

/** A player that rewords the refusals of an honest one. */
const refusing = (refusal: (datum: unknown) => Error): Control['breaks'] =>
  changing('player', 'randomize', (randomize, parameters, datum, random) => {
    try {
      return randomize(parameters, datum, random);
    } catch {
      throw refusal(datum);
    }
  });

/** A player that draws from other coins, also when it writes over an earlier report. */
const drawing =
  (random: (given: Random) => Random): Control['breaks'] =>
  (protocol, trial) => {
    const first = changing('player', 'randomize', (randomize, parameters, datum, given) =>
      randomize(parameters, datum, random(given)),
    );
    const over = changing('player', 'randomizeInto', (randomizeInto, parameters, datum, given, report) =>
      randomizeInto(parameters, datum, random(given), report),
    );
    return over(first(protocol, trial), trial);
  };

/** Takes one word from the coins. */
function spend(random: Random): Random {
  if (random.next === random.words.length) random.refill();
  random.next++;
  return random;
}

/** Players that do what a player must not do. */
export const brokenPlayers: readonly Control[] = [
  {
    what: 'a player whose clip throws for what is no datum',
    law: CLIP,
    breaks: (protocol, trial) =>
      changing('player', 'clip', (clip, parameters, datum) => {
        protocol.player.randomize(parameters, datum, coins('clip'));
        return clip(parameters, datum);
      })(protocol, trial),
  },
  {
    what: 'a player whose clip forgets the datum',
    law: CLIP,
    breaks: (protocol, trial) =>
      changing('player', 'clip', (clip, parameters) => clip(parameters, trial.data[0]))(protocol, trial),
  },
  {
    what: 'a player whose clip throws for what no text is made of',
    law: CLIP,
    breaks: changing('player', 'clip', (clip, parameters, datum) => clip(parameters, `${datum}` && datum)),
  },
  {
    what: 'a player whose clip tosses coins for what is no datum',
    law: CLIP,
    breaks(protocol, { data }) {
      let calls = 0;
      const { clip } = protocol.player;
      const other: typeof clip = (parameters, datum) =>
        clip(parameters, datum === undefined ? data[calls++ % 2] : datum);
      return { ...protocol, player: { ...protocol.player, clip: other } };
    },
  },
  {
    what: 'a player whose clip hands on what it was given',
    law: COPY,
    breaks: changing('player', 'clip', (_clip, _parameters, datum) => datum),
    shows: ({ data }) => data.some(holdsNumbers),
  },
  {
    what: 'a player that takes a word more for one datum',
    law: WORDS,
    breaks: (protocol, trial) =>
      changing('player', 'randomize', (randomize, parameters, datum, random) =>
        randomize(parameters, datum, spelled(datum) === spelled(trial.data[0]) ? spend(random) : random),
      )(protocol, trial),
  },
  {
    what: 'a player that shows the datum in its refusal',
    law: SHOWN,
    breaks: refusing((datum) => new RangeError(`"datum" expected something else, got ${JSON.stringify(datum)}`)),
  },
  {
    what: 'a player that hides the datum in the cause of its refusal',
    law: SHOWN,
    breaks: refusing(
      (datum) => new RangeError('"datum" expected another', { cause: new Error(JSON.stringify(datum)) }),
    ),
  },
  {
    what: 'a player that shows the datum in its refusal to write over a report',
    law: SHOWN,
    breaks: changing('player', 'randomizeInto', (randomizeInto, parameters, datum, random, report) => {
      try {
        randomizeInto(parameters, datum, random, report);
      } catch (error) {
        throw Object.defineProperty(new RangeError('"datum" expected another', { cause: error }), 'datum', {
          value: datum,
        });
      }
    }),
  },
  {
    what: 'a player that clips the datum instead of refusing it',
    law: REFUSED,
    breaks: (protocol, trial) =>
      changing('player', 'randomize', (randomize, parameters, datum, random) =>
        randomize(parameters, protocol.player.clip(parameters, datum), random),
      )(protocol, trial),
  },
  {
    what: 'a player that takes anything when it writes over a report',
    law: REFUSED,
    breaks: (protocol, trial) =>
      changing('player', 'randomizeInto', (randomizeInto, parameters, datum, random, report) =>
        randomizeInto(parameters, protocol.player.clip(parameters, datum), random, report),
      )(protocol, trial),
  },
  {
    what: 'a player that tosses coins for a refused datum',
    law: REFUSED,
    breaks: changing('player', 'randomize', (randomize, parameters, datum, random) =>
      randomize(parameters, datum, spend(random)),
    ),
  },
  { what: 'a player with noise of its own, the same for everybody', law: OTHER, breaks: drawing(() => coins('own')) },
  {
    what: 'a player that sends one value in the clear',
    law: OTHER,
    breaks: (protocol, trial) =>
      changing('player', 'randomize', (randomize, parameters, ...given) => {
        const report = randomize(parameters, ...given);
        changeOne(report, numbersBefore({ protocol, parameters, trial }, report), 0.5);
        return report;
      })(protocol, trial),
    shows: ({ floats }) => floats !== undefined,
  },
  {
    what: 'a player that has coins left from the player before',
    law: COINS,
    breaks(protocol, trial) {
      const left = coins('left');
      return drawing(() => left)(protocol, trial);
    },
  },
  {
    what: 'a player that writes over a report with other coins',
    law: INTO,
    breaks: changing('player', 'randomizeInto', (randomizeInto, parameters, datum, random, report) =>
      randomizeInto(parameters, datum, spend(random), report),
    ),
  },
  {
    what: 'a player that adds to the earlier report',
    law: INTO,
    breaks: changing('player', 'randomizeInto', (randomizeInto, parameters, datum, random, report) => {
      const earlier = numbersIn(report);
      randomizeInto(parameters, datum, random, report);
      let place = 0;
      replaceNumbers(report, (number) => number + earlier[place++]);
    }),
  },
  {
    what: 'a player that changes what it is given',
    law: LEAVES,
    breaks: changing('player', 'randomize', (randomize, parameters, datum, random) => {
      const report = randomize(parameters, datum, random);
      if (holdsNumbers(datum)) replaceNumbers(datum, () => 0);
      else Object.assign(parameters, { last: datum });
      return report;
    }),
  },
  {
    what: 'a protocol that makes other parameters from the request that was agreed',
    law: DEVICE,
    breaks: (protocol, { others }) => ({ ...protocol, make: () => others[0] }),
    shows: isDeployable,
  },
  {
    what: 'a player that answers for no datum outside the domain',
    law: DEVICE,
    breaks: changing('player', 'clip', (_clip, _parameters, datum) => datum),
    shows: isDeployable,
  },
];

function isDeployable(trial: AnyCase): boolean {
  const { grade, request } = trial.make();
  return grade === 'deployment' && request !== undefined && trial.others.length > 0;
}
