// A device forgets: after a report nothing that its program still reaches depends on the datum or on the coins of the noise.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { euclideanMedianParameters } from '../../protocols/euclidean-median/index.ts';
import type { EuclideanMedianRequest } from '../../protocols/euclidean-median/parameters.ts';
import { frequency } from '../../protocols/frequency/index.ts';
import { generalizedLinearParameters } from '../../protocols/generalized-linear/index.ts';
import { hingeParameters } from '../../protocols/hinge/index.ts';
import { mean } from '../../protocols/mean/index.ts';
import { type OnlineSgdRequest, onlineSgd, onlineSgdPlan } from '../../protocols/online-sgd/index.ts';
import { descent } from '../../protocols/user-level-erm/index.ts';
import { type UserLevelMeanRequest, userLevelMean, userLevelMeanPlan } from '../../protocols/user-level-mean/index.ts';
import type { PublicParameters } from '../../src/core/contract.ts';
import type { Agreed } from '../../src/core/device.ts';
import { type Asked, type Watched, watchedDevices } from './device-memory.ts';
import { playRounds } from './round-protocol.ts';
import { roundOf, smallRequest, smallTwoRoundRequest } from './user-level-erm-cases.ts';
import { users } from './user-level-mean-cases.ts';

/** Two data of a domain that a program could tell apart, in the memory of a device too. */
type Pair = readonly [unknown, unknown];

/** One answer of a device, two data, and whether the player has any scratch. */
interface Case {
  readonly what: string;
  readonly asked: Asked;
  readonly data: Pair;
  readonly scratch: boolean;
}

const RECORDS: Pair = [
  { features: [0.6180339887, -0.3141592653], label: 1 },
  { features: [-0.2718281828, 0.5772156649], label: -1 },
];
const RESPONSES: Pair = [
  { features: [0.6180339887, -0.3141592653], response: 1 },
  { features: [-0.2718281828, 0.5772156649], response: 0 },
];
const POINTS: Pair = [{ point: [0.6180339887, -0.3141592653] }, { point: [-0.2718281828, 0.5772156649] }];
const TABLES: Pair = [
  { features: [0.6180339887, -0.3141592653, 0.1], responses: [1] },
  { features: [-0.2718281828, 0.5772156649, 0.2], responses: [-1] },
];

const deployed = { epsilon: 1, degree: 1, dimension: 2, grade: 'deployment' } as const;
const grown = { epsilon: 1, players: 60000, samples: 20, grade: 'deployment' } as const;
const delta = 1e-6;

/** What a device has to be told of parameters. */
function agreedOf({ request, digest }: PublicParameters): Agreed {
  return { request: request!, digest };
}

function single(name: string, parameters: PublicParameters & { readonly variant: string }, data: Pair): Case {
  return { what: `${name}, ${parameters.variant}`, asked: { name, agreed: agreedOf(parameters) }, data, scratch: true };
}

function meanCases(request: UserLevelMeanRequest): Case[] {
  const plan = userLevelMeanPlan(request);
  const dimension = request.dimension ?? 1;
  const samples = (shift: number): unknown => ({
    samples: Array.from({ length: 2 * dimension }, (_, i) => shift * 0.6180339887 + i / 100),
  });
  const answered = users(7, dimension, 0.5, 'memory');
  return playRounds(userLevelMean, plan, { data: answered, reports: 1400 }).map(({ round }) => ({
    what: `user-level-mean, ${JSON.stringify(request)}, round ${round.round}`,
    asked: { name: 'userLevelMean', agreed: agreedOf(plan), received: round },
    data: [samples(1), samples(-1)],
    // Signs and bins of a mean in one dimension are drawn without any.
    scratch: dimension > 1 || 'delta' in request,
  }));
}

function ermCases(form: string, plan: ReturnType<typeof descent>, places: readonly number[]): Case[] {
  return places.map((place) => ({
    what: `user-level-erm, ${form}, round ${place}`,
    asked: { name: 'userLevelErm', agreed: agreedOf(plan), received: roundOf(plan, place) },
    data: TABLES,
    scratch: true,
  }));
}

function stream(request: Pick<OnlineSgdRequest, 'variant' | 'model'> & { readonly delta?: number }): Case {
  const plan = onlineSgdPlan({ ...request, epsilon: 1, grade: 'deployment' } as OnlineSgdRequest);
  const received = onlineSgd.server.step(plan, onlineSgd.server.start(plan));
  const asked = { name: 'onlineSgd', agreed: agreedOf(plan), received };
  return { what: `online-sgd, ${JSON.stringify(request)}`, asked, data: RESPONSES, scratch: true };
}

const medians: readonly EuclideanMedianRequest[] = [
  { variant: 'lifted', ...deployed },
  { variant: 'gaussian', delta, ...deployed },
];

