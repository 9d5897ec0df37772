import { fieldOf } from '../../check/datum.ts';
import { RefusedValue } from '../../check/refusal.ts';
import type { Protocol, PublicParameters } from '../../core/contract.ts';
import type {
  FinishedRound,
  RoundParameters,
  RoundsProtocol,
  SequentialProtocol,
  SequentialStep,
} from '../../core/interactive.ts';
import { attackRound, attackStep, type Lie, liesAbout, STRANGERS } from '../hostile.ts';
import { type AnyProtocol, type AnyTrial, coins, type Law, numbersIn, refusalOf, spelled } from './law.ts';

// biome-ignore lint/suspicious/noExplicitAny: the laws hold for every choice of the types
type AnyRounds = RoundsProtocol<any, any, any, any, any, any, any>;
// biome-ignore lint/suspicious/noExplicitAny: as above
type AnyStream = SequentialProtocol<any, any, any, any, any, any, any>;

type Finished = FinishedRound<RoundParameters, unknown>;

/** A protocol of any of the three kinds. */
export type AnyKind = AnyProtocol | AnyRounds | AnyStream;

export const isRounds = (protocol: AnyKind): protocol is AnyRounds => 'rounds' in protocol;

export const isStream = (protocol: AnyKind): protocol is AnyStream => 'accept' in protocol.server;

/** The rounds of a plan, each answered by all data with fixed coins. */
function playRounds({ player, server, rounds }: AnyRounds, plan: PublicParameters, data: readonly unknown[]) {
  const finished: Finished[] = [];
  const random = coins('rounds');
  for (let round = rounds.first(plan); round !== undefined; round = rounds.next(plan, finished)) {
    const tally = server.empty(round);
    for (const datum of data) server.add(round, tally, player.randomize(round, datum, random));
    finished.push({ round, tally });
  }
  return finished;
}

export interface OneReport {
  readonly protocol: AnyProtocol;
  readonly trial: AnyTrial;
}

/** What of a case does not depend on estimates and their queries. */
function withoutEstimate({ queries: _, content: __, numbers: ___, ...rest }: AnyTrial): AnyTrial {
  return rest;
}

/** Each round of a plan as the one-shot protocol that it is; what its tally holds stands in the place of an estimate. */
export function roundsAlone(protocol: AnyRounds, trial: AnyTrial): readonly OneReport[] {
  const { name, player, report, server, theory, rounds } = protocol;
  const plan = trial.make();
  const alone: Protocol<RoundParameters, unknown, unknown, { readonly digest: string }, readonly number[]> = {
    name,
    player,
    report,
    server: {
      ...server,
      estimate(round, tally) {
        if (tally.digest !== round.digest || spelled(tally) === spelled(server.empty(round))) {
          throw new RefusedValue('"tally" expected reports of this round');
        }
        return numbersIn(tally);
      },
    },
    theory: {
      guarantee: () => theory.guarantee(plan),
      certificate: () => theory.certificate(plan),
      neighbourDistance: () => theory.neighbourDistance(plan),
    },
  };
  const played = playRounds(protocol, plan, trial.data);
  return played.map(({ round }, at) => ({
    protocol: alone,
    trial: {
      ...withoutEstimate(trial),
      name: `${trial.name}, round ${at}`,
      make: () => playRounds(protocol, trial.make(), trial.data)[at].round,
      others: [
        ...trial.others.map((other) => rounds.first(other)),
        ...played.map((each) => each.round).filter((each) => each !== round),
      ],
    },
  }));
}

/**
 * The first step of a stream, or the one after all data have answered, as a protocol of one report. A merge it has not,
 * and no law of servers is for it.
 */
export function stepAlone(protocol: AnyStream, trial: AnyTrial, after: 'none' | 'all'): OneReport {
  const { name, player, report, server, theory } = protocol;
  const count = after === 'none' ? 0 : trial.data.length;
  const stepOf = (plan: PublicParameters) => {
    const state = server.start(plan);
    answer({ protocol, plan, trial }, state, 0, count);
    return server.step(plan, state);
  };
  const alone: AnyProtocol = {
    name,
    report,
    theory,
    player: {
      randomize: (plan, datum, random) => player.randomize(stepOf(plan), datum, random),
      randomizeInto: (plan, datum, random, target) => player.randomizeInto(stepOf(plan), datum, random, target),
      clip: (plan, datum) => player.clip(stepOf(plan), datum),
    },
    server: {
      empty: server.start,
      add: (plan, state, each) => void server.accept(plan, state, each),
      merge() {
        throw new Error('a stream has no merge');
      },
      estimate: (plan, state) => numbersIn(server.toJson(plan, state)),
    },
  };
  return {
    protocol: alone,
    trial: { ...withoutEstimate(trial), name: `${trial.name}, step ${after === 'none' ? 1 : 'after all data'}` },
  };
}

