import { runProgram } from 'ldpkit/node';
import { createEvidenceProgram } from './commands/program.ts';

await runProgram(createEvidenceProgram());
