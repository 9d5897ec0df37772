import { type PlainRequest, seededRandom } from 'ldpkit';
import { averageIterate } from 'ldpkit/inference';
import { permutation, uniform } from 'ldpkit/mechanism';
import {
  asymptoticCovariance,
  type OnlineEstimate,
  type OnlinePlan,
  type OnlineState,
  onlineSgd,
  type StreamPopulation,
  streamReplication,
} from 'ldpkit/protocols/online-sgd';
import { replicationsOf } from '../../experiment/experiment.ts';
import {
  classScore,
  type InsuranceMoments,
  type InsuranceTask,
  insuranceMoments,
  insuranceTask,
  leastSquares,
  testError,
} from './insurance-fit.ts';
import type { InsuranceChunk, InsurancePoint, InsuranceSetting } from './insurance-lines.ts';
import {
  fillInsuranceFeatures,
  INSURANCE_COLUMNS,
  type InsuranceEncoding,
  insuranceTable,
  toStandardisedCoefficients,
} from './insurance-table.ts';
import type { StreamRecord } from './population.ts';
import { logarithmicGrid, planOf } from './trajectory.ts';

/** Rows of the table, rows that train, and η, as printed; and after how many players scores are taken. */
export const ROWS = 1_000_000;
export const TRAIN = 800_000;
const RATE = 0.5;
/** κ₁ of the plug-in, which the paper does not name. */
const FLOOR = 0.01;
const FEATURES = INSURANCE_COLUMNS.length;
export const CHECKPOINTS: readonly number[] = logarithmicGrid(10_000, TRAIN, 8);

/** What a plan is made from: Huber loss with c = 1.345, or three classes. */
export function insuranceRequest(model: 'linear' | 'logistic', budget: PlainRequest, decay: number): PlainRequest {
  const fitted = model === 'linear' ? { kind: 'huber' } : { kind: 'multinomial', classes: 3 };
  return {
    ...budget,
    model: { ...fitted, features: FEATURES },
    rate: RATE,
    decay,
    inference: model === 'linear' && budget.variant === 'gdp' ? ['plug-in'] : [],
  };
}

/** A setting like this one that is over in milliseconds. */
export function insuranceSmallRun(setting: InsuranceSetting): InsuranceSetting {
  return { ...setting, rows: 3000, train: 2000, checkpoints: [2000] };
}

// The table that was asked for last: a thread makes it once.
let last: { readonly seed: string; readonly task: InsuranceTask } | undefined;

function taskOf({ rows, train }: InsuranceSetting, seed: string): InsuranceTask {
  if (last === undefined || last.seed !== seed || last.task.table.rows !== rows || last.task.train !== train) {
    last = { seed, task: insuranceTask(insuranceTable(rows, seed), train) };
  }
  return last.task;
}

/** The rows that train, in a random order of the replication. */
function populationOf(
  { table, responses, classes }: InsuranceTask,
  { model, encoding }: InsuranceSetting,
  order: Uint32Array,
): StreamPopulation<StreamRecord> {
  let next = 0;
  return {
    create: () => ({ features: new Float64Array(FEATURES), response: 0 }),
    draw(record) {
      const row = order[next++];
      fillInsuranceFeatures(table, row, encoding, record.features);
      record.response = model === 'linear' ? responses[row] : classes[row];
    },
  };
}

/** Rows R with Rθ the coefficients of standardised columns, for θ of an encoding. */
function standardisedRows(encoding: InsuranceEncoding): readonly Float64Array[] {
  const width = FEATURES + 1;
  const rows = Array.from({ length: width }, () => new Float64Array(width));
  for (let k = 0; k < width; k++) {
    const unit = new Float64Array(width);
    unit[k] = 1;
    toStandardisedCoefficients(unit, encoding).forEach((entry, i) => {
      rows[i][k] = entry;
    });
  }
  return rows;
}

