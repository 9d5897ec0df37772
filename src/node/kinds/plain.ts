import type { AuditedPart } from '../../audit/target.ts';
import { checkNonNegative, RefusedKind, RefusedValue } from '../../check/refusal.ts';
import { certify } from '../../core/certify.ts';
import type { PlainRequest, PublicParameters } from '../../core/contract.ts';
import type { Random } from '../../random/random.ts';
import type { SurveyStudy } from '../../simulation/study.ts';
import * as line from '../commands/options.ts';
import { openUnit, option, optionOr, whole } from '../commands/options.ts';
import { isObject, parseJson, readJsonDocument } from '../files.ts';
import { aligned, counted } from '../print.ts';
import { checkShape } from '../refused.ts';
import {
  type AnyProtocol,
  COMMANDS,
  command,
  isOneShot,
  type StudyAudit,
  type StudyKind,
  TRIED,
  type Values,
} from '../study.ts';
import type { PlainStudy, PlainTrial } from './plain-run.ts';

const REQUEST = option(
  '--request <json>',
  'what the protocol makes its parameters from: an object of JSON, or a file with one',
  line.text,
);

const EXPECTED = 'an object of JSON, or a file with one, of which the protocol makes parameters';

/** δ at which bounds on Gaussian claims are read as an ε, if the request has no δ. */
const DELTA = 1e-6;

/** The request in an option: an object of JSON, or the path of a file with one; by default that of the study. */
async function readRequest(typed: string | undefined, otherwise: PlainRequest | undefined): Promise<PlainRequest> {
  if (typed === undefined && otherwise !== undefined) return otherwise;
  if (typed === undefined) throw new RefusedValue('request', EXPECTED, 'none');
  const inline = typed.trimStart().startsWith('{');
  const found = inline ? parseJson(typed) : { value: await readJsonDocument('request', typed) };
  if ('fault' in found) throw new RefusedValue('request', `an object of ${found.fault}`, typed);
  if (isObject(found.value)) return found.value as PlainRequest;
  throw new RefusedKind('request', EXPECTED, found.value);
}

const run = {
  request: REQUEST,
  players: optionOr('--players <number>', 'how many made-up players there are', whole(16), '10000'),
  repetitions: line.repetitions('50'),
  seed: optionOr('--seed <text>', 'seed of the players and of all coins', line.text, 'ldpkit'),
};
const asked = { request: REQUEST };
const forecast = { request: REQUEST, players: line.FORECAST.players };

/** The player under attack: of one report, a step or rounds, in which made-up players of `trial` or of the audit's pairs came before. */
function plainAudit(protocol: AnyProtocol, trial?: PlainTrial): StudyAudit {
  const before = (parameters: PublicParameters) =>
    trial === undefined ? {} : { draw: (random: Random) => trial.datum(parameters as never, random) };
  const players = () => import('./plain-players.ts');
  const target = async (request: PlainRequest, part: AuditedPart = 'transcript') => {
    const { reportTarget, roundsTarget, stepTarget } = await players();
    const parameters = protocol.make(request);
    if (isOneShot(protocol)) return reportTarget(protocol, parameters);
    return 'rounds' in protocol
      ? roundsTarget(protocol, parameters, part, before(parameters))
      : stepTarget(protocol, parameters, before(parameters));
  };
  if (!('rounds' in protocol)) return { target };
  const parts = async (request: PlainRequest) => {
    const plan = protocol.make(request);
    return (await players()).roundsParts(protocol, plan, before(plan));
  };
  return { target, parts };
}

/** Protocols without a study: their request is used without any change. */
export const plain: StudyKind<PlainStudy> = {
  options: { run, certify: asked, audit: asked, forecast },
  elsewhere: { request: (protocol) => `parameters of ${protocol} are made from its options` },
  needs: {
    'request?': ['an object', ...COMMANDS],
    'trial?': [
      { about: 'a text', names: 'a function', datum: 'a function', truth: 'a function', found: 'a function' },
      'run',
      'audit',
    ],
  },
  open(study) {
    const { protocol, trial } = study;
    const { name, theory, auditing } = protocol;
    const requestOf = ({ request }: Values<typeof asked>) => readRequest(request, study.request);
    const several = 'rounds' in protocol ? 'each round, and all of them' : 'a step';
    return {
      protocol,
      lacks: () => `the request of ${name} (--request) says everything`,
      certify: command({
        offers: 'a request',
        options: asked,
        async does(options) {
          const request = await requestOf(options);
          return [certify(protocol, protocol.make(request), request)];
        },
      }),
      ...(trial === undefined
        ? {}
        : {
            run: command({
              offers: 'made-up players of its study',
              options: run,
              notes:
                '\nThe players are made up by the study of the module; a quarter and a sixteenth of them show how the error falls.',
              shared: true,
              does: async (options, workforce) =>
                (await import('./plain-run.ts')).runPlain(study, await requestOf(options), options, workforce),
            }),
          }),
      ...(auditing === undefined
        ? {}
        : {
            audit: command({
              offers: isOneShot(protocol) ? 'one report' : several,
              options: asked,
              ...plainAudit(protocol, trial),
              async does(options) {
                const request = await requestOf(options);
                const { variant, grade = 'simulation' } = protocol.make(request);
                const { delta } = request;
                const known = typeof delta === 'number' && delta > 0 && delta < 1;
                return { request, variant, grade, delta: known ? delta : DELTA };
              },
            }),
          }),
      ...(theory.forecast === undefined
        ? {}
        : {
            forecast: command({
              offers: 'what the protocol says of itself',
              options: forecast,
              async does(options) {
                const { players } = options;
                const request = await requestOf(options);
                const expected = theory.forecast!(protocol.make(request), { players });
                checkShape('forecast', expected, { what: 'a text', assumption: 'a text' });
                const { what, assumption } = expected;
                const error = checkNonNegative('forecast.error', expected.error);
                const floor = checkNonNegative('forecast.floor', expected.floor);
                return {
                  document: { protocol: name, request, players, ...expected },
                  lines: [
                    `${name}: ${counted(players, 'player')}, ${JSON.stringify(request)}`,
                    `assumed: ${assumption}; no data`,
                    '',
                    `${what}: ${error.toPrecision(3)}`,
                    `which no number of players removes: ${floor === 0 ? '0' : floor.toPrecision(3)}`,
                  ],
                };
              },
            }),
          }),
    };
  },
};

