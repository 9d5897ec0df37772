#!/usr/bin/env node
import { createProgram } from './commands/program.ts';
import { runProgram } from './run-program.ts';

await runProgram(createProgram());
