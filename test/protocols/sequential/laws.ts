import type { PublicParameters } from '../../../src/core/contract.ts';
import type { SequentialProtocol, SequentialSimulation, SequentialStep } from '../../../src/core/interactive.ts';
import { stepByStep } from '../../../src/simulation/runner.ts';
import { coins, refusalOf, spelled } from '../../../src/testing/contract/law.ts';

/** What a sequential protocol is tried on. */
export interface SequentialCase<Plan, Datum, Estimate, Query> {
  /** What violations are filed under. */
  readonly name: string;
  /** Makes the plan from the request, anew at each call. */
  make(): Plan;
  /** Plans of the same protocol made from other requests. */
  readonly others: readonly Plan[];
  /** Data of many players. */
  readonly data: readonly Datum[];
  /** A query that is served from the first step on, and one for intervals after all data. */
  readonly queries: readonly [Query, Query];
  /** The numbers of an estimate. */
  numbers(estimate: Estimate): readonly number[];
  /** How many reports the first query needs. */
  readonly needed: number;
  /** How many players answer a step. */
  readonly batch: number;
  /** What the plan does with reports of earlier steps. */
  readonly stale: 'refuse' | 'accept late';
}

// biome-ignore lint/suspicious/noExplicitAny: the laws hold for every choice of the types
type AnyProtocol = SequentialProtocol<any, any, any, any, any, any, any>;
// biome-ignore lint/suspicious/noExplicitAny: as above
type AnyCase = SequentialCase<any, any, any, any>;

// biome-ignore lint/suspicious/noExplicitAny: as above
type Simulation = SequentialSimulation<any, any, any>;

interface Subject {
  readonly protocol: AnyProtocol;
  readonly trial: AnyCase;
  readonly plan: PublicParameters;
}

interface Law {
  readonly sentence: string;
  broken(subject: Subject): Iterable<string>;
}

/** Lets players answer, one after the other; returns their reports. */
function play({ protocol, plan, trial }: Subject, state: unknown, from: number, to: number, seed: string): unknown[] {
  const random = coins(seed);
  return trial.data.slice(from, to).map((datum) => {
    const report = protocol.player.randomize(protocol.server.step(plan, state), datum, random);
    protocol.server.accept(plan, state, report);
    return report;
  });
}

const saved = ({ protocol, plan }: Subject, state: unknown): string => spelled([protocol.server.save(plan, state)]);

