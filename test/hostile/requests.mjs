// Plays hostile requests against the variants of one protocol and prints what each of them cost, a line each. Its caller gives it
// little memory; whatever ends it was the request named last.
import { readdirSync } from 'node:fs';
import { peakMemory } from '../environment/peak-memory.mjs';

const [, , protocol, first = '0'] = process.argv;
const root = new URL('../../dist/', import.meta.url);

const budget = { epsilon: 1, delta: 1e-6 };
const margin = (variant, rest = {}) => ({ variant, ...budget, degree: 1, dimension: 3, ...rest });
const users = (variant, rest = {}) => ({
  variant,
  ...budget,
  players: 40_000,
  samples: 14,
  bound: 1,
  dimension: 1,
  ...rest,
});
const line = { features: 3, intercept: true };
const huber = { kind: 'huber', ...line, threshold: 1.345, scale: 1 };
const stream = (rest) => ({
  model: huber,
  rate: 0.5,
  decay: 0.51,
  burnIn: 0,
  batch: 1,
  batchScale: 1,
  start: [0, 0, 0, 0],
  ...rest,
});
const central = {
  mu: 1,
  records: 1e6,
  model: huber,
  start: [0, 0, 0, 0],
  steps: 20,
  force: true,
  radius: 1,
  regions: true,
};
const influence = {
  epsilon1: 1,
  delta1: 1e-6,
  epsilon2: 1,
  delta2: 1e-6,
  records: 1000,
  lipschitz: 1,
  smoothness: 0.25,
  hessianLipschitz: 0.1,
  curvature: 0.05,
  radius: 1,
  localRounds: 2,
  globalRounds: 3,
  step: 0.1,
};

/** Requests that are fine, by variant. Every field that a variant knows is there or added below. */
const FINE = {
  hinge: [
    ...['printed', 'copies', 'gaussian'].map((variant) => margin(variant)),
    margin('lifted', { delta: undefined }),
    margin('lifted', { delta: undefined, grade: 'deployment', shares: [1, 0.5] }),
    margin('direct', { delta: undefined, degree: 2, grade: 'deployment', shares: [1, 0.5] }),
    margin('sampled', { delta: undefined, shares: [1, 0.5] }),
    margin('gaussian', { grade: 'deployment' }),
  ],
  'generalized-linear': [
    ...['printed', 'copies', 'gaussian'].map((variant) => margin(variant)),
    margin('lifted', { delta: undefined }),
    margin('lifted', { delta: undefined, grade: 'deployment', shares: [1, 0.5], task: 'regression' }),
    margin('direct', { delta: undefined, task: 'regression' }),
    { variant: 'sphericalLaplace', epsilon: 1, dimension: 3 },
  ],
  'euclidean-median': [
    ...['printed', 'copies', 'gaussian'].map((variant) => margin(variant)),
    margin('lifted', { delta: undefined }),
    margin('lifted', { delta: undefined, grade: 'deployment', shares: [1, 0.5, 0.3, 0.2, 0.1] }),
    margin('gaussian', { grade: 'deployment' }),
  ],
  'gradient-waves': ['simulation', 'deployment'].map((grade) => ({
    variant: 'hinge',
    epsilon: 1,
    dimension: 3,
    radius: 1,
    waves: 20,
    riskShare: 0.1,
    grade,
  })),
  frequency: [
    { epsilon: 1, categories: 24 },
    { variant: 'hadamardResponse', epsilon: 1, categories: 65_536, grade: 'deployment' },
    { variant: 'subsetSelection', epsilon: 1, edges: [0, 1, 2, 5, 10], grade: 'deployment' },
  ],
  mean: [
    { epsilon: 4, bounds: [[-60, 240]] },
    {
      variant: 'oneBit',
      epsilon: 1,
      bounds: [
        [-60, 240],
        [0, 5100],
      ],
      grade: 'deployment',
    },
    { variant: 'kClosest', epsilon: 1, dimension: 4096, radius: 2, grade: 'deployment' },
  ],
  'user-level-mean': [
    users('oneBit', { delta: undefined, spread: 0.3, skew: 1, shares: [0.2, 0.3, 0.5] }),
    users('oneBit', { delta: undefined, pilot: 'bins' }),
    users('oneBit', { delta: undefined, pilot: 'thresholds', grade: 'deployment' }),
    users('twoRound', { spread: 0.3, failure: 0.01, share: 0.2 }),
    users('twoRound', { interval: 'triple', samePlayers: true }),
    users('vector', { dimension: 24, rounds: 4, spread: 0.3 }),
    users('vector', { dimension: 24, players: 2 ** 40 }),
    users('vector', { dimension: 24, form: 'gaussian' }),
    users('vector', { dimension: 24, form: 'unit', grade: 'deployment' }),
    users('coordinates', { delta: undefined, dimension: 3, rounds: 4 }),
    users('naive'),
    users('naive', { grade: 'deployment' }),
    users('printed', { failure: 0.01 }),
    users('printed', { failure: 0.01, calibration: 'exact' }),
    users('printedNaive'),
  ],
  'user-level-erm': ['unit', 'deployment'].map((kind) => ({
    variant: 'descent',
    epsilon: 1,
    players: 100_000,
    samples: 14,
    dimension: 5,
    loss: 'logistic',
    featureBound: 1,
    radius: 1,
    strongConvexity: 0.05,
    smoothness: 0.25,
    step: 1,
    iterations: 4,
    spread: 0.3,
    force: true,
    ...(kind === 'deployment' ? { grade: 'deployment' } : {}),
  })),
  'online-sgd': [
    stream({ variant: 'privUnit', epsilon: 1 }),
    stream({ variant: 'privUnit', epsilon: 1, grade: 'deployment' }),
    stream({ variant: 'gdp', mu: 1, hessianMu: 1 }),
    stream({ variant: 'gdp', budgets: { rule: 'list', mus: [1, 2] } }),
    stream({ variant: 'gdp', budgets: { rule: 'uniform', low: 1, high: 2 } }),
    stream({ variant: 'gaussian', ...budget }),
    stream({ variant: 'gaussian', ...budget, grade: 'deployment' }),
    stream({ variant: 'laplace', epsilon: 1 }),
    stream({ variant: 'printedGaussian', ...budget }),
    stream({ variant: 'printedGdp', mu: 1 }),
    stream({ variant: 'gdp', mu: 1, start: undefined, model: { kind: 'multinomial', features: 3, classes: 3 } }),
    stream({ variant: 'gdp', mu: 1, start: undefined, model: { ...line, kind: 'huber-scale', threshold: 1.345 } }),
    stream({ variant: 'gdp', mu: 1, model: { ...huber, kind: 'expectile', tau: 0.3, clip: 1 } }),
    stream({ variant: 'gdp', mu: 1, model: { ...line, kind: 'quantile', tau: 0.3, bandwidth: 0.5 } }),
  ],
  'noisy-gradient-descent': [
    { ...central, variant: 'descent', step: 0.1, split: { optimization: 0.5, hessian: 0.2, scores: 0.3 } },
  ],
  'noisy-newton': [
    { ...central, variant: 'newton', warmUp: 8, warmUpShare: 0.2, curvatureShare: 0.2, hessianLipschitz: 1 },
    { ...central, variant: 'reweighted', lastShare: 0.5, curvatureShare: 0.2 },
  ],
  'influence-sgd': [
    { ...influence, variant: 'printed' },
    { ...influence, variant: 'recalibrated' },
    {
      ...budget,
      variant: 'gradientPerturbation',
      accountant: 'moments',
      records: 1000,
      lipschitz: 1,
      steps: 30,
      step: 0.1,
      batch: 10,
      smoothing: 0.1,
    },
    {
      ...budget,
      variant: 'gradientPerturbation',
      accountant: 'gdp',
      records: 1000,
      lipschitz: 1,
      steps: 30,
      step: 0.1,
    },
  ],
};

