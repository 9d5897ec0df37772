import type { Option } from 'commander';
import { checkInteger, refusal } from '../../../check/number.ts';
import { certify } from '../../../core/certify.ts';
import { isOneShot } from '../../module-file.ts';
import { jsonText, print, printJson } from '../../print.ts';
import type { PlainStudy } from '../../studies.ts';
import type { ForecastOptions } from '../forecast-options.ts';
import type { StudyKind } from '../kind.ts';
import { readNumber } from '../number-option.ts';
import { ATTACK_OPTIONS, CERTIFICATE_OPTIONS, option, optionOr } from '../options.ts';
import { readRequest } from '../request-option.ts';

const REQUEST: Option = option(
  '--request <json>',
  'what the protocol makes its parameters from: an object of JSON, or a file with one',
);

/** δ at which bounds on Gaussian claims are read as an ε, where the request has none. */
const DELTA = 1e-6;

const lacks = (protocol: string): string => `${protocol} has no study, and its request (--request) says everything`;

/** Protocols without a study: what they are asked for is their own request, as it is. */
export const plain: StudyKind<PlainStudy> = {
  certify: {
    offers: 'a request',
    options: [REQUEST, ...CERTIFICATE_OPTIONS],
    lacks,
    async does({ protocol }, options) {
      const request = await readRequest(options.request);
      return [certify(protocol, protocol.make(request), request)];
    },
  },
  audit: {
    offers: 'one report',
    has: ({ protocol }) => protocol.auditing !== undefined && isOneShot(protocol),
    options: [REQUEST, ...ATTACK_OPTIONS],
    lacks,
    async does({ protocol }, options) {
      const request = await readRequest(options.request);
      const { variant, grade = 'simulation' } = protocol.make(request);
      const { delta } = request;
      return { request, variant, grade, delta: typeof delta === 'number' && delta > 0 && delta < 1 ? delta : DELTA };
    },
  },
  forecast: {
    offers: 'what the protocol says of itself',
    has: ({ protocol }) => protocol.theory.forecast !== undefined,
    options: [
      REQUEST,
      optionOr('--players <number>', 'how many players there will be', '1e6'),
      option('--json', 'print one JSON document'),
    ],
    lacks,
    does: forecastRequest,
  },
};

async function forecastRequest({ protocol }: PlainStudy, options: ForecastOptions): Promise<void> {
  const { name, theory } = protocol;
  if (theory.forecast === undefined) throw new RangeError(refusal('protocol', 'one that has a forecast', name));
  const request = await readRequest(options.request);
  const players = checkInteger('players', readNumber('players', options.players), 1);
  const expected = theory.forecast(protocol.make(request), { players });
  if (options.json === true) {
    printJson(jsonText({ protocol: name, request, players, ...expected }));
    return;
  }
  const { what, assumption, error, floor } = expected;
  print([
    `${name}: ${players} players, ${JSON.stringify(request)}`,
    `assumed: ${assumption}; no data`,
    '',
    `${what}: ${error.toPrecision(3)}`,
    `which no number of players removes: ${floor === 0 ? '0' : floor.toPrecision(3)}`,
  ]);
}
