import type { Certificate } from '../../privacy/certificate.ts';
import { implies } from '../../privacy/conversion.ts';
import type { Guarantee } from '../../privacy/guarantee.ts';
import { coins, type Law, spelled } from './law.ts';

/** Laws of the parameters and of the claims about them. */
export const claimLaws: readonly Law[] = [
  {
    sentence: 'parameters name their protocol and carry a digest of 32 hexadecimal digits',
    *broken({ protocol, parameters }) {
      if (parameters.protocol !== protocol.name) yield `protocol ${parameters.protocol} in ${protocol.name}`;
      if (!/^[0-9a-f]{32}$/.test(parameters.digest)) yield `digest ${parameters.digest}`;
      if (!Number.isInteger(parameters.version)) yield `version ${parameters.version}`;
    },
  },
  {
    sentence: 'the same request gives the same parameters, and every other request another digest',
    *broken({ trial, parameters }) {
      if (spelled(trial.make()) !== spelled(parameters)) yield 'made twice, two results';
      const digests = [parameters, ...trial.others].map(({ digest }) => digest);
      if (new Set(digests).size !== digests.length) yield 'two requests share a digest';
    },
  },
  {
    sentence: 'parameters are plain data: a structured clone does everything that the original does',
    *broken({ protocol, parameters, trial }) {
      const clone = structuredClone(parameters);
      if (spelled(clone) !== spelled(parameters)) yield 'the clone is not the same';
      const [ours, theirs] = [parameters, clone].map((with_) => {
        const tally = protocol.server.empty(with_);
        const report = protocol.player.randomize(with_, trial.data[0], coins('clone'));
        protocol.server.add(with_, tally, protocol.report.decode(with_, protocol.report.encode(with_, report)));
        return spelled([report, tally, trial.numbers(protocol.server.estimate(with_, tally))]);
      });
      if (ours !== theirs) yield 'the clone behaves differently';
    },
  },
  {
    sentence: 'the certificate names the protocol and its variant and survives JSON',
    *broken({ protocol, parameters }) {
      const certificate: Certificate = protocol.theory.certificate(parameters);
      if (certificate.protocol !== protocol.name) yield `protocol ${certificate.protocol}`;
      if (certificate.variant !== parameters.variant) yield `variant ${certificate.variant}`;
      if (spelled(JSON.parse(JSON.stringify(certificate))) !== spelled(certificate)) yield 'JSON loses something';
    },
  },
  {
    sentence: 'the guarantee is implied by a total of the certificate',
    *broken({ protocol, parameters }) {
      const certificate: Certificate = protocol.theory.certificate(parameters);
      const guarantee: Guarantee = protocol.theory.guarantee(parameters);
      if (!certificate.totals.some((total) => implies(total.guarantee, guarantee))) yield JSON.stringify(guarantee);
    },
  },
  {
    sentence: 'a claim that is the guarantee is met by a total that says so',
    *broken({ protocol, parameters }) {
      const { claimed, totals }: Certificate = protocol.theory.certificate(parameters);
      const guarantee: Guarantee = protocol.theory.guarantee(parameters);
      if (claimed === undefined || spelled(claimed) !== spelled(guarantee)) return;
      if (!totals.some(({ withinClaim }) => withinClaim === true)) yield 'none of the totals is within the claim';
    },
  },
  {
    sentence: 'the distance of neighbours is a number > 0',
    *broken({ protocol, parameters }) {
      const distance = protocol.theory.neighbourDistance(parameters);
      if (!(distance > 0 && distance < Infinity)) yield String(distance);
    },
  },
];
