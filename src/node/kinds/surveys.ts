import { certify } from '../../core/certify.ts';
import type { SurveyStudy } from '../../simulation/study.ts';
import * as line from '../commands/options.ts';
import { aligned, counted } from '../print.ts';
import { command, type StudyKind } from '../study.ts';
import { plainAudit } from './plain.ts';

/** What is asked, by a schema file or by that of the flights. Certificates of other protocols read no schema. */
async function asking(study: SurveyStudy, typed: string | undefined) {
  const { surveyQuestion, budgetOf } = await import('./surveys-run.ts');
  return { question: study.request(await surveyQuestion(study, typed)), budgetOf };
}

const { delta: _, ...pureRun } = line.RUN;
const { schema } = line.RECORD_FILE;

const run = {
  ...pureRun,
  epsilon: line.epsilons('0.5,1,2,4'),
  ...line.RECORD_FILE,
  confidence: line.optionOr(
    '--confidence <number>',
    'probability that all intervals of a kind hold',
    line.openUnit,
    '0.95',
  ),
  repetitions: line.repetitions('1'),
};

const NOTES = `
The flights are the npm package vega-datasets. The schema of --data is public: a column with its categories or the edges of its bins, or
columns of numbers with their bounds. certify, audit and forecast take the same schema, and no data.`;

const certified = {
  variant: line.CERTIFY.variant,
  epsilon: line.CERTIFY.epsilon,
  grade: line.CERTIFY.grade,
  schema,
};
const attacked = { ...certified, variant: line.AUDITED.variant };
const forecast = {
  variant: line.FORECAST.variant,
  epsilon: line.FORECAST.epsilon,
  players: line.FORECAST.players,
  schema,
};

/** Protocols that estimate a few numbers, each with an interval, from one report per player. */
export const surveys: StudyKind<SurveyStudy> = {
  options: { run, certify: certified, audit: attacked, forecast },
  open(study) {
    const { protocol, summary, variants, form } = study;
    const { name } = protocol;
    return {
      ...{ protocol, summary, variants, form },
      lacks: (option, elsewhere) =>
        option === 'delta'
          ? `the budget of ${name} is pure`
          : (elsewhere ?? `${name} asks about one category or a few numbers`),
      run: command({
        offers: 'the flights, or the columns of a file',
        options: run,
        notes: NOTES,
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
      forecast: command({
        offers: 'the error of each variant',
        options: forecast,
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
                ...rows.map((row) => [
                  `${row.variant}${row.default ? ' (the default)' : ''}`,
                  row.error.toPrecision(3),
                ]),
              ]),
            ],
          };
        },
      }),
    };
  },
};
