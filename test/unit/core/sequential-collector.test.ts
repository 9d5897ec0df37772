import { describe, expect, test } from '@jest/globals';
import { onlineSgd } from '../../../protocols/online-sgd/index.ts';
import { gdp, printedGdp } from '../../../protocols/online-sgd/parameters.ts';
import { ReportError } from '../../../src/check/refusal.ts';
import { createSequentialCollector } from '../../../src/core/collector.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

const request = { model: { kind: 'huber', features: 2 }, mu: 1 } as const;
const plan = gdp(request);
const datum = { features: [0.5, -0.25], response: 1 };
const random = seededRandom('collector');

type Collector = ReturnType<typeof open>;

function open(chosen = plan, options: { answered?: Uint8Array } = {}) {
  return createSequentialCollector(onlineSgd, chosen, options);
}

function answer(collector: Collector): Uint8Array {
  const step = collector.step();
  return onlineSgd.report.encode(step.plan, onlineSgd.player.randomize(step, datum, random));
}

describe('the front door of a stream', () => {
  test('counts each player once, however the id is spelled, and leaves the state as it is otherwise', () => {
    const collector = open();
    expect(collector.receive(answer(collector), 7)).toEqual({ outcome: 'counted', acceptance: 'in time' });
    const before = onlineSgd.server.save(plan, collector.state);
    for (const id of [7, 7n, '7']) expect(collector.receive(answer(collector), id)).toEqual({ outcome: 'duplicate' });
    expect(onlineSgd.server.save(plan, collector.state)).toEqual(before);
    expect(collector.receive(answer(collector), 'eight').outcome).toBe('counted');
    expect(collector.counts).toEqual({ counted: 2, duplicate: 3, refused: 0 });
    expect(collector.step().index).toBe(3);
  });

  test('refuses a stale report in words, and its player has answered; or counts it as late', () => {
    const collector = open();
    const first = answer(collector);
    const second = answer(collector);
    collector.receive(first, 1);
    expect(collector.receive(second, 2)).toEqual({
      outcome: 'refused',
      reason: '"report" expected one of step 2, got the stale 1',
    });
    // Another report of the same player would tell more of its datum than one: it was seen, though not counted.
    expect(collector.receive(answer(collector), 2)).toEqual({ outcome: 'duplicate' });
    expect(collector.receive(second, '2')).toEqual({ outcome: 'duplicate' });
    expect(collector.receive(answer(collector), 3).outcome).toBe('counted');
    expect(collector.counts).toEqual({ counted: 2, duplicate: 2, refused: 1 });
    expect([collector.state.steps, collector.state.players]).toEqual([2, 2]);

    const patient = open(gdp({ ...request, stale: 'accept late' }));
    const [one, two] = [answer(patient), answer(patient)];
    expect(patient.receive(one, 1)).toEqual({ outcome: 'counted', acceptance: 'in time' });
    expect(patient.receive(two, 2)).toEqual({ outcome: 'counted', acceptance: 'late' });
    expect([patient.state.steps, patient.state.players, patient.state.late]).toEqual([2, 2, 1]);
  });

  test('refuses damaged bytes, and reports of another plan', () => {
    const collector = open();
    const bytes = answer(collector);
    expect(collector.receive(bytes.slice(1)).outcome).toBe('refused');
    expect(collector.receive(answer(open(gdp({ ...request, mu: 2 })))).outcome).toBe('refused');
    expect(collector.receive(answer(open(printedGdp(request)))).outcome).toBe('refused');
    expect(collector.counts).toEqual({ counted: 0, duplicate: 0, refused: 3 });
    // What could not be read marks nobody: the bytes may be sent again.
    expect(collector.receive(bytes.slice(1), 'a').outcome).toBe('refused');
    expect(collector.receive(bytes, 'a').outcome).toBe('counted');
  });

  test('goes on from a saved state with those who have answered', () => {
    const collector = open();
    collector.receive(answer(collector), 'a');
    const state = onlineSgd.server.restore(plan, onlineSgd.server.save(plan, collector.state));
    const again = createSequentialCollector(onlineSgd, plan, { state, answered: collector.answered() });
    expect(again.receive(answer(again), 'a')).toEqual({ outcome: 'duplicate' });
    expect(again.receive(answer(again), 'b').outcome).toBe('counted');
    expect(again.step().index).toBe(3);
    // Also those whose report was stale; and nothing that was saved for another plan is believed.
    const stale = answer(again);
    again.receive(answer(again), 'c');
    expect(again.receive(stale, 'd').outcome).toBe('refused');
    const third = open(plan, { answered: again.answered() });
    const ids = ['a', 'b', 'c', 'd', 'e'];
    expect(ids.map((id) => third.receive(answer(third), id).outcome)).toEqual([
      ...['duplicate', 'duplicate', 'duplicate', 'duplicate'],
      'counted',
    ]);
    for (const answered of [third.answered().slice(16), open(gdp({ ...request, mu: 2 })).answered()]) {
      expect(() => open(plan, { answered })).toThrow(
        new ReportError('"answered" expected the bytes that were saved for the same plan and state'),
      );
    }
  });

  test.each([-1, 1.5, NaN, '', 'x'.repeat(257), -1n, 10n ** 100n, null, {}])(
    'refuses the id %p without showing it',
    (id) => {
      const collector = open();
      const bytes = answer(collector);
      expect(() => collector.receive(bytes, id as string)).toThrow(
        /^"playerId" expected a text (of 1 to 256 characters )?or a whole number( from 0 to 2\^256 - 1, from 2\^53 on as a bigint)?$/,
      );
      expect(collector.state.players).toBe(0);
    },
  );

  test('refuses a plan of another protocol', () => {
    const other = { ...plan, protocol: 'hinge' };
    expect(() => open(other)).toThrow('"plan" expected a plan of online-sgd, got "hinge"');
  });
});