/** The excess test MSE of the average in the limit: tr(E[xxᵀ]·A⁻¹(S + noise)A⁻¹)/n. */
function limitExcess({ features, hessian, gradient }: InsuranceMoments, request: PlainRequest, train: number): number {
  const plan = planOf(request);
  const covariance = asymptoticCovariance(plan, { hessian, gradient });
  return features.reduce((sum, entry, k) => sum + entry * covariance[k], 0) / train;
}

/** One chunk: least squares, or replications of a stream, each in an order of its own. */
export function insuranceChunk(setting: InsuranceSetting, index: number, seed: string): InsuranceChunk {
  const task = taskOf(setting, seed);
  const { model, request, encoding, train, checkpoints, limits } = setting;
  if (model === 'least squares') {
    const theta = leastSquares(task);
    const moments = {
      standardised: insuranceMoments(task, 'standardised'),
      codes: insuranceMoments(task, 'codes'),
    };
    return [
      {
        theta: [...theta],
        halves: [],
        last: [[testError(task, theta, encoding)]],
        average: [],
        path: [],
        limits: limits.map((kind) => limitExcess(moments[kind.encoding], kind.request, train)),
      },
    ];
  }
  const rows = standardisedRows(encoding);
  return replicationsOf(index, setting.size).map((replication) => {
    const random = seededRandom(`${seed}/insurance/${model}/${replication}`);
    const start = new Float64Array(model === 'linear' ? FEATURES + 1 : 2 * (FEATURES + 1));
    // Public: a start from Unif(0, 1), as printed.
    for (let j = 0; j < start.length; j++) start[j] = uniform(random);
    const order = permutation(train, random);
    const plan = planOf({ ...request, start: [...start] });
    const scores = { last: [] as number[][], average: [] as number[][] };
    const path: InsurancePoint[] = [];
    const drawn = model === 'linear' && plan.inference.includes('plug-in');
    const score = (theta: Float64Array): number[] => {
      if (model === 'linear') return [testError(task, theta, encoding)];
      const { crossEntropy, accuracy } = classScore(task, theta, encoding);
      return [crossEntropy, accuracy];
    };
    const state = streamReplication(onlineSgd, {
      plan,
      population: populationOf(task, setting, order),
      players: train,
      seed: `${seed}/insurance/${model}/coins/${replication}`,
      checkpoints,
      look(_, now) {
        const { iterate, scaling } = now;
        scores.last.push(score(iterate));
        scores.average.push(score(averageIterate(scaling)));
        if (drawn) path.push(pointOf(plan, now, rows, encoding));
      },
    });
    // Coefficients and intervals of linear models; at α = 1 there are none.
    if (model === 'logistic' || plan.decay === 1) return { theta: [], halves: [], ...scores, path, limits: [] };
    const { theta, intervals } = onlineSgd.server.estimate(plan, state, { contrasts: rows });
    const halves = intervals.map(([low, high]) => (high - low) / 2);
    return { theta: [...toStandardisedCoefficients(theta, encoding)], halves, ...scores, path, limits: [] };
  });
}

/** The average and its intervals, as coefficients of standardised columns. */
function pointOf(
  plan: OnlinePlan,
  state: OnlineState,
  contrasts: readonly Float64Array[],
  encoding: InsuranceEncoding,
): InsurancePoint {
  const halvesOf = ({ intervals }: OnlineEstimate): readonly number[] =>
    intervals.map(([low, high]) => (high - low) / 2);
  const scaling = onlineSgd.server.estimate(plan, state, { contrasts });
  const plugIn = onlineSgd.server.estimate(plan, state, {
    contrasts,
    method: 'plug-in',
    hessian: 'regression',
    hessianFloor: FLOOR,
  });
  return {
    theta: [...toStandardisedCoefficients(scaling.theta, encoding)],
    scaling: halvesOf(scaling),
    plugIn: halvesOf(plugIn),
  };
}
