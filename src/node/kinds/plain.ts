import { RefusedKind, RefusedValue } from '../../check/refusal.ts';
import { certify } from '../../core/certify.ts';
import type { PlainRequest } from '../../core/contract.ts';
import { answer, type StudyKind } from '../commands/answer.ts';
import {
  ATTACK,
  CERTIFICATE,
  count,
  JSON_DOCUMENT,
  option,
  optionOr,
  RESULT,
  repetitions,
  SHARED,
  text,
  whole,
} from '../commands/options.ts';
import { parseJson, readJsonDocument } from '../files.ts';
import { isOneShot, type PlainStudy } from '../studies.ts';

const REQUEST = option(
  '--request <json>',
  'what the protocol makes its parameters from: an object of JSON, or a file with one',
  text,
);

const EXPECTED = 'an object of JSON, or a file with one, of which the protocol makes parameters';

/** δ at which bounds on Gaussian claims are read as an ε, if the request has no δ. */
const DELTA = 1e-6;

/**
 * The request in an option: an object of JSON, or the path of a file with one; by default that of the study.
 *
 * @throws TypeError or RangeError for anything else, and where there is none.
 */
async function readRequest(typed: string | undefined, otherwise: PlainRequest | undefined): Promise<PlainRequest> {
  if (typed === undefined && otherwise !== undefined) return otherwise;
  if (typed === undefined) throw new RefusedValue('request', EXPECTED, 'none');
  const value = typed.trimStart().startsWith('{') ? parsed(typed) : await readJsonDocument('request', typed);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as PlainRequest;
  throw new RefusedKind('request', EXPECTED, value);
}

function parsed(typed: string): unknown {
  const found = parseJson(typed);
  if ('fault' in found) throw new RefusedValue('request', `an object of ${found.fault}`, typed);
  return found.value;
}

/** Protocols without a study: their request is used without any change. */
export const plain: StudyKind<PlainStudy> = {
  lacks: (protocol) => `${protocol} has no study, and its request (--request) says everything`,
  run: answer({
    offers: 'made-up players of its study',
    has: ({ protocol, trial }) => trial !== undefined && isOneShot(protocol),
    options: {
      request: REQUEST,
      players: optionOr('--players <number>', 'how many made-up players there are', whole(16), '10000'),
      repetitions: repetitions('50'),
      seed: optionOr('--seed <text>', 'seed of the players and of all coins', text, 'ldpkit'),
      ...SHARED,
      ...RESULT,
    },
    notes:
      '\nThe players are made up by the study of the module; a quarter and a sixteenth of them show how the error falls.',
    async does(study: PlainStudy, options, _word, workforce) {
      const request = await readRequest(options.request, study.request);
      return (await import('./plain-run.ts')).runPlain(study, request, options, workforce);
    },
  }),
  certify: answer({
    offers: 'a request',
    options: { request: REQUEST, ...CERTIFICATE },
    async does({ protocol, request: asked }: PlainStudy, options) {
      const request = await readRequest(options.request, asked);
      return [certify(protocol, protocol.make(request), request)];
    },
  }),
  audit: answer({
    offers: 'one report',
    has: ({ protocol }) => protocol.auditing !== undefined && isOneShot(protocol),
    options: { request: REQUEST, ...ATTACK },
    async does({ protocol, request: asked }: PlainStudy, options) {
      const request = await readRequest(options.request, asked);
      const { variant, grade = 'simulation' } = protocol.make(request);
      const { delta } = request;
      return { request, variant, grade, delta: typeof delta === 'number' && delta > 0 && delta < 1 ? delta : DELTA };
    },
  }),
  forecast: answer({
    offers: 'what the protocol says of itself',
    has: ({ protocol }) => protocol.theory.forecast !== undefined,
    options: {
      request: REQUEST,
      players: optionOr('--players <number>', 'how many players there will be', count, '1e6'),
      json: JSON_DOCUMENT,
    },
    async does({ protocol, request: asked }: PlainStudy, options) {
      const { name, theory } = protocol;
      const { players } = options;
      const request = await readRequest(options.request, asked);
      const expected = theory.forecast!(protocol.make(request), { players });
      const { what, assumption, error, floor } = expected;
      return {
        document: { protocol: name, request, players, ...expected },
        lines: [
          `${name}: ${players} players, ${JSON.stringify(request)}`,
          `assumed: ${assumption}; no data`,
          '',
          `${what}: ${error.toPrecision(3)}`,
          `which no number of players removes: ${floor === 0 ? '0' : floor.toPrecision(3)}`,
        ],
      };
    },
  }),
};
