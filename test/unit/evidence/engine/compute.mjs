// Computes the tasks on the standard input with the worker threads of the evidence, on as many as the first argument says.

import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { translated } from '../../../evidence/translate.mjs';

const { createChunkThreads } = await import(pathToFileURL(join(await translated(), 'engine/chunk-threads.js')).href);

const tasks = JSON.parse(await text(process.stdin));
const computer = createChunkThreads(Number(process.argv[2]));
try {
  const results = await Promise.allSettled(tasks.map((task) => computer.compute(task)));
  const shown = results.map(({ status, value, reason }) =>
    status === 'fulfilled' ? value.json : String(reason.message),
  );
  process.stdout.write(JSON.stringify(shown));
} finally {
  await computer.close();
}
