import { RefusedValue } from '../../check/refusal.ts';
import type { PointStudy } from '../../simulation/study.ts';
import { answer, type StudyKind } from '../commands/answer.ts';
import {
  ATTACK,
  AUDITED,
  CERTIFICATE,
  CERTIFY,
  count,
  DEGREE,
  epsilons,
  JSON_DOCUMENT,
  listOf,
  optionOr,
  positive,
  RECORD_FILE,
  RESULT,
  RUN,
  readNumber,
  repetitions,
  SHARED,
  whole,
} from '../commands/options.ts';
import { auditOneReport, certifyOneReport } from './records.ts';
import { forecastRisk, RISK_FORECAST } from './risk-forecast.ts';

const COORDINATES = optionOr('--dimension <number>', 'coordinates of a point', count, '10');

/** A share of the players. */
function share(name: string, typed: string): number {
  const value = readNumber(name, typed);
  if (!(value >= 0 && value < 1)) throw new RefusedValue(name, 'a share from 0 to below 1', value);
  return value;
}

const run = {
  ...RUN,
  epsilon: epsilons('1,2,4'),
  ...RECORD_FILE,
  degree: optionOr('--degree <number>', 'degree collected for', whole(0), '2'),
  radius: optionOr('--radius <number>', 'the place satisfies ‖w‖ ≤ radius', positive, '1'),
  moved: optionOr('--moved <list>', 'shares of the players moved to the far corner', listOf(share), '0,0.2'),
  repetitions: repetitions('1'),
  ...SHARED,
  ...RESULT,
};

const NOTES = `
The flights are the npm package vega-datasets; players are flights, and their points the airports they fly to.
The schema of --data names two or more coordinates with public bounds, which become the unit ball.`;

/** Protocols that find a location among private points. */
export const points: StudyKind<PointStudy> = {
  lacks: (protocol) => `${protocol} is on points without labels`,
  run: answer({
    offers: 'the destinations of the flights, or the points of a file',
    options: run,
    notes: NOTES,
    does: async (study: PointStudy, options, _word, workforce) =>
      (await import('./points/run.ts')).runPoints(study, options, workforce),
  }),
  certify: answer({
    offers: 'every variant',
    options: { ...CERTIFY, dimension: COORDINATES, degree: DEGREE, ...CERTIFICATE },
    does: certifyOneReport,
  }),
  audit: answer({
    offers: 'one report',
    options: { ...AUDITED, dimension: COORDINATES, degree: DEGREE, ...ATTACK },
    does: auditOneReport,
  }),
  forecast: answer({
    offers: 'excess risk, players needed',
    options: { ...RISK_FORECAST, dimension: COORDINATES, json: JSON_DOCUMENT },
    async does(study: PointStudy, options) {
      const { dimension, radius } = options;
      return forecastRisk(
        {
          protocol: study.protocol.name,
          variants: study.variants,
          choices: {},
          subject: '',
          unit: 'coordinates',
          population: `${study.assumption}; no data`,
          forecast: study.forecaster({ dimension, radius }),
        },
        options,
      );
    },
  }),
};
