import { checkFunctions, fieldOf } from '../check/datum.ts';
import { checkInteger, RefusedKind, RefusedValue } from '../check/refusal.ts';
import { checkSums, type DefinedTally } from './channel.ts';
import type { PlainRequest } from './contract.ts';
import {
  checkWithout,
  type DefinedParameters,
  type DefinedParts,
  type DefinedReport,
  type Definition,
  defineProtocol,
} from './define.ts';
import type { Precision } from './frame.ts';
import { checkReplay, type FinishedRound, goOn, type RoundParameters, type RoundsProtocol } from './interactive.ts';
import { digestOf, type Json, readWhole } from './request.ts';

/** What the players of one round of a defined protocol receive: the fields of the plan, and what is asked in it. */
export type DefinedRound<Setting, Asked> = Setting &
  RoundParameters & {
    /** The public numbers that the tallies of earlier rounds decide; of the first round the plan alone decides them. */
    readonly asked: Asked;
  };

/** A round of a defined protocol that is over. */
export type DefinedFinished<Setting, Asked, Field extends string> = FinishedRound<
  DefinedRound<Setting, Asked>,
  DefinedTally<Field>
>;

/** What a designer writes for a protocol in rounds; `defineRounds` makes the rest. */
export interface RoundsDefinition<
  Setting,
  Asked,
  Datum,
  Values extends Precision,
  Field extends string,
  Estimate,
  Query,
> extends DefinedParts<Setting, DefinedRound<Setting, Asked>, DefinedRound<Setting, Asked>, Datum, Values, Field> {
  readonly rounds: {
    /** How many rounds there are, from 1 to 1000. */
    count(plan: DefinedParameters<Setting>): number;
    /** Whether the same players answer in every round, and `privacy` is about all their answers. Default: fresh ones. */
    repeats?(plan: DefinedParameters<Setting>): boolean;
    /** Share of all players who answer in a round. Default: all of them where they repeat, otherwise as many in each. */
    share?(plan: DefinedParameters<Setting>, round: number): number;
    /** What is asked in round 0, as an object of plain data. A device computes it itself. */
    first(plan: DefinedParameters<Setting>): Asked;
    /**
     * What is asked in the round after the finished ones, as an object of plain data: it is computed from the plan and the
     * tallies alone. Each finished round has at least one report; where that is too few to go on, it throws.
     */
    next(plan: DefinedParameters<Setting>, finished: readonly DefinedFinished<Setting, Asked, Field>[]): Asked;
    /**
     * Whether this plan can ask that in a round from 1 on, whatever the reports were. A device asks it of plain data that
     * it received, so any field may be missing or of another kind; what it throws counts as no.
     */
    accepts(plan: DefinedParameters<Setting>, round: number, asked: Asked): boolean;
  };
  /** What all rounds say about the population. Each of them has at least one report. */
  estimate(
    plan: DefinedParameters<Setting>,
    finished: readonly DefinedFinished<Setting, Asked, Field>[],
    query?: Query,
  ): Estimate;
}

/** A whole protocol in rounds that was defined. */
export type DefinedRoundsProtocol<
  Setting,
  Asked,
  Datum,
  Report,
  Field extends string,
  Estimate,
  Query,
> = RoundsProtocol<
  DefinedParameters<Setting>,
  DefinedRound<Setting, Asked>,
  Datum,
  Report,
  DefinedTally<Field>,
  Estimate,
  Query
> & {
  /** A plan from plain data. */
  make(request: PlainRequest): DefinedParameters<Setting>;
};

/** The largest number of rounds of a plan. */
const MOST_ROUNDS = 1000;

/** What is written into a round beside the fields of its plan. */
const WRITTEN = ['round', 'share', 'repeats', 'asked'];

/**
 * A whole protocol in rounds from a small definition: `defineProtocol` for a plan and what is asked in each of its
 * rounds. It works with `open`, devices, collectors, `certify`, `verifyCertificate`, `conduct` and the command line like
 * the protocols of the package.
 *
 * What `defineProtocol` keeps is kept here, and in addition: a report is bound to its round and to what was asked in it.
 * A device makes each round again from its own plan, computes itself what the first one asks, and refuses, before it
 * reads a datum, what `rounds.accepts` does not take. Finished rounds that do not follow from the plan and the tallies
 * before them are refused.
 *
 * Guarantee: the one stated in `privacy`; nothing here proves it. An audit may refute it.
 * @throws TypeError or RangeError for a name, a version or a channel that cannot be used.
 */
export function defineRounds<
  Setting extends object,
  Asked extends object,
  Datum,
  Values extends Precision,
  Field extends string,
  Estimate,
  Query = undefined,
