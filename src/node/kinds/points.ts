import { RefusedValue } from '../../check/refusal.ts';
import type { PointStudy } from '../../simulation/study.ts';
import * as line from '../commands/options.ts';
import { command, type StudyKind } from '../study.ts';
import { oneReport } from './records.ts';
import { forecastRisk, RISK_FORECAST } from './risk-forecast.ts';

const COORDINATES = line.optionOr('--dimension <number>', 'coordinates of a point', line.count, '10');

/** A share of the players. */
function share(name: string, typed: string): number {
  const value = line.readNumber(name, typed);
  if (!(value >= 0 && value < 1)) throw new RefusedValue(name, 'a share from 0 to below 1', value);
  return value;
}

const run = {
  ...line.RUN,
  epsilon: line.epsilons('1,2,4'),
  ...line.RECORD_FILE,
  degree: line.optionOr('--degree <number>', 'degree collected for', line.whole(0), '2'),
  radius: line.optionOr('--radius <number>', 'the place satisfies ‖w‖ ≤ radius', line.radius, '1'),
  moved: line.optionOr('--moved <list>', 'shares of the players moved to the far corner', line.listOf(share), '0,0.2'),
  repetitions: line.repetitions('1'),
};

const NOTES = `
The flights are the npm package vega-datasets; players are flights, and their points the airports they fly to.
The schema of --data names two or more coordinates with public bounds, which become the unit ball.`;

const forecast = { ...RISK_FORECAST, dimension: COORDINATES };
const certified = { ...line.CERTIFY, dimension: COORDINATES, degree: line.DEGREE };
const attacked = { ...line.AUDITED, dimension: COORDINATES, degree: line.DEGREE };

/** Protocols that find a location among private points. */
export const points: StudyKind<PointStudy> = {
  options: { run, certify: certified, audit: attacked, forecast },
  open: (study) => ({
    protocol: study.protocol,
    summary: study.summary,
    variants: study.variants,
    form: 'points',
    lacks: (_, elsewhere) => elsewhere ?? `${study.protocol.name} is on points without labels`,
    uncertainty: (parameters) => (tally, found) => study.uncertainty(parameters, tally, found),
    run: command({
      offers: 'the destinations of the flights, or the points of a file',
      options: run,
      notes: NOTES,
      flights: true,
      shared: true,
      does: async (options, workforce) => (await import('./points/run.ts')).runPoints(study, options, workforce),
    }),
    ...oneReport(study, { certify: certified, audit: attacked }),
    forecast: command({
      offers: 'excess risk, players needed',
      options: forecast,
      does(options) {
        const assumed = {
          protocol: study.protocol.name,
          variants: study.variants,
          choices: {},
          subject: '',
          unit: 'coordinate',
          population: `${study.assumption}; no data`,
          forecast: study.forecaster(options),
        };
        return forecastRisk(assumed, options);
      },
    }),
  }),
};
