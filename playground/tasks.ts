import { createCollector, type PlainRequest, secureRandom } from 'ldpkit';
import { hingeLoss } from 'ldpkit/optimize';
import { hinge } from 'ldpkit/protocols/hinge';
import { hingeOptimum } from 'ldpkit/simulate';
import { type Example, interceptOf, joined, type People, type Records, recordsOf } from './people.ts';

/** Public parameters of the collection. */
export type Parameters = ReturnType<NonNullable<typeof hinge.make>>;

/** What a server keeps: plain data, so it can be sent from a worker to the page. */
export type Tally = ReturnType<typeof hinge.server.empty>;

/** Everything that a worker is told once. */
export interface Plan {
  /** What players are sent: a request and its digest. Each worker makes the parameters from them itself. */
  readonly request: PlainRequest;
  readonly digest: string;
  readonly people: People;
  readonly example: Example;
}

/** The radius of the server's ball, the paper's. */
const RADIUS = 1;

/** A piece of work. `fit` scores its model on the records of the chunks, if there are any. */
export type Task =
  | { readonly task: 'answer'; readonly chunks: readonly number[] }
  | { readonly task: 'fit'; readonly tally: Tally; readonly chunks: readonly number[] }
  | { readonly task: 'truth'; readonly chunks: readonly number[] };

/** The tally of the reports of some chunks. */
export interface Answered {
  readonly tally: Tally;
  /** Bytes that travelled. */
  readonly bytes: number;
}

/** A model with what is known of it. */
export interface Fit {
  readonly w: Float64Array;
  /** The risk that the server reconstructs, and the standard error of the noise in it. */
  readonly risk: number;
  readonly standardError: number;
  /** What the model does on the records: nobody but a simulation knows it. */
  readonly known: Score | undefined;
}

/** The best model without privacy. */
export interface Truth extends Score {
  readonly w: Float64Array;
}

/** How good a model is on records. */
interface Score {
  /** The mean hinge loss. */
  readonly risk: number;
  /** The share of right answers. */
  readonly accuracy: number;
}

/** Who does the tasks of one plan: in a worker, or in a test. */
export interface Bench {
  answer(chunks: readonly number[]): Answered;
  fit(tally: Tally, chunks: readonly number[]): Fit;
  truth(chunks: readonly number[]): Truth;
}

/** Records from which the best model is found; its risk is taken over all of them. */
const SAMPLE = 25_000;

/**
 * The bench of a plan.
 *
 * @throws RangeError for a request that does not have the digest, and whatever the protocol refuses.
 */
export function createBench({ request, digest, people, example }: Plan): Bench {
  const parameters = hinge.make!(request);
  if (parameters.digest !== digest) throw new RangeError('"digest" expected that of the request');
  const random = secureRandom();
  const intercept = interceptOf(people);
  const made = new Map<number, Records>();
  const records = (chunk: number): Records => {
    const known = made.get(chunk) ?? recordsOf(people, example, chunk);
    made.set(chunk, known);
    return known;
  };

  return {
    answer(chunks) {
      const { players, dimension, features, labels } = joined(chunks.map(records));
      const collector = createCollector(hinge, parameters);
      const datum = { features: new Float64Array(dimension), label: 0 };
      let report: ReturnType<typeof hinge.player.randomize> | undefined;
      let bytes = 0;
      for (let i = 0; i < players; i++) {
        for (let j = 0; j < dimension; j++) datum.features[j] = features[i * dimension + j];
        datum.label = labels[i];
        if (report === undefined) report = hinge.player.randomize(parameters, datum, random);
        else hinge.player.randomizeInto(parameters, datum, random, report);
        const sent = hinge.report.encode(parameters, report);
        bytes += sent.length;
        const { outcome } = collector.receive(sent);
        if (outcome !== 'counted') throw new RangeError(`"report" expected one that is counted, it was ${outcome}`);
      }
      return { tally: collector.tally, bytes };
    },
    fit(tally, chunks) {
      const { w, risk, standardError } = hinge.server.estimate(parameters, tally, { radius: RADIUS, intercept });
      const known = chunks.length === 0 ? undefined : score(joined(chunks.map(records)), w);
      return { w, risk, standardError, known };
    },
    truth(chunks) {
      const all = joined(chunks.map(records));
      const step = Math.max(1, Math.floor(all.players / SAMPLE));
      const rows = Uint32Array.from({ length: Math.ceil(all.players / step) }, (_, i) => i * step);
      const { w } = hingeOptimum(all, RADIUS, rows);
      return { w, ...score(all, w) };
    },
  };
}

/** Risk and accuracy without what `scoreMetrics` computes besides: the area under a curve needs all scores sorted. */
function score({ players, dimension, features, labels }: Records, w: Float64Array): Score {
  const { value } = hingeLoss();
  let risk = 0;
  let right = 0;
  for (let i = 0; i < players; i++) {
    let margin = 0;
    for (let j = 0; j < dimension; j++) margin += w[j] * features[i * dimension + j];
    margin *= labels[i];
    risk += value(margin);
    if (margin > 0) right++;
  }
  return { risk: risk / players, accuracy: right / players };
}
