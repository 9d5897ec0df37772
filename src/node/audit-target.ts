import type { StreamStudy, StreamStudyRequest } from '../../protocols/online-sgd/stream-study.ts';
import type { UserStudy, UserStudyRequest } from '../../protocols/user-level-mean/protocol.ts';
import { type AuditedPart, type AuditTarget, allClaims } from '../audit/target.ts';
import { roundTarget, transcriptTarget } from '../audit/transcript.ts';
import { checkInteger, RefusedValue } from '../check/refusal.ts';
import type { PlainRequest } from '../core/contract.ts';
import { uniform } from '../random/random.ts';
import type { ModelStudy, ModelStudyRequest } from '../simulation/model-study.ts';
import { referenceRounds } from '../simulation/runner.ts';
import type { PointStudy, Study, StudyRequest } from '../simulation/study.ts';
import { type AnyStudy, isOneShot, loadAnyStudy, type PlainStudy } from './studies.ts';

/** The target of an audit, whatever the types of its protocol. */
export type AnyTarget = AuditTarget<unknown, unknown, unknown>;

/** What parameters are requested for, for any kind of protocol. */
export type AnyRequest = StudyRequest | UserStudyRequest | StreamStudyRequest | ModelStudyRequest | PlainRequest;

/** What a kind of protocols gives to an audit. It is separate from the commands, so that worker threads load little. */
interface Audited<Of, Request> {
  /** The player under attack. */
  target(study: Of, request: Request, part: AuditedPart | undefined): AnyTarget;
  /** What can be attacked, where there is more than one report. */
  parts?(study: Of, request: Request): readonly AuditedPart[] | undefined;
}

const AUDITED: { readonly [kind in AnyStudy['kind']]: Audited<never, never> } = {
  records: { target: recordTarget },
  points: { target: recordTarget },
  users: {
    target: userTarget,
    parts: (study: UserStudy, request: UserStudyRequest) => [...roundsOf(study, request).keys(), 'transcript'],
  },
  stream: { target: streamTarget },
  model: {
    target: (study: ModelStudy, request: ModelStudyRequest, part) => study.target(request, part),
    parts: (study: ModelStudy, request: ModelStudyRequest) => study.parts?.(request),
  },
  survey: { target: plainTarget },
  plain: { target: plainTarget },
};

/**
 * The player of a protocol as the target of an audit, with all that the protocol gives its attackers. For a protocol in
 * rounds it is the player of one round, or by default the transcript of all rounds. `protocol` is a name, or the path
 * of a module file.
 *
 * @throws TypeError or RangeError for an unknown protocol, variant, number or round, and for a protocol that names no
 * pairs.
 */
export async function auditTarget(protocol: string, request: AnyRequest, part?: AuditedPart): Promise<AnyTarget> {
  const study = await loadAnyStudy(protocol);
  return AUDITED[study.kind].target(study as never, request as never, part);
}

/** The parts of a protocol's player that can be attacked: its rounds and the transcript; undefined for one report. */
export async function auditedParts(protocol: string, request: AnyRequest): Promise<readonly AuditedPart[] | undefined> {
  const study = await loadAnyStudy(protocol);
  return AUDITED[study.kind].parts?.(study as never, request as never);
}

function recordTarget({ protocol, parameters: make }: Study | PointStudy, request: StudyRequest): AnyTarget {
  const { name, player, theory, auditing } = protocol;
  if (auditing === undefined) throw new RefusedValue('protocol', 'one that says how to audit it', name);
  const parameters = make(request);
  return { player, auditing, parameters, claimed: allClaims(theory, parameters) } as unknown as AnyTarget;
}

function plainTarget({ protocol }: Pick<PlainStudy, 'protocol'>, request: PlainRequest): AnyTarget {
  const { name, player, theory, auditing } = protocol;
  if (auditing === undefined || !isOneShot(protocol)) {
    throw new RefusedValue('protocol', 'one of one report a player that says how to audit it, or a study', name);
  }
  const parameters = protocol.make(request);
  return { player, auditing, parameters, claimed: allClaims(theory, parameters) };
}

// The player of the first step: its iterate is known before anybody has answered. The law of the noise is the same in
// all steps.
function streamTarget({ protocol, plan: make }: StreamStudy, request: StreamStudyRequest): AnyTarget {
  const { player, theory, auditing, server } = protocol;
  const plan = make(request);
  const target = {
    player,
    auditing,
    parameters: server.step(plan, server.start(plan)),
    claimed: allClaims(theory, plan),
  };
  return target as unknown as AnyTarget;
}

function userTarget(study: UserStudy, request: UserStudyRequest, part: AuditedPart = 'transcript'): AnyTarget {
  const rounds = roundsOf(study, request);
  const plan = study.plan(request);
  const target =
    part === 'transcript'
      ? transcriptTarget(study.protocol, plan, rounds)
      : roundTarget(study.protocol, plan, rounds[checkInteger('round', part, 0, rounds.length - 1)]);
  return target as unknown as AnyTarget;
}

function roundsOf(study: UserStudy, request: UserStudyRequest) {
  const { players, dimension } = request;
  const samples = new Float64Array(dimension);
  return referenceRounds(study.protocol, study.plan(request), players, (random) => {
    for (let j = 0; j < dimension; j++) samples[j] = (0.6 * uniform(random) - 0.2) / Math.sqrt(dimension);
    return { samples };
  });
}
