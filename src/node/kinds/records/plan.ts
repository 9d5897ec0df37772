import { refusedAs } from '../../../check/refusal.ts';
import type { PublicParameters } from '../../../core/contract.ts';
import type { Grade } from '../../../core/digest.ts';
import type { Study, StudyQuery, StudyRequest } from '../../../simulation/study.ts';
import type { DatasetSource } from '../../records.ts';
import { interceptOf } from '../../schema.ts';
import { requiredLaw } from '../../studies.ts';
import { closestToOne } from '../run.ts';
import type { LawChoice } from './law-choice.ts';

/** The inputs of an experiment. */
export interface Plan {
  /** The protocol's folder name. */
  readonly protocol: string;
  /** The variants that are compared, or {@link PLANNED}; the headline run uses the first one. */
  readonly variants: readonly string[];
  /** The ε of one player, in the order of the runs. */
  readonly epsilons: readonly number[];
  /** δ of one player; variants with a pure guarantee do not use it. */
  readonly delta: number;
  /**
   * The degree collected for and used; `automatic`: the study plans the degree from the number of players, or degree 1
   * is collected, and the protocol chooses what it uses.
   */
  readonly degree: number | 'automatic';
  /** What the players' noise is made of. */
  readonly grade: Grade;
  /** R: the constraint is ‖w‖ ≤ R; `automatic`: the server chooses it. */
  readonly radius: number | 'automatic';
  /** Name of the loss; the protocol's own by default. */
  readonly loss: string | undefined;
  /** Which server finds the model, and how it decodes reports; by default the protocol chooses. */
  readonly server: string | undefined;
  readonly decoder: string | undefined;
  /** How often each run is repeated with other coins. */
  readonly repetitions: number;
  /** Seed of all random choices: the training records, the players, and all the players' coins. */
  readonly seed: string;
  /** How many players take part; by default all that may. */
  readonly players: number | undefined;
  /** How tallies come about. */
  readonly law: LawChoice;
  /** How many players hold each record; more than 1 only without reports. */
  readonly copies: number;
  /** How many records (or which share of them) are for training; models are measured on the others. */
  readonly train: number | undefined;
  /** The file of records and its schema. */
  readonly source: DatasetSource;
  /** What the records are called. */
  readonly title: string;
}

/** In the place of a variant: the study plans variant and degree from public numbers, for each ε. */
export const PLANNED = 'planned';

/** A plan and the number of players that take part, which decides what is collected where the plan leaves it open. */
export interface Sized {
  readonly plan: Plan;
  readonly study: Study;
  readonly players: number;
}

/** The request of the plan for the parameters of a variant. */
export function requestOf({ plan, study, players }: Sized, variant: string, epsilon: number): StudyRequest {
  const { delta, degree, grade, source, radius } = plan;
  const { dimension } = source.schema;
  const request = { variant, epsilon, delta, degree: degree === 'automatic' ? 1 : degree, dimension, grade };
  if (variant !== PLANNED) return request;
  const {
    plan: planOf,
    variants: [best],
  } = study;
  if (planOf === undefined || degree !== 'automatic' || radius === 'automatic') return { ...request, variant: best };
  return { ...request, ...planOf({ players, dimension, epsilon, radius }) };
}

/** The query of the plan to the tally of a variant. */
export function queryOf({ radius, degree, server, decoder, source }: Plan, variant: string): StudyQuery {
  return { radius, degree, variant, server, decoder, intercept: interceptOf(source.schema) };
}

/** Which run of a plan. */
export interface RunPlace {
  /** As in the plan. */
  readonly asked: string;
  readonly epsilon: number;
  /** From 1. */
  readonly repetition: number;
}

/** Whether a run is the headline: first variant, ε closest to 1, first repetition. */
export function isHeadline({ variants, epsilons }: Plan, { asked, epsilon, repetition }: RunPlace): boolean {
  return asked === variants[0] && epsilon === closestToOne(epsilons) && repetition === 1;
}

/**
 * How the tally of a run comes about.
 *
 * @throws RangeError where the plan asks for the law of sums of a tally that has none.
 */
export function lawOf(plan: Plan, study: Study, parameters: PublicParameters, run: RunPlace): 'reports' | 'sum' {
  if (plan.law === 'reports') return 'reports';
  const law = requiredLaw(study.sums, plan.protocol);
  if (plan.law === 'headline' && isHeadline(plan, run)) return 'reports';
  try {
    law.need(parameters);
    return 'sum';
  } catch (error) {
    if (plan.law === 'headline' && refusedAs(error) === 'value') return 'reports';
    throw error;
  }
}
