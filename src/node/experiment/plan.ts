import type { Grade } from '../../core/grade.ts';
import type { StudyQuery, StudyRequest } from '../../simulation/study.ts';
import type { DatasetSource } from '../dataset.ts';

/** Everything an experiment receives. */
export interface Plan {
  /** The protocol's folder name. */
  readonly protocol: string;
  /** The variants that are compared; the first one makes the headline. */
  readonly variants: readonly string[];
  /** The ε of one player, in the order in which they are run. */
  readonly epsilons: readonly number[];
  /** δ of one player; variants with a pure guarantee do not use it. */
  readonly delta: number;
  /** The degree collected for and used; `automatic`: collected for 1, and the protocol chooses what it uses. */
  readonly degree: number | 'automatic';
  /** What the players' noise is made of. */
  readonly grade: Grade;
  /** R: the constraint is ‖w‖ ≤ R; `automatic`: the server picks it. */
  readonly radius: number | 'automatic';
  /** Name of the loss; the protocol's own by default. */
  readonly loss: string | undefined;
  /** Which server finds the model, and how reports are decoded; by default the protocol chooses. */
  readonly server: string | undefined;
  readonly decoder: string | undefined;
  /** How often each run is repeated with other coins. */
  readonly repetitions: number;
  /** Seed of everything that is drawn: who trains, who plays, and all the players' coins. */
  readonly seed: string;
  /** How many players take part; all those that may by default. */
  readonly players: number | undefined;
  /** How many records (or which share of them) train; the others are what models are measured on. */
  readonly train: number | undefined;
  /** The file of records and its schema. */
  readonly source: DatasetSource;
  /** What the records are called. */
  readonly title: string;
}

/** What the plan asks a variant of parameters for. */
export function requestOf({ delta, degree, grade, source }: Plan, variant: string, epsilon: number): StudyRequest {
  const { dimension } = source.schema;
  return { variant, epsilon, delta, degree: degree === 'automatic' ? 1 : degree, dimension, grade };
}

/** What the plan asks the tally of a variant. */
export function queryOf({ radius, degree, server, decoder }: Plan, variant: string): StudyQuery {
  return { radius, degree, variant, server, decoder };
}