/** A protocol in rounds, a case, and its rounds as all data answer them. */
export interface PlayedRounds {
  readonly protocol: AnyRounds;
  readonly trial: AnyTrial;
  readonly plan: PublicParameters;
  readonly finished: readonly Finished[];
}

export function played(protocol: AnyRounds, trial: AnyTrial): PlayedRounds {
  const plan = trial.make();
  return { protocol, trial, plan, finished: playRounds(protocol, plan, trial.data) };
}

/** One lie in so many; the attacks of the entry try all of them. */
export function someLies(honest: object, stride: number): readonly Lie[] {
  return [...liesAbout(honest), ...STRANGERS].filter((_, i) => i % stride === 0);
}

/** Data that a device may be given: two of the domain and two that are not. */
export const givenData = ({ data, refused }: AnyTrial): readonly unknown[] => [
  ...data.slice(0, 2),
  ...Object.values(refused).slice(0, 2),
];

export const roundsLaws: readonly Law<PlayedRounds>[] = [
  {
    sentence: 'a round that travelled as JSON is made again by the device from its own plan, and is the same round',
    *broken({ protocol, plan, finished }) {
      for (const [i, { round }] of finished.entries()) {
        const received = JSON.parse(JSON.stringify(round));
        if (protocol.rounds.remake(plan, received).digest !== round.digest) yield `round ${i}`;
      }
    },
  },
  {
    sentence: 'rounds count from 0, and no player answers more of them than the plan says',
    *broken({ protocol, plan, finished }) {
      const answers: number = protocol.rounds.answers(plan);
      let share = 0;
      for (const [i, { round }] of finished.entries()) {
        if (round.round !== i) yield `round ${i} is number ${round.round}`;
        share += round.share;
        if (answers === 1 && (round.repeats === true || share > 1 + 1e-9)) yield `round ${i} has no fresh players`;
        if (!(round.share > 0 && round.share <= 1)) yield `round ${i} has a share of ${round.share}`;
      }
      if (answers > 1 && finished.length > answers) yield `${finished.length} rounds, and ${answers} answers`;
    },
  },
  {
    sentence: 'a report of a round is refused in every other',
    *broken({ protocol, trial, finished }) {
      for (const [i, { round }] of finished.entries()) {
        const bytes = protocol.report.encode(round, protocol.player.randomize(round, trial.data[0], coins('other')));
        for (const [j, other] of finished.entries()) {
          const error = refusalOf(() => protocol.report.decode(other.round, bytes));
          if (i !== j && error?.name !== 'ReportError') yield `of round ${i} in ${j}: ${error?.name ?? 'taken'}`;
        }
      }
    },
  },
  {
    sentence: 'a round that does not follow from the plan and the tallies before it is not gone on from',
    *broken({ protocol, plan, finished }) {
      for (const [i, { round, tally }] of finished.entries()) {
        const digest = round.digest.replace(/^./, (first) => (first === '0' ? '1' : '0'));
        const forged = [...finished.slice(0, i), { round: { ...structuredClone(round), digest }, tally }];
        for (const call of [
          () => protocol.rounds.next(plan, forged),
          () => protocol.rounds.estimate(plan, [...forged, ...finished.slice(i + 1)]),
        ]) {
          if (!(refusalOf(call) instanceof RangeError)) yield `round ${i}`;
        }
      }
      // Of other tallies: the same rounds in another order.
      const turned = finished.toReversed();
      if (finished.length > 1 && !(refusalOf(() => protocol.rounds.estimate(plan, turned)) instanceof RangeError)) {
        yield 'rounds in another order';
      }
    },
  },
  {
    sentence: 'an estimate needs all rounds, and every number of it is finite',
    *broken({ protocol, trial, plan, finished }) {
      if (!(refusalOf(() => protocol.rounds.estimate(plan, finished.slice(0, -1))) instanceof RangeError)) {
        yield 'without the last round';
      }
      for (const query of trial.queries ?? [undefined]) {
        const numbers = (trial.numbers ?? numbersIn)(protocol.rounds.estimate(plan, finished, query));
        if (numbers.length === 0 || !numbers.every(Number.isFinite)) yield numbers.join(' ');
      }
    },
  },
  {
    sentence: 'going on and estimating change neither plan nor tallies, and asked twice they answer the same',
    *broken({ protocol, trial, plan, finished }) {
      // Whoever writes into a plan has done so when the rounds were played.
      const before = spelled([trial.make(), finished]);
      const answers = [1, 2].map(() =>
        spelled([
          ...finished.map((_, i) => protocol.rounds.next(plan, finished.slice(0, i))),
          (trial.numbers ?? numbersIn)(protocol.rounds.estimate(plan, finished, trial.queries?.[0])),
        ]),
      );
      if (spelled([plan, finished]) !== before) yield 'something was changed';
      if (answers[0] !== answers[1]) yield 'two answers';
    },
  },
  {
    sentence: 'a device makes no round in which a text or an object stands for a number',
    *broken({ protocol, plan, finished }) {
      for (const [i, { round }] of finished.entries()) {
        for (const { what, sent } of liesAbout(round)) {
          const [path, lie] = what.split(' = ');
          const honest = path.split('.').reduce<unknown>(fieldOf, round);
          if (typeof honest !== 'number' || !['7', '[object Object]'].includes(lie)) continue;
          let made = round.digest;
          refusalOf(() => {
            made = protocol.rounds.remake(plan, sent).digest;
          });
          if (made !== round.digest) yield `round ${i} with ${what}`;
        }
      }
    },
  },
  {
    sentence: 'a device answers a round of its plan or nothing, and whether it answers tells nothing of the datum',
    *broken({ protocol, trial, plan, finished }) {
      if (plan.grade !== 'deployment') return;
      for (const { round } of finished) {
        yield* attackRound(protocol, plan, round, givenData(trial), someLies(round, 7));
      }
    },
  },
];

