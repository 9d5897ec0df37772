import type { StreamStudy, StreamStudyRequest } from '../../protocols/online-sgd/stream-study.ts';
import type { UserStudy, UserStudyRequest } from '../../protocols/user-level-mean/protocol.ts';
import { type AuditedPart, allClaims } from '../audit/target.ts';
import { roundTarget, transcriptTarget } from '../audit/transcript.ts';
import { checkInteger, refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';
import type { PlainRequest } from '../core/contract.ts';
import { uniform } from '../random/random.ts';
import { referenceRounds } from '../simulation/runner.ts';
import type { PointStudy, Study, StudyRequest } from '../simulation/study.ts';
import { isOneShot } from './modules.ts';
import type { AnyProtocol, AnyTarget } from './study.ts';

// The players of the kinds of studies as targets of an audit: apart from the commands, which load them only for an audit.

/**
 * The player of one report.
 *
 * @throws RangeError for a protocol that names no pairs.
 */
export function recordTarget({ protocol, parameters: make }: Study | PointStudy, request: StudyRequest): AnyTarget {
  const { name, player, theory, auditing } = protocol;
  if (auditing === undefined) throw new RefusedValue(refusal('protocol', 'one that says how to audit it', name));
  const parameters = make(request);
  return { player, auditing, parameters, claimed: allClaims(theory, parameters) } as unknown as AnyTarget;
}

/**
 * The player of one report of which only the contract is known.
 *
 * @throws RangeError for a protocol that names no pairs, or has several reports of a player.
 */
export function plainTarget({ protocol }: { readonly protocol: AnyProtocol }, request: PlainRequest): AnyTarget {
  const { name, player, theory, auditing } = protocol;
  if (auditing === undefined || !isOneShot(protocol)) {
    throw new RefusedValue(
      refusal('protocol', 'one of one report a player that says how to audit it, or a study', name),
    );
  }
  const parameters = protocol.make(request);
  return { player, auditing, parameters, claimed: allClaims(theory, parameters) };
}

/**
 * The player of the first step: its iterate is known before anybody has answered. The law of the noise is the same in
 * all steps.
 */
export function streamTarget({ protocol, plan: make }: StreamStudy, request: StreamStudyRequest): AnyTarget {
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

/** The player of one round, or the transcript of all rounds. */
export function userTarget(study: UserStudy, request: UserStudyRequest, part: AuditedPart = 'transcript'): AnyTarget {
  const rounds = roundsOf(study, request);
  const plan = study.plan(request);
  const target =
    part === 'transcript'
      ? transcriptTarget(study.protocol, plan, rounds)
      : roundTarget(study.protocol, plan, rounds[checkInteger('round', part, 0, rounds.length - 1)]);
  return target as unknown as AnyTarget;
}

/** The rounds of a request, and the transcript. */
export function userParts(study: UserStudy, request: UserStudyRequest): readonly AuditedPart[] {
  return [...roundsOf(study, request).keys(), 'transcript'];
}

function roundsOf(study: UserStudy, request: UserStudyRequest) {
  const { players, dimension } = request;
  const samples = new Float64Array(dimension);
  return referenceRounds(study.protocol, study.plan(request), players, (random) => {
    for (let j = 0; j < dimension; j++) samples[j] = (0.6 * uniform(random) - 0.2) / Math.sqrt(dimension);
    return { samples };
  });
}
