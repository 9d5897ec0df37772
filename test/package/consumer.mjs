// Programs of a user of the packed package, one for each way of getting at it.

/** Imports every public name as an ES module; prints one answered query of the hinge protocol. */
export const esModule = (names) => `
${names
  .map(
    (name, i) =>
      `import * as module${i} from '${name}';\nif (Object.keys(module${i}).length === 0) throw new Error('${name} is empty');`,
  )
  .join('\n')}
import { secureRandom } from 'ldpkit';
import { hinge, lifted } from 'ldpkit/protocols/hinge';

const parameters = lifted({ dimension: 3, degree: 2, epsilon: 1 });
const report = hinge.player.randomize(parameters, { features: [0.6, 0, -0.8], label: 1 }, secureRandom());
console.log(hinge.report.encode(parameters, report).length > 0);
`;

/** The same from CommonJS. */
export const commonJs = (names) => `
for (const name of ${JSON.stringify(names)}) {
  if (Object.keys(require(name)).length === 0) throw new Error(name + ' is empty');
}
const { secureRandom } = require('ldpkit');
const { hinge, lifted } = require('ldpkit/protocols/hinge');

const parameters = lifted({ dimension: 3, degree: 2, epsilon: 1 });
const report = hinge.player.randomize(parameters, { features: [0.6, 0, -0.8], label: 1 }, secureRandom());
console.log(hinge.report.encode(parameters, report).length > 0);
`;

/** The types a page sees: no Node. Each \`@ts-expect-error\` shows that a type is more than \`any\`. */
export const typedPage = (names) => `
${names
  .filter((name) => name !== 'ldpkit/node')
  .map((name, i) => `import type * as module${i} from '${name}';\nexport type Module${i} = typeof module${i};`)
  .join('\n')}
import { secureRandom } from 'ldpkit';
import { hinge, lifted } from 'ldpkit/protocols/hinge';
import { liftedHinge } from 'ldpkit/protocols/hinge/player';

const parameters = lifted({ dimension: 3, degree: 2, epsilon: 1 });
const { randomize } = liftedHinge.player;
const report = randomize(parameters, { features: [0.6, 0, -0.8], label: 1 }, secureRandom());
export const bytes: Uint8Array = hinge.report.encode(parameters, report);

// @ts-expect-error a budget has numbers
lifted({ dimension: 3, degree: 2, epsilon: 'one' });
// @ts-expect-error a datum has features
randomize(parameters, { label: 1 }, secureRandom());
// @ts-expect-error parameters are read-only
parameters.digest = '';
// @ts-expect-error coins are not optional
randomize(parameters, { features: [0.6, 0, -0.8], label: 1 });
`;

/** The types of the Node entry. */
export const typedNode = () => `
import * as node from 'ldpkit/node';

export const names: readonly string[] = Object.keys(node);
// @ts-expect-error there is no such thing
export const nothing: unknown = node.noSuchThing;
`;
