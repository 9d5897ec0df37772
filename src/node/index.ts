/**
 * Files, tables, pages and the command line, for programs in Node.
 *
 * | to | start from |
 * |---|---|
 * | read records of a file | {@link parseSchema}, {@link loadDataset} |
 * | add commands of one's own to a module file | {@link StudyCommands}, {@link lineChart} |
 * | write a page or a document | {@link pageFrame}, {@link table}, {@link jsonText}, {@link writeTogether} |
 * | show progress | {@link createProgress} |
 * | let other machines work | {@link openQueue} |
 *
 * @packageDocumentation
 */

export { readNumber } from './commands/options.ts';
export { checkFolder, fileRefusal, makeFolder, parseJson, writeTogether } from './files.ts';
export { flightsSchema, locateFlights } from './flights.ts';
export { openQueue } from './jobs/queue.ts';
export { compact, counted, jsonText, powerOfTen, print, printJson, tell } from './print.ts';
export { createProgress, type Progress } from './progress.ts';
export { loadDataset } from './records.ts';
export { lineChart } from './report/charts.ts';
export {
  element,
  escapeLines,
  escapeText,
  type Markup,
  markerPath,
  markupTable,
  paragraph,
  section,
  table,
} from './report/markup.ts';
export { PICTURE_STYLE, pageFrame } from './report/page.ts';
export { commandText, PROGRAM_OUTPUT, packageVersion, runProgram, VIOLATED } from './run-program.ts';
export { parseSchema } from './schema.ts';
export type { StudyCommands } from './study.ts';
