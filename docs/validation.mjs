// Writes docs/validation.md from the result of a run of all validations at the full scale.
//
//   npm run validate -- --scale full && node docs/validation.mjs out/validate/result.json
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { translated } from '../test/evidence/translate.mjs';

const { PAPER_TITLES } = await import(pathToFileURL(join(await translated(), 'experiment/experiment.js')).href);

const [path] = process.argv.slice(2);
if (path === undefined) {
  process.stderr.write('usage: node docs/validation.mjs out/validate/result.json\n');
  process.exit(2);
}
const { validations, claims, seed, scale } = JSON.parse(readFileSync(path, 'utf8'));
const cell = (text) => text.replaceAll('|', '\\|');
const lines = [
  '# Validation: what the theorems claim, and what was measured',
  '',
  'Made from the result of',
  '',
  `    npm run validate -- --scale ${scale} --seed ${seed}`,
  '    node docs/validation.mjs out/validate/result.json',
  '',
  `${claims.met} of ${claims.all} claims met, in ${validations.length} validations. The command also draws each with its claim in`,
  '`out/validate/report.html`, and goes on where it was stopped; other seeds give other numbers. Which item of which paper is measured',
  'where: [theory](theory.md); what does not hold as printed, and is refuted here: [errata](errata.md).',
];
let paper = '';
for (const one of validations) {
  if (one.paper !== paper) lines.push('', `## ${PAPER_TITLES[one.paper]}`);
  paper = one.paper;
  lines.push('', `### ${one.name}`, '', `${one.title}: ${one.theorems.join('; ')}.`, '');
  lines.push('| | claim | measured |', '|---|---|---|');
  for (const { met, asked, measured } of one.claims) {
    lines.push(`| ${met ? 'met' : '**missed**'} | ${cell(asked)} | ${cell(measured)} |`);
  }
}
writeFileSync(fileURLToPath(new URL('validation.md', import.meta.url)), `${lines.join('\n')}\n`);