const bins = { epsilon: 1, edges: [-1, 0, 1], grade: 'deployment' };
const box = { epsilon: 1, bounds: [[-1, 1]], grade: 'deployment' };
const NUMBERS: Pair = [0.6180339887, -0.2718281828];

// One bit and a category are drawn without scratch.
const surveys: readonly Case[] = [
  ...['frequency', 'frequencyPlayer'].map((name) => ({
    ...single(name, frequency.make(bins), NUMBERS),
    scratch: false,
  })),
  ...['mean', 'meanPlayer'].flatMap((name) => [
    { ...single(name, mean.make({ variant: 'oneBit', ...box }), NUMBERS), scratch: false },
    single(name, mean.make({ variant: 'kClosest', ...box }), NUMBERS),
  ]),
];

const cases: readonly Case[] = [
  single('hinge', hingeParameters({ variant: 'lifted', ...deployed }), RECORDS),
  single('hinge', hingeParameters({ variant: 'gaussian', delta, ...deployed }), RECORDS),
  single('liftedHinge', hingeParameters({ variant: 'lifted', ...deployed }), RECORDS),
  single('hinge', hingeParameters({ variant: 'sampled', ...deployed }), RECORDS),
  single('directHinge', hingeParameters({ variant: 'direct', ...deployed }), RECORDS),
  single('sampledHinge', hingeParameters({ variant: 'sampled', ...deployed }), RECORDS),
  single('generalizedLinear', generalizedLinearParameters({ variant: 'lifted', ...deployed }), RECORDS),
  single('generalizedLinear', generalizedLinearParameters({ variant: 'gaussian', delta, ...deployed }), RECORDS),
  single(
    'generalizedLinear',
    generalizedLinearParameters({ variant: 'gaussian', task: 'regression', delta, ...deployed }),
    RECORDS,
  ),
  ...surveys,
  ...medians.map((request) => single('euclideanMedian', euclideanMedianParameters(request), POINTS)),
  ...meanCases({ variant: 'naive', delta, ...grown }),
  ...meanCases({ variant: 'oneBit', ...grown }),
  ...meanCases({ variant: 'twoRound', ...grown }),
  ...meanCases({ variant: 'vector', dimension: 3, form: 'unit', rounds: 3, ...grown }),
  ...meanCases({ variant: 'vector', dimension: 3, form: 'gaussian', delta, rounds: 3, domain: 'ball', ...grown }),
  ...meanCases({ variant: 'twoRound', dimension: 4, delta, form: 'gaussian', ...grown }),
  ...meanCases({ variant: 'coordinates', dimension: 2, rounds: 3, ...grown }),
  ...ermCases('signs', descent(smallRequest('squared', { grade: 'deployment' })), [0]),
  ...ermCases('two rounds', descent(smallTwoRoundRequest('squared', { grade: 'deployment' })), [0, 1]),
  stream({ variant: 'privUnit', model: { kind: 'huber', features: 2 } }),
  stream({ variant: 'privUnit', model: { kind: 'multinomial', features: 2, classes: 3 } }),
  stream({ variant: 'gaussian', model: { kind: 'logistic', features: 2 }, delta }),
  stream({ variant: 'gaussian', model: { kind: 'huber-scale', features: 2 }, delta }),
];

/** The words and keys from which the directions of the last seed came. The seed travels in the report: it is public. */
const PUBLIC = /^(?:Uint32Array\(1024\)|Int32Array\(4\)): /;

/** What of the memory tells of a datum, or of coins that are not sent: nothing where the device forgets. */
async function remembered(devices: Watched, { asked, data }: Case): Promise<string[]> {
  const found: string[] = [];
  const after = async (datum: unknown, seed: number): Promise<string[]> => {
    const said = devices.answer(asked, datum, seed);
    if ((said === 'an answer') === (asked.fails === true)) throw new Error(said);
    return devices.memory();
  };
  // The first makes the tables and plans that everybody may know.
  await after(data[1], 1);
  const before = await after(data[0], 1);
  const other = await after(data[1], 1);
  found.push(...other.filter((line) => !before.includes(line)));
  const redrawn = await after(data[1], 2);
  found.push(...redrawn.filter((line) => !other.includes(line) && !PUBLIC.test(line)));
  return found;
}

describe('after a report', () => {
  let devices: Watched;
  let forgetful: Watched;
  beforeAll(async () => {
    devices = await watchedDevices({ wipes: true });
    forgetful = await watchedDevices({ wipes: false });
  });

  test.each(cases)('$what: no memory of the datum or of the noise', async (it) => {
    expect(await remembered(devices, it)).toEqual([]);
  });

  test.each(cases)('$what: nor where the player throws', async (it) => {
    expect(await remembered(devices, { ...it, asked: { ...it.asked, fails: true } })).toEqual([]);
  });

  test.each(cases.filter(({ scratch }) => scratch))('$what: without wiping it is found', async (it) => {
    expect(await remembered(forgetful, it)).not.toEqual([]);
  });
});
