// Keeps the figures of validations at the full scale in measured.json beside this file, from which the site has its page on validation:
//
//   npm run validate -- --scale full --out out/full && node test/evidence/keep.mjs out/full/result.json
//
// A run of some validations takes the place of theirs alone; its seed and scale have to be those of the others.
import { readFileSync, writeFileSync } from 'node:fs';

const [path] = process.argv.slice(2);
if (path === undefined) {
  process.stderr.write('usage: node test/evidence/keep.mjs out/full/result.json\n');
  process.exit(2);
}
const target = new URL('measured.json', import.meta.url);
const { validations, seed, scale } = JSON.parse(readFileSync(path, 'utf8'));
const command = `npm run validate -- --scale ${scale} --seed ${seed}`;
const figures = validations.map(({ name, claims }) => ({
  name,
  claims: claims.map(({ met, asked, measured }) => ({ met, asked, measured })),
}));
const before = JSON.parse(readFileSync(target, 'utf8'));
const missing = before.validations.filter(({ name }) => !figures.some((one) => one.name === name));
if (before.command !== command && missing.length > 0) {
  process.stderr.write(
    `the figures of ${missing.length} other validations are of "${before.command}", these of "${command}"\n`,
  );
  process.exit(2);
}
const kept = before.command === command ? before.validations : [];
const names = new Set([...kept, ...figures].map(({ name }) => name));
const found = (name) => [...figures, ...kept].find((one) => one.name === name);
writeFileSync(target, `${JSON.stringify({ command, validations: [...names].map(found) }, undefined, 2)}\n`);