/** What is asked, by a schema file or by that of the flights. Certificates of other protocols read no schema. */
async function asking(study: SurveyStudy, typed: string | undefined) {
  const { surveyQuestion, budgetOf } = await import('./surveys-run.ts');
  return { question: study.request(await surveyQuestion(study, typed)), budgetOf };
}

const { delta: _, ...pureRun } = line.RUN;
const { schema } = line.RECORD_FILE;

const surveyRun = {
  ...pureRun,
  epsilon: line.epsilons('0.5,1,2,4'),
  ...line.RECORD_FILE,
  confidence: optionOr('--confidence <number>', 'probability that all intervals of a kind hold', openUnit, '0.95'),
  repetitions: line.repetitions('1'),
};

const SURVEY_NOTES = `
The flights are the npm package vega-datasets. The schema of --data is public: a column with its categories or the edges of its bins, or
columns of numbers with their bounds. certify, audit and forecast take the same schema, and no data.`;

const { variant, epsilon, grade } = line.CERTIFY;
const certified = { variant, epsilon, grade, schema };
const attacked = { ...certified, variant: line.AUDITED.variant };
const surveyForecast = { variant, epsilon, players: line.FORECAST.players, schema };

/** Protocols that estimate a few numbers, each with an interval, from one report per player. */
export const surveys: StudyKind<SurveyStudy> = {
  options: { run: surveyRun, certify: certified, audit: attacked, forecast: surveyForecast },
  needs: {
    ...TRIED,
    form: [['categories', 'numbers'], ...COMMANDS],
    flights: ['an object', ...COMMANDS],
    request: ['a function', ...COMMANDS],
    datum: ['a function', 'run'],
    quantities: ['a function', 'run'],
    truth: ['a function', 'run'],
  },
  open(study) {
    const { protocol, summary, variants, form } = study;
    const { name } = protocol;
    const forecasting = command({
      offers: 'the error of each variant',
      options: surveyForecast,
      async does({ variant: named = variants, epsilon, players, ...options }) {
        const { question } = await asking(study, options.schema);
        const best = protocol.make({ ...question, epsilon }).variant;
        const rows = line.knownVariants(named, variants).map((variant) => {
          const parameters = protocol.make({ ...question, epsilon, variant });
          return { variant, default: variant === best, ...protocol.theory.forecast!(parameters, { players }) };
        });
        return {
          document: { protocol: name, epsilon, players, request: question, rows },
          lines: [
            `${name}: ${counted(players, 'player')}, ε = ${epsilon}`,
            `assumed: ${rows[0].assumption}; no data`,
            '',
            ...aligned([
              ['variant', rows[0].what],
              ...rows.map((row) => [`${row.variant}${row.default ? ' (the default)' : ''}`, row.error.toPrecision(3)]),
            ]),
          ],
        };
      },
    });
    return {
      ...{ protocol, summary, variants, form },
      lacks: (option, elsewhere) =>
        option === 'delta'
          ? `the budget of ${name} is pure`
          : (elsewhere ?? `${name} asks about one category or a few numbers`),
      run: command({
        offers: 'the flights, or the columns of a file',
        options: surveyRun,
        notes: SURVEY_NOTES,
        flights: true,
        shared: true,
        does: async (options, workforce) => (await import('./surveys-run.ts')).runSurvey(study, options, workforce),
      }),
      certify: command({
        offers: 'every variant',
        options: certified,
        async does({ variant: named, epsilon, grade, ...options }) {
          const { question, budgetOf } = await asking(study, options.schema);
          return line.knownVariants(named ?? variants, variants).map((variant) => {
            const asked = { ...question, ...budgetOf(epsilon, grade, variant) };
            return certify(protocol, protocol.make(asked), asked);
          });
        },
      }),
      audit: command({
        offers: 'one report',
        options: attacked,
        ...plainAudit(protocol),
        async does({ variant: named, epsilon, grade, ...options }) {
          const { question, budgetOf } = await asking(study, options.schema);
          const request = { ...question, ...budgetOf(epsilon, grade, named) };
          return { request, variant: protocol.make(request).variant, grade, delta: 1e-6 };
        },
      }),
      ...(protocol.theory.forecast === undefined ? {} : { forecast: forecasting }),
    };
  },
};