export interface StreamSubject {
  readonly protocol: AnyStream;
  readonly trial: AnyTrial;
  readonly plan: PublicParameters;
}

function answer({ protocol, plan, trial }: StreamSubject, state: unknown, from: number, to: number): unknown[] {
  const random = coins(`answers ${from}`);
  return trial.data.slice(from, to).map((datum) => {
    const report = protocol.player.randomize(protocol.server.step(plan, state), datum, random);
    protocol.server.accept(plan, state, report);
    return report;
  });
}

export const streamLaws: readonly Law<StreamSubject>[] = [
  {
    sentence: 'steps count from 1, a device takes each, and a report moves the state as much after it travelled',
    *broken(subject) {
      const { protocol, plan, trial } = subject;
      const plain = spelled(plan);
      const [direct, wired] = [protocol.server.start(plan), protocol.server.start(plan)];
      let before = 0;
      for (let i = 0; i < trial.data.length; i++) {
        const step: SequentialStep<PublicParameters> = protocol.server.step(plan, direct);
        const { index, iterate } = step;
        const sent = { ...step, plan: { digest: plan.digest }, iterate: Array.from(iterate) };
        if (spelled(protocol.player.remake(plan, sent)) !== spelled(step)) yield `step ${index} is made another one`;
        if (index !== before && index !== before + 1) yield `step ${index} after ${before}`;
        before = index;
        const [report] = answer(subject, direct, i, i + 1);
        protocol.server.accept(plan, wired, protocol.report.decode(plan, protocol.report.encode(plan, report)));
      }
      if (spelled(direct) !== spelled(wired)) yield 'the states differ';
      if (spelled(plan) !== plain) yield 'the plan was changed';
    },
  },
  {
    sentence: 'a stream that was saved and restored goes on bit for bit, from bytes and from JSON',
    *broken(subject) {
      const { protocol, plan, trial } = subject;
      const { server } = protocol;
      const { length } = trial.data;
      for (const cut of [0, 1, 2, length - 1]) {
        const state = server.start(plan);
        answer(subject, state, 0, cut);
        const restored = [
          server.restore(plan, server.save(plan, state)),
          server.fromJson(plan, JSON.parse(JSON.stringify(server.toJson(plan, state)))),
        ];
        for (const each of [state, ...restored]) answer(subject, each, cut, length);
        if (restored.some((each) => spelled(each) !== spelled(state))) yield `cut after ${cut}`;
      }
    },
  },
  {
    sentence:
      'a stale report is late or refused, one of a step to come is refused, and what is refused changes nothing',
    *broken(subject) {
      const { protocol, plan, trial } = subject;
      const state = protocol.server.start(plan);
      const reports = answer(subject, state, 0, trial.data.length);
      if (protocol.server.step(plan, state).index === 1) {
        yield 'all data are one step: give more';
        return;
      }
      const [stale, fresh] = [spelled(state), protocol.server.start(plan)];
      let acceptance: unknown;
      const error = refusalOf(() => {
        acceptance = protocol.server.accept(plan, state, reports[0]);
      });
      if (error === undefined ? acceptance !== 'late' : error.name !== 'ReportError') yield 'a stale one is neither';
      if (error !== undefined && spelled(state) !== stale) yield 'a refused stale one changes the state';
      const ahead = protocol.server.restore(plan, protocol.server.save(plan, state));
      const coming = protocol.player.randomize(protocol.server.step(plan, ahead), trial.data[0], coins('coming'));
      const before = spelled(fresh);
      if (refusalOf(() => protocol.server.accept(plan, fresh, coming))?.name !== 'ReportError') yield 'one to come';
      if (spelled(fresh) !== before) yield 'a refused one changes the state';
    },
  },
  {
    sentence: 'a state of another plan, and damaged bytes of one, are refused',
    *broken({ protocol, plan, trial }) {
      const { server } = protocol;
      for (const other of trial.others) {
        const theirs = server.start(other);
        for (const [what, call] of Object.entries({
          step: () => server.step(plan, theirs),
          estimate: () => server.estimate(plan, theirs),
          save: () => server.save(plan, theirs),
          restore: () => server.restore(plan, server.save(other, theirs)),
        })) {
          if (refusalOf(call) === undefined) yield `${what} takes it`;
        }
      }
      const bytes: Uint8Array = server.save(plan, server.start(plan));
      for (const length of [0, 1, bytes.length - 1]) {
        if (refusalOf(() => server.restore(plan, bytes.slice(0, length)))?.name !== 'ReportError') {
          yield `${length} bytes are restored`;
        }
      }
      // A zero that became a one, wherever it is in the second half.
      const at = bytes.lastIndexOf('0'.charCodeAt(0));
      const changed = bytes.slice();
      changed[at] = '1'.charCodeAt(0);
      if (at >= 0 && refusalOf(() => server.restore(plan, changed))?.name !== 'ReportError') yield 'a changed byte';
    },
  },
  {
    sentence: 'an estimate needs a report, changes nothing, is changed by nothing, and every number of it is finite',
    *broken(subject) {
      const { protocol, plan, trial } = subject;
      const state = protocol.server.start(plan);
      if (!(refusalOf(() => protocol.server.estimate(plan, state)) instanceof RangeError)) yield 'of nothing';
      answer(subject, state, 0, trial.data.length);
      const before = spelled([plan, state]);
      for (const query of trial.queries ?? [undefined]) {
        const [first, second] = [1, 2].map(() => protocol.server.estimate(plan, state, query));
        const numbers = (trial.numbers ?? numbersIn)(first);
        if (numbers.length === 0 || !numbers.every(Number.isFinite)) yield numbers.join(' ');
        if (spelled(first) !== spelled(second)) yield 'asked twice, two answers';
      }
      if (spelled([plan, state]) !== before) yield 'it changes the state or the plan';
      const estimate = protocol.server.estimate(plan, state, trial.queries?.[0]);
      const spelt = spelled(estimate);
      answer(subject, state, 0, trial.data.length);
      if (spelled(estimate) !== spelt) yield 'later reports change it';
    },
  },
  {
    sentence: 'a device answers a step of its plan or nothing, and whether it answers tells nothing of the datum',
    *broken(subject) {
      const { protocol, plan, trial } = subject;
      if (plan.grade !== 'deployment') return;
      const state = protocol.server.start(plan);
      yield* attackStep(protocol, plan, protocol.server.step(plan, state), givenData(trial));
      answer(subject, state, 0, trial.data.length);
      yield* attackStep(protocol, plan, protocol.server.step(plan, state), givenData(trial));
    },
  },
];
