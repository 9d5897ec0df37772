import { type AuditResult, concludeAudit } from '../../audit/audit.ts';
import { planAudit } from '../../audit/plan.ts';
import { checkInteger, checkOpenUnit, checkPositive } from '../../check/number.ts';
import { describeGuarantee } from '../../privacy/guarantee.ts';
import { seededRandom } from '../../random/seeded.ts';
import { auditTarget } from '../audit-target.ts';
import { countInThreads } from '../audit-threads.ts';
import { wholeNumber } from '../figures.ts';
import { loadAnyStudy } from '../studies.ts';
import { readGrade, readNumber } from './number-option.ts';
import { packageVersion } from './origin.ts';

/** Exit code when a claim is refuted. */
const VIOLATION = 3;

/** The options of `ldpkit audit`, as they were typed. */
export interface AuditCommandOptions {
  readonly maker?: string;
  readonly epsilon: string;
  readonly delta: string;
  readonly degree: string;
  readonly dimension: string;
  readonly grade?: string;
  readonly trials: string;
  readonly confidence: string;
  readonly seed: string;
  readonly threads?: string;
  readonly lastBits?: boolean;
  readonly json?: boolean;
}

/**
 * `ldpkit audit`: attacks a player of a protocol and says what privacy loss the attack proves. The exit code is 3 when a claim
 * is refuted.
 *
 * @throws TypeError or RangeError naming the option.
 */
export async function audit(protocol: string, options: AuditCommandOptions): Promise<void> {
  const study = await loadAnyStudy(protocol);
  const number = (name: 'epsilon' | 'delta' | 'degree' | 'dimension' | 'trials' | 'confidence'): number =>
    readNumber(name, options[name]);
  const grade = readGrade(options.grade);
  const maker = options.maker ?? study.makers[0];
  const request = {
    maker,
    epsilon: checkPositive('epsilon', number('epsilon')),
    delta: checkOpenUnit('delta', number('delta')),
    degree: checkInteger('degree', number('degree'), 0),
    dimension: checkInteger('dimension', number('dimension'), 1),
    grade,
  };
  const trials = checkInteger('trials', number('trials'), 0);
  const confidence = checkOpenUnit('confidence', number('confidence'));
  const threads =
    options.threads === undefined ? undefined : checkInteger('threads', readNumber('threads', options.threads), 1, 256);
  // A simulation does not travel: what its last bits betray is known, and an attack on them says nothing about the law.
  const lastBits = options.lastBits ?? grade === 'deployment';
  const target = await auditTarget(protocol, request);
  const random = seededRandom(`${options.seed} plan`);
  const plan = planAudit(target, { trials, confidence, random, lastBits, delta: request.delta });
  const counts = await countInThreads({ protocol, request, plan, seed: options.seed }, threads);
  const result = concludeAudit(plan, ...counts);
  const text =
    options.json === true
      ? JSON.stringify({ protocol, ...request, ...result, seed: options.seed, version: packageVersion() }, undefined, 2)
      : describe(`${protocol} (${maker}, ${grade})`, result).join('\n');
  process.stdout.write(`${text}\n`);
  if (result.verdict === 'violation') process.exitCode = VIOLATION;
}

const six = (value: number): string =>
  value === Number.MAX_VALUE ? 'unbounded' : String(Number(value.toPrecision(6)));

/** An audit in lines: what is claimed, what is proved, the verdict, and how it was found. */
function describe(title: string, result: AuditResult): string[] {
  const { claims, lowerBound, delta, lowerBoundBy, confidence, trials, shares, split, verdict, pair, searched } =
    result;
  const reading = lowerBoundBy === 'events' ? '' : ', were the report exactly Gaussian';
  return [
    `Audit of ${title}: one player's whole report, ${wholeNumber(trials)} reports`,
    ...claims.map(
      ({ claimed, lowerBound: bound, refuted }) =>
        `Claimed: ${describeGuarantee(claimed)}; lower bound ${six(bound)}: ${refuted ? 'REFUTED' : 'not refuted'}`,
    ),
    `ε at least ${six(lowerBound)}${delta > 0 ? ` at δ = ${six(delta)}` : ''}${reading}`,
    `Verdict: ${verdict === 'violation' ? 'VIOLATION' : 'consistent'} (confidence ${confidence} in all bounds together)`,
    '',
    `pair      ${pair}, the worst of ${searched.length}: ${searched.join(', ')}`,
    `method    ${result.method === result.evidence ? result.method : `${result.method}: ${result.evidence}`}`,
    `reports   ${wholeNumber(shares.search)} to find the pair, ${wholeNumber(shares.learn)} to choose the event, ${wholeNumber(shares.count)} to count it, ${wholeNumber(shares.twoReports)} on pairs of reports`,
    `bounds    Clopper–Pearson for ${split.probabilities} probabilities, failure ${six(split.failureOfEach)} each; last bits ${result.lastBits ? 'attacked' : 'left alone'}`,
  ];
}
