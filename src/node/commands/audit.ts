import { isStreamStudy } from '../../../protocols/online-sgd/stream-study.ts';
import { isUserStudy } from '../../../protocols/user-level-mean/user-study.ts';
import { type AuditResult, concludeAudit } from '../../audit/audit.ts';
import { planAudit } from '../../audit/plan.ts';
import { checkInteger, checkOpenUnit, checkPositive, checkWord, refusal } from '../../check/number.ts';
import { describeGuarantee } from '../../privacy/guarantee.ts';
import { seededRandom } from '../../random/seeded.ts';
import { isModelStudy } from '../../simulation/model-study.ts';
import { type AnyRequest, type AuditedPart, auditedParts, auditTarget } from '../audit-target.ts';
import { countInThreads } from '../audit-threads.ts';
import { wholeNumber } from '../figures.ts';
import { modelRequest } from '../models/request.ts';
import { jsonText, print, printJson } from '../print.ts';
import { loadAnyStudy } from '../studies.ts';
import { readGrade, readNumber, readWords } from './number-option.ts';
import { packageVersion } from './origin.ts';
import { refuseMu, streamRequest } from './stream-request.ts';
import { dimensionOf, userNumbers } from './user-numbers.ts';
import { VIOLATED } from './verify.ts';

/** The options of `ldpkit audit`, as they were typed. */
export interface AuditCommandOptions {
  readonly maker?: string;
  readonly epsilon: string;
  /** For streams. */
  readonly mu?: string;
  readonly delta: string;
  readonly degree: string;
  readonly dimension?: string;
  readonly players?: string;
  readonly samples?: string;
  readonly grade?: string;
  /** For protocols in rounds. */
  readonly round?: string;
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
  const number = (name: 'epsilon' | 'delta' | 'degree' | 'trials' | 'confidence'): number =>
    readNumber(name, options[name]);
  const grade = readGrade(options.grade);
  const maker = options.maker ?? study.makers[0];
  const common = {
    maker,
    epsilon: checkPositive('epsilon', number('epsilon')),
    delta: checkOpenUnit('delta', number('delta')),
    grade,
  };
  const degree = checkInteger('degree', number('degree'), 0);
  if (!isStreamStudy(study) && !isModelStudy(study)) refuseMu(protocol, options.mu);
  const request: AnyRequest = isStreamStudy(study)
    ? streamRequest(study, { maker, features: dimensionOf(options, false), grade }, options)
    : isModelStudy(study)
      ? modelRequest(study, maker, options, study.defaults.audit)
      : isUserStudy(study)
        ? { ...common, ...userNumbers(options) }
        : { ...common, degree, dimension: dimensionOf(options, false) };
  const trials = checkInteger('trials', number('trials'), 0);
  const confidence = checkOpenUnit('confidence', number('confidence'));
  const threads =
    options.threads === undefined ? undefined : checkInteger('threads', readNumber('threads', options.threads), 1, 256);
  // A simulation does not travel: what its last bits betray is known, and an attack on them says nothing about the law.
  const lastBits = options.lastBits ?? grade === 'deployment';
  const attack = async (attacked: AuditedPart | undefined): Promise<AuditResult> => {
    const target = await auditTarget(protocol, request, attacked);
    const random = seededRandom(`${options.seed} plan`);
    const plan = planAudit(target, { trials, confidence, random, lastBits, delta: common.delta });
    return concludeAudit(
      plan,
      ...(await countInThreads({ protocol, request, attacked, plan, seed: options.seed }, threads)),
    );
  };
  const parts = partsOf(await auditedParts(protocol, request), protocol, options.round);
  const results: { readonly round?: AuditedPart | undefined; readonly result: AuditResult }[] = [];
  for (const round of parts) results.push({ round, result: await attack(round) });
  const origin = { seed: options.seed, version: packageVersion() };
  const [{ result: first }] = results;
  if (options.json === true) {
    const found =
      first !== undefined && parts[0] === undefined
        ? first
        : { rounds: results.map(({ round, result }) => ({ round, ...result })) };
    printJson(jsonText({ protocol, ...request, ...found, ...origin }));
  } else {
    const central = isModelStudy(study) && study.setting === 'central';
    const described = results.map(({ round, result }) => {
      const place = round === undefined || round === 'transcript' ? '' : `, round ${round}`;
      return describe(`${protocol} (${maker}, ${grade})${place}`, result, round, central);
    });
    print(described.flatMap((lines, index) => [...(index > 0 ? ['', ''] : []), ...lines]));
  }
  if (results.some(({ result }) => result.verdict === 'violation')) process.exitCode = VIOLATED;
}

/** What is attacked: of a protocol in rounds every round and the transcript, or those asked for. */
function partsOf(
  parts: readonly AuditedPart[] | undefined,
  protocol: string,
  asked: string | undefined,
): readonly (AuditedPart | undefined)[] {
  if (parts === undefined) {
    if (asked !== undefined) throw new RangeError(refusal('round', `none: ${protocol} has no rounds`, asked));
    return [undefined];
  }
  if (asked === undefined) return parts;
  const words = readWords('round', asked);
  return words.map((word) => parts[parts.map(String).indexOf(checkWord('round', word, parts.map(String)))]);
}

const six = (value: number): string =>
  value === Number.MAX_VALUE ? 'unbounded' : String(Number(value.toPrecision(6)));

/** An audit in lines: what is claimed, what is proved, the verdict, and how it was found. */
function describe(title: string, result: AuditResult, round: AuditedPart | undefined, central: boolean): string[] {
  const { claims, lowerBound, delta, lowerBoundBy, confidence, trials, shares, split, verdict, pair, searched } =
    result;
  const reading = lowerBoundBy === 'events' ? '' : ', were the report exactly Gaussian';
  const [what, drawn] = central
    ? ['all that is released about one record', 'runs of the curator']
    : round === 'transcript'
      ? ["one player's whole transcript", 'transcripts']
      : ["one player's whole report", 'reports'];
  return [
    `Audit of ${title}: ${what}, ${wholeNumber(trials)} ${drawn}`,
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
