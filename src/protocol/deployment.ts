import { refusal } from '../check/number.ts';
import { secureRandom } from '../random/secure.ts';
import type { PlainRequest, Player, PublicParameters, Wire } from './contract.ts';

/** What has to be known of a protocol to play it: its name, its player, and the form of its reports. */
export interface Playable<Parameters extends PublicParameters, Datum, Report> {
  /** The protocol's folder name. */
  readonly name: string;
  /** The randomizer; only `randomize` is used. */
  readonly player: Pick<Player<Parameters, Datum, Report>, 'randomize'>;
  /** The wire format; only `encode` is used. */
  readonly report: Pick<Wire<Parameters, Report>, 'encode'>;
  /** Parameters from plain data, where the protocol has it. */
  make?(request: PlainRequest): PublicParameters;
}

/** A player that answers once. */
export interface DeployedPlayer<Datum> {
  /**
   * The bytes of the one report of this player. A datum that is refused is not reported, and spends nothing.
   *
   * @throws RangeError when the player has answered already, or for a datum that the protocol refuses; the message never
   * contains anything of the datum.
   */
  report(datum: Datum): Uint8Array;
}

/**
 * A player on real data: integers on the wire, coins from the secure source and nowhere else, one answer.
 *
 * Guarantee: that of the parameters, for the bytes returned, as long as one data set is given to one such player only: that
 * it answers once is kept by this object, and whoever keeps several is the one to count them.
 *
 * Whoever sends parameters may have changed their numbers and left their digest. Where they carry the request they were made
 * from, they are made again from it here, and those are played: only the request and the digest are believed. Parameters without
 * a request (of a round, or of a protocol of your own) are played as they are: make them on the device.
 *
 * @throws RangeError for parameters of another protocol, of a grade other than `deployment`, or with a digest that is not that of
 * their request; Error without Web Crypto.
 */
export function deployedPlayer<Parameters extends PublicParameters, Datum, Report>(
  protocol: Playable<Parameters, Datum, Report>,
  parameters: Parameters,
): DeployedPlayer<Datum> {
  if (parameters.protocol !== protocol.name) {
    throw new RangeError(refusal('parameters', `parameters of ${protocol.name}`, parameters.protocol));
  }
  if (parameters.grade !== 'deployment') {
    throw new RangeError(refusal('grade', 'deployment', parameters.grade ?? 'simulation'));
  }
  const played = remade(protocol, parameters);
  const random = secureRandom();
  let answered = false;
  return Object.freeze({
    report(datum: Datum): Uint8Array {
      if (answered) throw new RangeError('"report" expected to be asked for once: this player has answered');
      random.refill();
      // Before anything of the datum runs: reading it may call this function again.
      answered = true;
      try {
        return protocol.report.encode(played, protocol.player.randomize(played, datum, random));
      } catch {
        answered = false;
        // Whatever was thrown may contain the datum: a designer's own protocol throws what it likes. It is not passed on.
        throw new RangeError(
          `"datum" expected a datum that ${protocol.name} takes under these parameters; the reason is withheld`,
        );
      } finally {
        // The coins of a report that has been sent tell the datum to whoever reads this memory.
        random.words.fill(0);
        random.next = random.words.length;
      }
    },
  });
}

function remade<Parameters extends PublicParameters, Datum, Report>(
  protocol: Playable<Parameters, Datum, Report>,
  parameters: Parameters,
): Parameters {
  const { make } = protocol;
  const { request, digest } = parameters;
  if (make === undefined || request === undefined) return parameters;
  const made = make(request);
  if (made.digest !== digest || made.grade !== 'deployment') {
    throw new RangeError(refusal('parameters.digest', `that of their request, ${made.digest}`, digest));
  }
  // The same digest: parameters of the same kind.
  return made as Parameters;
}