/** A list as deep as no document is. */
function nested(depth) {
  let list = [];
  for (let i = 0; i < depth; i++) list = [list];
  return list;
}

const LONG = new Array(1e6).fill(1);
const VALUES = {
  '2^20': 2 ** 20,
  '2^26': 2 ** 26,
  '2^31': 2 ** 31,
  '2^53': 2 ** 53,
  '1e308': 1e308,
  '5e-324': 5e-324,
  '-1': -1,
  0: 0,
  list: LONG,
  text: 'x'.repeat(1e6),
  deep: nested(5000),
  object: {},
};

/** Every request with one field of it, at any depth, replaced; and with all its numbers replaced. */
function* hostile(request) {
  yield ['fine', request];
  for (const [name, value] of Object.entries(VALUES)) {
    for (const path of paths(request)) yield [`${path.join('.')} = ${name}`, withField(request, path, value)];
    if (typeof value === 'number') yield [`all numbers = ${name}`, everyNumber(request, value)];
  }
}

function* paths(value, path = []) {
  if (path.length > 0) yield path;
  if (value !== null && typeof value === 'object')
    for (const key of Object.keys(value)) if (key !== 'variant') yield* paths(value[key], [...path, key]);
}

function withField(value, [key, ...rest], replaced) {
  const copy = Array.isArray(value) ? [...value] : { ...value };
  copy[key] = rest.length === 0 ? replaced : withField(value[key], rest, replaced);
  return copy;
}

function everyNumber(value, number) {
  if (typeof value === 'number') return number;
  if (Array.isArray(value)) return value.map((one) => everyNumber(one, number));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, everyNumber(one, number)]));
}

/** What is done with a request that came from outside: parameters are made, and where they can be certified, a certificate verified. */
async function opened() {
  const module = await import(new URL(`protocols/${protocol}/index.js`, root));
  // The protocol has the name of its folder; beside it some entries have narrower ones.
  const found = module[protocol.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())];
  if (found === undefined) return ({ variant, ...request }) => module[variant](request);
  const { verifyCertificate } = await import(new URL('src/core/certify.js', root));
  return (request) => {
    found.make(request);
    return verifyCertificate(found, { request });
  };
}

if (protocol === undefined) {
  process.stdout.write(`${Object.keys(FINE).join(' ')}\n${readdirSync(new URL('protocols/', root)).join(' ')}\n`);
} else {
  const open = await opened();
  let number = 0;
  for (const fine of FINE[protocol]) {
    for (const [change, request] of hostile(fine)) {
      if (number++ < Number(first)) continue;
      process.stdout.write(`${number} ${JSON.stringify([fine.variant, change])} `);
      const before = process.cpuUsage();
      let outcome = 'made';
      try {
        open(request);
      } catch (error) {
        const refused = error instanceof TypeError || error instanceof RangeError;
        outcome = refused && error.message.startsWith('"') ? 'refused' : `broke: ${String(error).slice(0, 200)}`;
      }
      const { user, system } = process.cpuUsage(before);
      process.stdout.write(
        `${Math.round((user + system) / 1000)} ${Math.round(peakMemory() / 2 ** 20)} ${JSON.stringify(outcome)}\n`,
      );
    }
  }
}