/** The laws of sequential protocols: each is written once. */
const SEQUENTIAL_LAWS: readonly Law[] = [
  {
    sentence: 'the same coins give the same stream, and other coins another',
    *broken(subject) {
      const [one, two, other] = ['a', 'a', 'b'].map((seed) => {
        const state = subject.protocol.server.start(subject.plan);
        play(subject, state, 0, subject.trial.data.length, seed);
        return saved(subject, state);
      });
      if (one !== two) yield 'two runs differ';
      if (one === other) yield 'the coins do not matter';
    },
  },
  {
    sentence: 'steps count from 1, one for every batch of reports, at the iterate of the reports before',
    *broken(subject) {
      const { protocol, plan, trial } = subject;
      const state = protocol.server.start(plan);
      for (let i = 0; i < trial.data.length; i++) {
        const step: SequentialStep<PublicParameters> = protocol.server.step(plan, state);
        const before = spelled(step.iterate);
        if (step.index !== 1 + Math.floor(i / trial.batch)) yield `report ${i} is asked for as step ${step.index}`;
        if (spelled(step.plan) !== spelled(plan)) yield 'the step has another plan';
        play(subject, state, i, i + 1, `step ${i}`);
        const moved = spelled(protocol.server.step(plan, state).iterate) !== before;
        if (moved !== ((i + 1) % trial.batch === 0))
          yield `report ${i} ${moved ? 'moves' : 'does not move'} the iterate`;
      }
    },
  },
  {
    sentence: 'a report that was encoded and decoded moves the state as the report itself',
    *broken(subject) {
      const { protocol, plan, trial } = subject;
      const [direct, wired] = [protocol.server.start(plan), protocol.server.start(plan)];
      const reports = play(subject, direct, 0, trial.data.length, 'wire');
      for (const report of reports) {
        protocol.server.accept(plan, wired, protocol.report.decode(plan, protocol.report.encode(plan, report)));
      }
      if (saved(subject, direct) !== saved(subject, wired)) yield 'they differ';
    },
  },
  {
    sentence: 'a stream that was saved and restored goes on bit for bit, from bytes and from JSON, wherever it is cut',
    *broken(subject) {
      const { protocol, plan, trial } = subject;
      const { server } = protocol;
      const { length } = trial.data;
      for (const cut of [0, 1, 2, 3, 7, length - 1].filter((at) => at < length)) {
        const state = server.start(plan);
        play(subject, state, 0, cut, 'first');
        const fromBytes = server.restore(plan, server.save(plan, state));
        const fromJson = server.fromJson(plan, JSON.parse(JSON.stringify(server.toJson(plan, state))));
        for (const each of [state, fromBytes, fromJson]) play(subject, each, cut, length, 'second');
        if (saved(subject, fromBytes) !== saved(subject, state)) yield `bytes, cut after ${cut}`;
        if (saved(subject, fromJson) !== saved(subject, state)) yield `JSON, cut after ${cut}`;
        if (spelled(fromBytes) !== spelled(state)) yield `something is not saved, cut after ${cut}`;
        const answers = [state, fromBytes, fromJson].map((each) =>
          spelled(server.estimate(plan, each, trial.queries[1])),
        );
        if (new Set(answers).size > 1) yield `the estimates differ, cut after ${cut}`;
      }
    },
  },
  {
    sentence:
      'a simulation ends in the state of players and server one after the other, with as many coins, wherever it is cut',
    *broken({ protocol, plan, trial }) {
      const { length } = trial.data;
      const players = 4 * length;
      // Every second segment by `even`, the others by `odd`.
      const ends = (even: Simulation, odd: Simulation, cuts: readonly number[]): string => {
        const state = protocol.server.start(plan);
        const random = coins('simulation');
        let at = 0;
        const next = (): unknown => trial.data[at++ % length];
        for (const [i, cut] of [...cuts, players].entries())
          (i % 2 === 0 ? even : odd)(plan, state, cut - at, next, random);
        return saved({ protocol, plan, trial }, state);
      };
      const slow = stepByStep(protocol);
      const fast = protocol.simulate ?? slow;
      const whole = ends(slow, slow, []);
      for (const cuts of [[], [0], [1, 2], [63, 64], [65, 129], [7, 7, 100]]) {
        if (ends(fast, slow, cuts) !== whole) yield `another state, cut at ${cuts}`;
        if (ends(slow, fast, cuts) !== whole) yield `another state, cut at ${cuts} and begun one by one`;
      }
    },
  },
  {
    sentence: 'saving and estimating leave the state as it is',
    *broken(subject) {
      const { protocol, plan, trial } = subject;
      const state = protocol.server.start(plan);
      play(subject, state, 0, trial.data.length, 'leave');
      const before = spelled(state);
      protocol.server.save(plan, state);
      protocol.server.toJson(plan, state);
      for (const query of trial.queries) protocol.server.estimate(plan, state, query);
      protocol.server.step(plan, state);
      if (spelled(state) !== before) yield 'it was changed';
    },
  },
  {
    sentence: 'the size of a state does not depend on how many have answered',
    *broken(subject) {
      const { protocol, plan, trial } = subject;
      const state = protocol.server.start(plan);
      const { length } = protocol.server.save(plan, state);
      play(subject, state, 0, trial.data.length, 'size');
      if (protocol.server.save(plan, state).length !== length) yield 'it grows';
    },
  },
  {
    sentence:
      'a stale report is refused with a ReportError and changes nothing, or is counted as late: as the plan says',
    *broken(subject) {
      const { protocol, plan, trial } = subject;
      const state = protocol.server.start(plan);
      const [first] = play(subject, state, 0, 2 * trial.batch, 'stale');
      const before = spelled(state);
      let acceptance: unknown;
      const error = refusalOf(() => {
        acceptance = protocol.server.accept(plan, state, first);
      });
      if (trial.stale === 'accept late') {
        if (error !== undefined) yield `refused: ${error.message}`;
        else if (acceptance !== 'late') yield `accepted as ${acceptance}`;
      } else {
        if (error?.name !== 'ReportError') yield `not refused, but ${error?.name ?? acceptance}`;
        if (spelled(state) !== before) yield 'the state has changed';
      }
    },
  },
  {
    sentence: 'a report of a step that was not asked yet, or of none, is refused and changes nothing',
    *broken(subject) {
      const { protocol, plan, trial } = subject;
      const state = protocol.server.start(plan);
      const [report] = play(subject, protocol.server.start(plan), 0, 1, 'early');
      const before = spelled(state);
      for (const step of [2, 1e6, 0, -1, 1.5, Number.NaN, Infinity, '1', undefined]) {
        const error = refusalOf(() => protocol.server.accept(plan, state, { ...(report as object), step }));
        if (error?.name !== 'ReportError') yield `step ${step}: ${error?.name ?? 'accepted'}`;
      }
      if (spelled(state) !== before) yield 'the state has changed';
      if (trial.data.length === 0) yield 'nothing was tried';
    },
  },
  {
    sentence: 'a state of another plan is refused by everything that takes one, and damaged bytes by restore',
    *broken({ protocol, plan, trial }) {
      const { server } = protocol;
      for (const other of trial.others) {
        const theirs = server.start(other);
        for (const [what, call] of Object.entries({
          step: () => server.step(plan, theirs),
          estimate: () => server.estimate(plan, theirs, trial.queries[0]),
          save: () => server.save(plan, theirs),
          restore: () => server.restore(plan, server.save(other, theirs)),
          fromJson: () => server.fromJson(plan, server.toJson(other, theirs)),
        })) {
          const error = refusalOf(call);
          if (error === undefined) yield `${what} takes it`;
          else if (!/^"state" expected/.test(error.message)) yield `${what}: ${error.message}`;
        }
      }
      const bytes: Uint8Array = server.save(plan, server.start(plan));
      for (const length of [0, 1, 5, 40, bytes.length - 8, bytes.length - 1]) {
        if (refusalOf(() => server.restore(plan, bytes.slice(0, length)))?.name !== 'ReportError') {
          yield `${length} bytes are restored`;
        }
      }
      const poisoned = bytes.slice();
      new DataView(poisoned.buffer).setFloat64(bytes.length - 8, Number.NaN, true);
      if (refusalOf(() => server.restore(plan, poisoned))?.name !== 'ReportError') yield 'a NaN is restored';
    },
  },
  {
    sentence: 'an estimate before the first step is refused, and every number of one after it is finite',
    *broken(subject) {
      const { protocol, plan, trial } = subject;
      const state = protocol.server.start(plan);
      for (const query of trial.queries) {
        if (!(refusalOf(() => protocol.server.estimate(plan, state, query)) instanceof RangeError)) yield 'of nothing';
      }
      for (let i = 0; i < trial.data.length; i++) {
        play(subject, state, i, i + 1, `finite ${i}`);
        for (const query of i + 1 >= trial.needed ? trial.queries : []) {
          let numbers: readonly number[] = [];
          const error = refusalOf(() => {
            numbers = trial.numbers(protocol.server.estimate(plan, state, query));
          });
          if (!numbers.every(Number.isFinite)) yield `after ${i + 1} reports it is ${numbers}`;
          const last = i + 1 === trial.data.length || query === trial.queries[0];
          if (error !== undefined && (last || !(error instanceof RangeError))) yield `${i + 1}: ${error.message}`;
        }
      }
    },
  },
];

/** A law that was found broken. */
export interface SequentialViolation {
  readonly trial: string;
  readonly law: string;
  readonly found: readonly string[];
}

/** Tries a sequential protocol on cases and returns the laws it breaks. It throws nothing. */
export function checkSequential<
  Plan extends PublicParameters,
  Step extends SequentialStep<Plan>,
  Datum,
  Report,
  State,
  Estimate,
  Query,
>(
  protocol: SequentialProtocol<Plan, Step, Datum, Report, State, Estimate, Query>,
  cases: readonly SequentialCase<Plan, Datum, Estimate, Query>[],
  laws: readonly Law[] = SEQUENTIAL_LAWS,
): SequentialViolation[] {
  const violations: SequentialViolation[] = [];
  for (const trial of cases) {
    for (const { sentence, broken } of laws) {
      const found: string[] = [];
      try {
        for (const finding of broken({ protocol, plan: trial.make(), trial })) if (found.push(finding) === 5) break;
      } catch (error) {
        found.push(`threw ${String(error)}`);
      }
      if (found.length > 0) violations.push({ trial: trial.name, law: sentence, found });
    }
  }
  return violations;
}
