import { isStreamStudy, type StreamStudy, type StreamStudyRequest } from '../../protocols/online-sgd/stream-study.ts';
import { isUserStudy, type UserStudy, type UserStudyRequest } from '../../protocols/user-level-mean/user-study.ts';
import { type AuditTarget, allClaims } from '../audit/target.ts';
import { roundTarget, transcriptTarget } from '../audit/transcript.ts';
import { checkInteger, refusal } from '../check/number.ts';
import { seededRandom } from '../random/seeded.ts';
import { uniform } from '../random/uniform.ts';
import { conduct } from '../simulation/conduct.ts';
import { isModelStudy, type ModelStudyRequest } from '../simulation/model-study.ts';
import type { StudyRequest } from '../simulation/study.ts';
import { loadAnyStudy } from './studies.ts';

/** The target of an audit, whatever the types of its protocol. */
export type AnyTarget = AuditTarget<unknown, unknown, unknown>;

/** What parameters are asked for, of any kind of protocol. */
export type AnyRequest = StudyRequest | UserStudyRequest | StreamStudyRequest | ModelStudyRequest;

/** What is attacked of a protocol in rounds: the player of one round, or all that one player sends over all rounds. */
export type AuditedPart = number | 'transcript';

/** Players of the simulation that rounds of an audited plan come from, at most. */
const REFERENCE_PLAYERS = 20_000;

/**
 * The player of a protocol of this package as the target of an audit, with all that the protocol tells its attackers. Of a
 * protocol in rounds it is the player of one round, or by default the transcript of all of them.
 *
 * @throws TypeError or RangeError for an unknown protocol, maker, number or round, and for a protocol that names no pairs.
 */
export async function auditTarget(protocol: string, request: AnyRequest, part?: AuditedPart): Promise<AnyTarget> {
  const study = await loadAnyStudy(protocol);
  if (isUserStudy(study)) return userTarget(study, request as UserStudyRequest, part ?? 'transcript');
  if (isStreamStudy(study)) return streamTarget(study, request as StreamStudyRequest);
  if (isModelStudy(study)) return study.target(request as ModelStudyRequest, part);
  const { player, theory, auditing } = study.protocol;
  if (auditing === undefined) throw new RangeError(refusal('protocol', 'one that says how to audit it', protocol));
  const parameters = study.parameters(request as StudyRequest);
  return { player, auditing, parameters, claimed: allClaims(theory, parameters) } as unknown as AnyTarget;
}

/** The parts of a protocol's player that can be attacked: its rounds and the transcript, or undefined for one report. */
export async function auditedParts(protocol: string, request: AnyRequest): Promise<readonly AuditedPart[] | undefined> {
  const study = await loadAnyStudy(protocol);
  if (isModelStudy(study)) return study.parts?.(request as ModelStudyRequest);
  if (!isUserStudy(study)) return undefined;
  return [...referenceRounds(study, request as UserStudyRequest).map((_, index) => index), 'transcript'];
}

// The player of the first step, whose iterate is known before anybody has answered; the law of the noise is that of all steps.
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

function userTarget(study: UserStudy, request: UserStudyRequest, part: AuditedPart): AnyTarget {
  const rounds = referenceRounds(study, request);
  const plan = study.plan(request);
  const target =
    part === 'transcript'
      ? transcriptTarget(study.protocol, plan, rounds)
      : roundTarget(study.protocol, plan, rounds[checkInteger('round', part, 0, rounds.length - 1)]);
  return target as unknown as AnyTarget;
}

// The public parameters of later rounds come from what others said: here a population made up, by fixed coins.
function referenceRounds(study: UserStudy, request: UserStudyRequest) {
  const plan = study.plan(request);
  const { dimension } = request;
  const random = seededRandom('reference');
  const samples = new Float64Array(dimension);
  const { finished } = conduct(
    study.protocol,
    plan,
    {
      players: Math.min(request.players, REFERENCE_PLAYERS),
      datum(index) {
        random.seek(index);
        for (let j = 0; j < dimension; j++) samples[j] = (0.6 * uniform(random) - 0.2) / Math.sqrt(dimension);
        return { samples };
      },
    },
    { seed: 'reference' },
  );
  return finished.map(({ round }) => round);
}
