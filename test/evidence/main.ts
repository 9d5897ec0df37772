import { runProgram } from '../../src/node/run-program.ts';
import { createEvidenceProgram } from './commands/program.ts';

await runProgram(createEvidenceProgram());
