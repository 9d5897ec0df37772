import { describe, expect, test } from '@jest/globals';
import { study as median } from '../../../../protocols/euclidean-median/protocol.ts';
import { study as frequency } from '../../../../protocols/frequency/protocol.ts';
import { study as waves } from '../../../../protocols/gradient-waves/protocol.ts';
import { study as hinge } from '../../../../protocols/hinge/protocol.ts';
import { study as influence } from '../../../../protocols/influence-sgd/protocol.ts';
import { study as newton } from '../../../../protocols/noisy-newton/protocol.ts';
import { study as stream } from '../../../../protocols/online-sgd/protocol.ts';
import { study as erm } from '../../../../protocols/user-level-erm/protocol.ts';
import { study as users } from '../../../../protocols/user-level-mean/protocol.ts';
import { AUDITED, CERTIFY, FORECAST, nameOf, RUN } from '../../../../src/node/commands/options.ts';
import { playHere } from '../../../../src/node/jobs/jobs.ts';
import type { ModelRunDocument } from '../../../../src/node/kinds/models/result.ts';
import { runModel } from '../../../../src/node/kinds/models/run.ts';
import { commandsOf, KINDS, knownOptions, reasonFor } from '../../../../src/node/studies.ts';
import { COMMANDS, type CommandStudy, type ProtocolCommand, type StudyData } from '../../../../src/node/study.ts';
import { PEOPLE_SCHEMA, peopleCsv } from '../command-line.ts';
import { scratchFolder } from '../scratch.ts';

const write = scratchFolder();
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

const { protocol, ...trial } = {
  protocol: frequency.protocol,
  ...{ about: 'all alike', names: () => ['first'], datum: () => 0, truth: () => [1], found: () => [1] },
};
const plain = { kind: 'plain', protocol, request: { epsilon: 1, categories: 4 }, trial };
const ALL = { records: hinge, points: median, users, stream, model: newton, survey: frequency, plain };

/** What a command of a study says before it does anything; its options come after. */
async function saidBy(study: unknown, name: ProtocolCommand): Promise<string> {
  try {
    await opened(study)[name]?.does({} as never, undefined as never);
    return 'nothing';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a study that lacks what its kind needs', () => {
  test('has kinds that are all tried here', () => {
    expect(Object.keys(ALL)).toEqual(Object.keys(KINDS));
  });

  test.each(Object.entries(ALL))(
    '%s: is refused by the commands that need it, and by no others',
    async (kind, study) => {
      for (const [name, [, ...by]] of Object.entries(KINDS[kind].needs)) {
        const field = name.replace('?', '');
        if (field === 'protocol') continue;
        const { [field]: _, ...without } = study as unknown as Readonly<Record<string, unknown>>;
        for (const [given, refused] of [
          [without, field === name],
          [{ ...study, [field]: 1n }, true],
        ] as const) {
          for (const command of COMMANDS) {
            const expected = refused && by.includes(command);
            if (command in opened(given))
              expect([command, field, (await saidBy(given, command)).startsWith(`"study.${field}" expected `)]).toEqual(
                [...[command, field, expected]],
              );
          }
        }
      }
    },
  );

  test.each([
    ['run', { ...hinge, variants: undefined }, '"study.variants" expected a list of one or more texts, got undefined'],
    ['run', { ...hinge, variants: [] }, '"study.variants" expected a list of one or more texts, got an array'],
    ['run', { ...hinge, optimum: {} }, '"study.optimum" expected a function, got an object'],
    ['forecast', { ...median, forecaster: null }, '"study.forecaster" expected a function, got null'],
    [
      'run',
      { ...users, scalar: { variants: ['a'] } },
      '"study.scalar.baselines" expected a list of texts, got undefined',
    ],
    [
      'run',
      { ...newton, play: { ...newton.play, records: 'rows' } },
      '"study.play.records" expected one of regression, sides, players, got "rows"',
    ],
    [
      'audit',
      { ...newton, defaults: { certify: {} } },
      '"study.defaults.certify.players" expected a number, got undefined',
    ],
    ['run', { ...plain, trial: { ...trial, found: 3 } }, '"study.trial.found" expected a function, got 3'],
    ['run', { ...users, protocol: frequency.protocol }, '"study.protocol.rounds" expected an object, got undefined'],
    [
      'audit',
      { ...stream, protocol: frequency.protocol },
      '"study.protocol.server.start" expected a function, got undefined',
    ],
  ] as const)('%s is refused with the path of the field: %#', async (name, study, message) => {
    expect(await saidBy(study, name)).toBe(message);
  });

  test('has commands of its own, which need none of it', async () => {
    const document = { protocol: 'a', title: 'b', seed: 'c' };
    const own = { offers: 'it', options: {}, does: () => ({ document, result: () => ({}) }) };
    for (const kind of Object.keys(KINDS)) {
      const bare = { kind, protocol, commands: { run: own } };
      expect([kind, await saidBy(bare, 'run')]).toEqual([kind, 'nothing']);
    }
    expect(await saidBy({ kind: 'records', protocol, commands: { run: own } }, 'forecast')).toMatch(
      /^"study.variants"/,
    );
  });

  test('tells a collector of nothing that it does not have', () => {
    const { uncertainty: _, ...without } = hinge;
    expect([opened(hinge).uncertainty, opened(without).uncertainty]).toEqual([expect.any(Function), undefined]);
  });
});

test('what the noise leaves open about a rival is that of its own budget, beside one variant and beside two', async () => {
  const [data, schema] = [write('people.csv', peopleCsv(40)), write('people.json', JSON.stringify(PEOPLE_SCHEMA))];
  const asked = { epsilon: [1, 4], mu: [], delta: 1e-6, grade: 'simulation', repetitions: 1, seed: 'a' } as const;
  const nothing = { player: undefined, samples: undefined, radius: undefined, waves: undefined, players: undefined };
  const [one, two] = await Promise.all(
    [['printed'], ['printed', 'recalibrated']].map(async (variant) => {
      const played = await runModel(influence, { ...asked, ...nothing, data, schema, variant }, playHere());
      const { runs } = played!.document as unknown as ModelRunDocument;
      return runs.filter((run) => run.variant === 'output perturbation').map(({ uncertainty }) => uncertainty);
    }),
  );
  expect(two).toEqual(one);
  // The control: another budget leaves something else open.
  expect(one[0]).not.toEqual(one[1]);
});
