import { type AuditResult, concludeAudit } from '../../audit/audit.ts';
import { planAudit } from '../../audit/plan.ts';
import type { AuditedPart } from '../../audit/target.ts';
import { checkWord, RefusedValue } from '../../check/refusal.ts';
import { describeGuarantee } from '../../privacy/guarantee.ts';
import { decimal, decimalBelow } from '../../privacy/rounding.ts';
import { seededRandom } from '../../random/seeded.ts';
import { jsonText, print, printJson, wholeNumber } from '../print.ts';
import { createProgress } from '../progress.ts';
import { packageVersion, VIOLATED } from '../run-program.ts';
import type { AuditRequest, StudyAudit } from '../study.ts';
import { countInThreads, SHARDS } from '../threads.ts';
import { apart } from './certify.ts';

interface AuditOptions {
  readonly trials?: number;
  readonly confidence: number;
  readonly seed: string;
  readonly threads?: number;
  readonly lastBits?: true;
  readonly json?: true;
  readonly round?: readonly string[];
}

/** `ldpkit audit`: what privacy loss an attack on a player proves; exit code 3 when it refutes a claim. Threads load `word`, as typed. */
export async function audit(
  { word, protocol, of }: { readonly word: string; readonly protocol: string; readonly of: StudyAudit },
  { request, variant, grade, delta, central = false, trials: usual = 1e6 }: AuditRequest,
  options: AuditOptions,
): Promise<void> {
  const { trials = usual, confidence, threads, seed } = options;
  // Simulated reports are never sent: what their last bits reveal is known, and it says nothing about the law.
  const lastBits = options.lastBits ?? grade === 'deployment';
  const progress = createProgress();
  const attack = async (attacked: AuditedPart | undefined): Promise<AuditResult> => {
    const target = await of.target(request as never, attacked);
    const random = seededRandom(`${seed} plan`);
    const plan = planAudit(target, { trials, confidence, random, lastBits, delta });
    progress.begin(`attacking ${protocol} (${variant})${placeOf(attacked)}`, SHARDS);
    const task = { protocol: word, request, attacked, plan, seed };
    return concludeAudit(plan, ...(await countInThreads(task, threads, progress.advance)));
  };
  const parts = partsOf(await of.parts?.(request as never), protocol, options.round);
  const results: { readonly round?: AuditedPart | undefined; readonly result: AuditResult }[] = [];
  try {
    for (const round of parts) results.push({ round, result: await attack(round) });
  } finally {
    progress.end();
  }
  const origin = { seed, version: packageVersion() };
  const [{ result: first }] = results;
  if (options.json === true) {
    const rounds = results.map(({ round, result }) => ({ round, ...result }));
    const found = parts[0] === undefined ? first : { rounds };
    printJson(jsonText({ protocol, ...request, ...found, ...origin }));
  } else {
    const title = `${protocol} (${variant}, ${grade})`;
    const described = results.map(({ round, result }) => describe(`${title}${placeOf(round)}`, result, round, central));
    print(apart(described, ['', '']));
  }
  if (results.some(({ result }) => result.verdict === 'violation')) process.exitCode = VIOLATED;
}

function placeOf(round: AuditedPart | undefined): string {
  return round === undefined || round === 'transcript' ? '' : `, round ${round}`;
}

/** What is attacked in a protocol in rounds: every round and the transcript, or the requested ones. */
function partsOf(
  parts: readonly AuditedPart[] | undefined,
  protocol: string,
  asked: readonly string[] | undefined,
): readonly (AuditedPart | undefined)[] {
  if (parts === undefined) {
    if (asked !== undefined) throw new RefusedValue('round', `none: ${protocol} has no rounds`, asked[0]);
    return [undefined];
  }
  if (asked === undefined) return parts;
  return asked.map((word) => parts[parts.map(String).indexOf(checkWord('round', word, parts.map(String)))]);
}

/** A proved bound, rounded down so that what is printed is proved too. */
const proved = (bound: number): string => (bound === Number.MAX_VALUE ? 'unbounded' : decimalBelow(bound));

/** An audit in lines: the claim, what is proved, the verdict, and how it was found. */
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
        `Claimed: ${describeGuarantee(claimed)}; lower bound ${proved(bound)}: ${refuted ? 'REFUTED' : 'not refuted'}`,
    ),
    `ε at least ${proved(lowerBound)}${delta > 0 ? ` at δ = ${decimal(delta)}` : ''}${reading}`,
    `Verdict: ${verdict === 'violation' ? 'VIOLATION' : 'consistent'} (confidence ${confidence} in all bounds together)`,
    '',
    `pair      ${pair}, the worst of ${searched.length}: ${searched.join(', ')}`,
    `method    ${result.method === result.evidence ? result.method : `${result.method}: ${result.evidence}`}`,
    `reports   ${wholeNumber(shares.search)} to find the pair, ${wholeNumber(shares.learn)} to choose the event, ${wholeNumber(shares.count)} to count it, ${wholeNumber(shares.twoReports)} on pairs of reports`,
    `bounds    Clopper–Pearson for ${split.probabilities} probabilities, failure ${decimal(split.failureOfEach)} each; last bits ${result.lastBits ? 'attacked' : 'left alone'}`,
  ];
}
