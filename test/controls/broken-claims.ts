import { hinge } from '../../protocols/hinge/index.ts';
import { pure } from '../../src/privacy/guarantee.ts';
import type { Broken } from './broken.ts';

const { certificate } = hinge.theory;

/** Parameters and claims that do not hold together. */
export const brokenClaims: readonly Broken[] = [
  {
    what: 'parameters with a short digest',
    law: 'parameters name their protocol and carry a digest of 32 hexadecimal digits',
    parameters: (made) => ({ ...made, digest: made.digest.slice(0, 16) }),
  },
  {
    what: 'a digest that does not depend on the request',
    law: 'the same request gives the same parameters, and every other request another digest',
    parameters: (made) => ({ ...made, digest: '0'.repeat(32) }),
  },
  {
    what: 'parameters with a function in them',
    law: 'parameters are plain data: a structured clone does everything that the original does',
    parameters: (made) => Object.assign({}, made, { evaluate: () => 0 }),
  },
  {
    what: 'a certificate of another variant',
    law: 'the certificate names the protocol and its variant and survives JSON',
    theory: { certificate: (parameters) => ({ ...certificate(parameters), variant: 'printed' }) },
  },
  {
    what: 'a certificate that JSON cannot carry',
    law: 'the certificate names the protocol and its variant and survives JSON',
    theory: { certificate: (parameters) => ({ ...certificate(parameters), reportDelta: Infinity }) },
  },
  {
    what: 'a guarantee of half the epsilon',
    law: 'the guarantee is implied by a total of the certificate',
    theory: { guarantee: () => pure(1) },
  },
  {
    what: 'a certificate whose totals do not meet the claim',
    law: 'a claim that is the guarantee is met by a total that says so',
    theory: {
      certificate(parameters) {
        const honest = certificate(parameters);
        return { ...honest, totals: honest.totals.map((total) => ({ ...total, withinClaim: false })) };
      },
    },
  },
  {
    what: 'a distance of neighbours that is none',
    law: 'the distance of neighbours is a number > 0',
    theory: { neighbourDistance: () => Number.NaN },
  },
];
