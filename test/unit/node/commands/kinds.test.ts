import { describe, expect, test } from '@jest/globals';
import { study as median } from '../../../../protocols/euclidean-median/protocol.ts';
import { study as waves } from '../../../../protocols/gradient-waves/protocol.ts';
import { study as hinge } from '../../../../protocols/hinge/protocol.ts';
import { study as influence } from '../../../../protocols/influence-sgd/protocol.ts';
import { study as newton } from '../../../../protocols/noisy-newton/protocol.ts';
import { study as stream } from '../../../../protocols/online-sgd/protocol.ts';
import { study as erm } from '../../../../protocols/user-level-erm/protocol.ts';
import { study as users } from '../../../../protocols/user-level-mean/protocol.ts';
import { AUDITED, CERTIFY, FORECAST, nameOf, RUN } from '../../../../src/node/commands/options.ts';
import { commandsOf, KINDS, knownOptions, reasonFor } from '../../../../src/node/studies.ts';
import { COMMANDS, type CommandStudy, type ProtocolCommand, type StudyData } from '../../../../src/node/study.ts';

const opened = (study: unknown): CommandStudy => commandsOf(study as StudyData, 'a word');
const STUDIES = [hinge, median, users, stream].map(opened);

const optionsOf = (name: ProtocolCommand, study: CommandStudy): readonly string[] =>
  Object.keys(study[name]?.options ?? {});

describe('the kinds of studies', () => {
  test.each([
    ['run', RUN],
    ['certify', CERTIFY],
    ['audit', AUDITED],
    ['forecast', FORECAST],
  ] as const)('all have the common options of %s', (name, common) => {
    for (const study of STUDIES) {
      const options = optionsOf(name, study);
      expect(options).toEqual(expect.arrayContaining(Object.keys(common)));
    }
  });

  test.each([
    ['run', hinge, ['server', 'decoder', 'loss', 'train', 'threads'], ['moved', 'profile', 'mu', 'ndjson']],
    ['run', median, ['moved', 'degree', 'data'], ['loss', 'threads', 'mu', 'player']],
    ['run', users, ['profile', 'data', 'player'], ['degree', 'radius', 'moved', 'threads']],
    ['run', erm, ['epsilon', 'player', 'samples'], ['mu', 'delta', 'profile']],
    ['run', waves, ['epsilon', 'radius', 'waves', 'data'], ['mu', 'delta', 'player', 'samples']],
    ['audit', waves, ['radius', 'waves', 'round'], ['mu', 'delta', 'samples']],
    ['run', newton, ['mu', 'data'], ['waves', 'radius', 'epsilon', 'delta', 'player', 'samples']],
    ['certify', newton, ['mu'], ['epsilon', 'delta', 'samples']],
    ['audit', erm, ['epsilon'], ['mu', 'delta']],
    ['run', influence, ['epsilon', 'delta'], ['mu', 'player']],
    ['run', stream, ['mu', 'burnIn', 'hessianMu', 'save', 'ndjson'], ['repetitions', 'degree', 'threads', 'train']],
    ['certify', hinge, ['degree'], ['mu', 'players', 'samples', 'request']],
    ['certify', stream, ['mu'], ['degree', 'samples']],
    ['audit', users, ['round', 'players', 'samples'], ['mu', 'degree']],
    ['forecast', median, ['target'], ['loss', 'signal', 'spread']],
  ] as const)('%s: each has its own', (name, study, own, others) => {
    const options = optionsOf(name, opened(study));
    expect(own.filter((one) => !options.includes(one))).toEqual([]);
    expect(others.filter((one) => options.includes(one))).toEqual([]);
  });

  test('are called by the names of their values', () => {
    for (const name of COMMANDS) {
      for (const { options } of Object.values(KINDS)) {
        expect(Object.values(options[name]).map(({ flags }) => nameOf(flags))).toEqual(Object.keys(options[name]));
      }
    }
  });

  // The words of a command are read before it is known which kind they are for.
  test.each(COMMANDS)('agree on whether an option of %s takes a value', (name) => {
    const flags = new Map<string, Set<boolean>>();
    for (const [option, one] of Object.values(KINDS).flatMap(({ options }) => Object.entries(options[name]))) {
      flags.set(option, (flags.get(option) ?? new Set()).add(one.flags.includes('<')));
    }
    expect([...flags].filter(([, takes]) => takes.size > 1)).toEqual([]);
  });

  test('give a reason for every option that they do not have', () => {
    for (const name of COMMANDS) {
      const all = Object.keys(knownOptions(name));
      for (const study of STUDIES) {
        const own = optionsOf(name, study);
        for (const one of all.filter((option) => !own.includes(option))) {
          expect([one, reasonFor(study, one)]).toEqual([one, expect.stringMatching(/^[a-z].{8}/)]);
        }
      }
    }
    expect(reasonFor(opened(hinge), 'moved')).toBe('records are not moved');
    expect(reasonFor(opened(hinge), 'burnIn')).toBe('hinge is no stream of players');
  });

  test('do not take a study of another kind', () => {
    expect(() => opened({ ...hinge, kind: 'toString' })).toThrow('"study" expected one of the kinds');
  });
});