>(
  definition: RoundsDefinition<Setting, Asked, Datum, Values, Field, Estimate, Query>,
): DefinedRoundsProtocol<Setting, Asked, Datum, DefinedReport[Values], Field, Estimate, Query> {
  type Plan = DefinedParameters<Setting>;
  type Round = DefinedRound<Setting, Asked>;
  type Finished = readonly DefinedFinished<Setting, Asked, Field>[];
  const { rounds, tally, fields } = definition;
  checkFunctions(definition, ['rounds.count', 'rounds.first', 'rounds.next', 'rounds.accepts']);
  // A round is a one-shot protocol, whose functions are given the round; those of the plan are given the plan.
  const { name, make, player, report, server, theory, auditing } = defineProtocol(
    definition as unknown as OneRound<Datum, Values, Field>,
  );
  const { empty, add, merge } = server;

  function remake(plan: Plan, received: unknown): Round {
    const index = checkInteger('round.round', fieldOf(received, 'round'), 0, countOf(plan) - 1);
    if (index === 0) return roundOf(plan, 0, rounds.first(plan));
    const round = roundOf(plan, index, fieldOf(received, 'asked') as Asked);
    if (accepted(plan, round)) return round;
    throw new RefusedValue('round.asked', `what this plan can ask in round ${index}`, round.asked);
  }

  function accepted(plan: Plan, { round, asked }: Round): boolean {
    try {
      return rounds.accepts(plan, round, asked) === true;
    } catch {
      // What was received may have any form.
      return false;
    }
  }

  const countOf = (plan: Plan): number => checkInteger('rounds.count', rounds.count(plan), 1, MOST_ROUNDS);

  const repeats = (plan: Plan): boolean => rounds.repeats?.(plan) === true;

  function roundOf(plan: Plan, round: number, given: Asked): Round {
    const asked = plainCopy('round.asked', given);
    if (asked === null || typeof asked !== 'object' || Array.isArray(asked)) {
      throw new RefusedKind('round.asked', 'an object', given);
    }
    const again = repeats(plan);
    const { request: _, digest, ...known } = plan;
    return {
      ...known,
      digest: digestOf({ plan: digest, round, asked }),
      round,
      share: rounds.share?.(plan, round) ?? (again ? 1 : 1 / countOf(plan)),
      ...(again ? { repeats: true } : {}),
      asked,
    } as unknown as Round;
  }

  function after(plan: Plan, finished: Finished): Round | undefined {
    if (finished.length >= countOf(plan)) return undefined;
    if (finished.length === 0) return roundOf(plan, 0, rounds.first(plan));
    const round = roundOf(plan, finished.length, rounds.next(plan, finished));
    if (!accepted(plan, round)) {
      throw new RefusedValue('rounds.next', `what rounds.accepts takes in round ${round.round}`, round.asked);
    }
    return round;
  }

  function check(plan: Plan, finished: Finished): void {
    finished.forEach(({ round, tally: kept }, i) => {
      const { digest } = remake(plan, round);
      if (round.round !== i || round.digest !== digest) {
        throw new RefusedValue(`finished[${i}].round.digest`, `that of round ${i}, ${digest}`, round.digest);
      }
      checkSums(`finished[${i}].tally`, round, kept, tally.sums(round));
      if (kept.players < 1) throw new RefusedValue(`finished[${i}].tally.players`, 'at least one report', kept.players);
    });
    checkReplay(plan, finished, next);
  }

  const { first, next } = goOn<Plan, Round, DefinedTally<Field>>(check, after);
  return {
    name,
    make: (request: PlainRequest) => checkWithout(make(request), WRITTEN),
    ...(fields === undefined ? {} : { fields }),
    player,
    report,
    server: { empty, add, merge },
    rounds: {
      first,
      next,
      remake,
      answers: (plan: Plan) => (repeats(plan) ? countOf(plan) : 1),
      estimate(plan: Plan, finished: Finished, query?: Query) {
        check(plan, finished);
        const count = countOf(plan);
        if (finished.length !== count) throw new RefusedValue('finished', `all ${count} rounds`, finished.length);
        if (query === undefined || fields !== undefined) return definition.estimate(plan, finished, query);
        return readWhole('query', query as object, (asked) => definition.estimate(plan, finished, asked as Query));
      },
    },
    theory,
    ...(auditing === undefined ? {} : { auditing }),
  } as unknown as DefinedRoundsProtocol<Setting, Asked, Datum, DefinedReport[Values], Field, Estimate, Query>;
}

type OneRound<Datum, Values extends Precision, Field extends string> = Definition<
  object,
  Datum,
  Values,
  Field,
  unknown,
  undefined
>;

/** How deep what is asked may be nested, and how many values it may hold. */
const DEEPEST = 20;
const MOST_VALUES = 2 ** 20;

/** A copy of plain data that a server computed or a device received, 0 for −0; anything else is refused by its name. */
function plainCopy(name: string, given: unknown, depth: number = 0, room = { left: MOST_VALUES }): Json {
  if (--room.left < 0 || depth > DEEPEST) {
    throw new RefusedValue(`"${name}" expected at most ${MOST_VALUES} values, at most ${DEEPEST} deep`);
  }
  if (typeof given === 'number' && Number.isFinite(given)) return given + 0;
  if (given === null || typeof given === 'string' || typeof given === 'boolean') return given;
  if (Array.isArray(given)) {
    // The length of what a server sent may be anything; its entries are counted one by one.
    const copy: Json[] = [];
    for (let i = 0; i < given.length; i++) copy.push(plainCopy(`${name}[${i}]`, given[i], depth + 1, room));
    return copy;
  }
  // By its name: an object of another realm is as plain.
  if (Object.prototype.toString.call(given) !== '[object Object]') {
    throw new RefusedKind(name, 'plain data: finite numbers, texts, booleans, null, lists and objects', given);
  }
  const entries = Object.entries(given as object).filter(([, part]) => part !== undefined);
  return Object.fromEntries(
    entries.map(([field, part]) => [field, plainCopy(`${name}.${field}`, part, depth + 1, room)]),
  );
}
