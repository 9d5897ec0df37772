import { certify } from '../../core/certify.ts';
import type { SurveyStudy } from '../../simulation/study.ts';
import { answer, type StudyKind } from '../commands/answer.ts';
import {
  ATTACK,
  AUDITED,
  CERTIFICATE,
  CERTIFY,
  epsilons,
  FORECAST,
  JSON_DOCUMENT,
  knownVariants,
  openUnit,
  optionOr,
  RECORD_FILE,
  RESULT,
  RUN,
  repetitions,
  SHARED,
} from '../commands/options.ts';
import { aligned } from '../print.ts';

/** What is asked, by a schema file or by that of the flights. Certificates of other protocols read no schema. */
async function asking(study: SurveyStudy, typed: string | undefined) {
  const { surveyQuestion, budgetOf } = await import('./surveys-run.ts');
  return { question: study.request(await surveyQuestion(study, typed)), budgetOf };
}

const { delta: _, ...pureRun } = RUN;
const { schema } = RECORD_FILE;

const run = {
  ...pureRun,
  epsilon: epsilons('0.5,1,2,4'),
  ...RECORD_FILE,
  confidence: optionOr('--confidence <number>', 'probability that all intervals of a kind hold', openUnit, '0.95'),
  repetitions: repetitions('1'),
  ...SHARED,
  ...RESULT,
};

const NOTES = `
The flights are the npm package vega-datasets. The schema of --data is public: a column with its categories or the edges of its bins, or
columns of numbers with their bounds. certify, audit and forecast take the same schema, and no data.`;

/** Protocols that estimate a few numbers, each with an interval, from one report per player. */
export const surveys: StudyKind<SurveyStudy> = {
  lacks: (protocol) => `${protocol} asks about one category or a few numbers`,
  run: answer({
    offers: 'the flights, or the columns of a file',
    options: run,
    notes: NOTES,
    does: async (study: SurveyStudy, options, _word, workforce) =>
      (await import('./surveys-run.ts')).runSurvey(study, options, workforce),
  }),
  certify: answer({
    offers: 'every variant',
    options: { variant: CERTIFY.variant, epsilon: CERTIFY.epsilon, grade: CERTIFY.grade, schema, ...CERTIFICATE },
    async does(study: SurveyStudy, { variant: named, epsilon, grade, ...options }) {
      const { protocol, variants } = study;
      const { question, budgetOf } = await asking(study, options.schema);
      return knownVariants(named ?? variants, variants).map((variant) => {
        const asked = { ...question, ...budgetOf(epsilon, grade, variant) };
        return certify(protocol, protocol.make(asked), asked);
      });
    },
  }),
  audit: answer({
    offers: 'one report',
    options: { variant: AUDITED.variant, epsilon: AUDITED.epsilon, grade: AUDITED.grade, schema, ...ATTACK },
    async does(study: SurveyStudy, { variant: named, epsilon, grade, ...options }) {
      const { question, budgetOf } = await asking(study, options.schema);
      const request = { ...question, ...budgetOf(epsilon, grade, named) };
      return { request, variant: study.protocol.make(request).variant, grade, delta: 1e-6 };
    },
  }),
  forecast: answer({
    offers: 'the error of each variant',
    options: {
      variant: FORECAST.variant,
      epsilon: FORECAST.epsilon,
      players: FORECAST.players,
      schema,
      json: JSON_DOCUMENT,
    },
    async does(study: SurveyStudy, { variant: named = study.variants, epsilon, players, ...options }) {
      const { protocol } = study;
      const { question } = await asking(study, options.schema);
      const best = protocol.make({ ...question, epsilon }).variant;
      const rows = knownVariants(named, study.variants).map((variant) => {
        const parameters = protocol.make({ ...question, epsilon, variant });
        return { variant, default: variant === best, ...protocol.theory.forecast!(parameters, { players }) };
      });
      return {
        document: { protocol: protocol.name, epsilon, players, request: question, rows },
        lines: [
          `${protocol.name}: ${players} players, ε = ${epsilon}`,
          `assumed: ${rows[0].assumption}; no data`,
          '',
          ...aligned([
            ['variant', rows[0].what],
            ...rows.map((row) => [`${row.variant}${row.default ? ' (the default)' : ''}`, row.error.toPrecision(3)]),
          ]),
        ],
      };
    },
  }),
};
