import { describe, expect, test } from '@jest/globals';
import { study as median } from '../../../../protocols/euclidean-median/study.ts';
import { study as hinge } from '../../../../protocols/hinge/study.ts';
import { study as stream } from '../../../../protocols/online-sgd/study.ts';
import { study as users } from '../../../../protocols/user-level-mean/study.ts';
import type { ProtocolCommand } from '../../../../src/node/commands/kind.ts';
import { ALL_KINDS, answerFor, kindOf } from '../../../../src/node/commands/kinds.ts';
import {
  AUDIT_OPTIONS,
  CERTIFY_OPTIONS,
  FORECAST_OPTIONS,
  RUN_OPTIONS,
} from '../../../../src/node/commands/options.ts';
import type { AnyStudy } from '../../../../src/node/studies.ts';

const COMMANDS: readonly ProtocolCommand[] = ['run', 'certify', 'audit', 'forecast'];
const STUDIES = [hinge, median, users, stream] as unknown as readonly AnyStudy[];

const optionsOf = (name: ProtocolCommand, study: AnyStudy): readonly string[] =>
  answerFor(name, study)?.options.map((one) => one.attributeName()) ?? [];

describe('the kinds of studies', () => {
  test.each([
    ['run', RUN_OPTIONS],
    ['certify', CERTIFY_OPTIONS],
    ['audit', AUDIT_OPTIONS],
    ['forecast', FORECAST_OPTIONS],
  ] as const)('all have the common options of %s, and no option twice', (name, common) => {
    for (const study of STUDIES) {
      const options = optionsOf(name, study);
      expect(options).toEqual(expect.arrayContaining(common.map((one) => one.attributeName())));
      expect(new Set(options).size).toBe(options.length);
    }
  });

  test.each([
    ['run', hinge, ['server', 'decoder', 'loss', 'train', 'threads'], ['moved', 'profile', 'mu', 'ndjson']],
    ['run', median, ['moved', 'degree'], ['data', 'loss', 'threads', 'mu']],
    ['run', users, ['profile'], ['data', 'degree', 'radius', 'moved', 'threads']],
    ['run', stream, ['mu', 'burnIn', 'hessianMu', 'save', 'ndjson'], ['repetitions', 'degree', 'threads', 'train']],
    ['certify', hinge, ['degree'], ['mu', 'players', 'samples', 'request']],
    ['certify', stream, ['mu'], ['degree', 'samples']],
    ['audit', users, ['round', 'players', 'samples'], ['mu', 'degree']],
    ['forecast', median, ['target'], ['loss', 'signal', 'spread']],
  ] as const)('%s: each has its own', (name, study, own, others) => {
    const options = optionsOf(name, study as unknown as AnyStudy);
    expect(own.filter((one) => !options.includes(one))).toEqual([]);
    expect(others.filter((one) => options.includes(one))).toEqual([]);
  });

  // The words of a command are read before it is known which kind they are for.
  test.each(COMMANDS)('agree on whether an option of %s takes a value', (name) => {
    const flags = new Map<string, Set<boolean>>();
    for (const one of ALL_KINDS.flatMap((kind) => kind[name]?.options ?? [])) {
      flags.set(one.attributeName(), (flags.get(one.attributeName()) ?? new Set()).add(one.required));
    }
    expect([...flags].filter(([, takes]) => takes.size > 1)).toEqual([]);
  });

  test('give a reason for every option that they do not have', () => {
    for (const name of COMMANDS) {
      const all = ALL_KINDS.flatMap((kind) => kind[name]?.options ?? []).map((one) => one.attributeName());
      for (const study of STUDIES) {
        const answer = answerFor(name, study);
        const own = optionsOf(name, study);
        for (const one of new Set(all.filter((option) => !own.includes(option)))) {
          expect([one, answer?.lacks('p', one)]).toEqual([one, expect.stringMatching(/^[a-z].{8}/)]);
        }
      }
    }
    expect(kindOf(hinge as unknown as AnyStudy).run?.lacks('hinge', 'moved')).toBe('records are not moved');
    expect(kindOf(hinge as unknown as AnyStudy).run?.lacks('hinge', 'burnIn')).toBe('hinge is no stream of players');
  });

  test('do not take a study of another kind', () => {
    expect(() => kindOf({ ...hinge, kind: 'toString' } as unknown as AnyStudy)).toThrow(
      '"study" expected one of the kinds',
    );
  });
});
