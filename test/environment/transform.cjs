// TypeScript (and ES modules of dependencies) to CommonJS for jest, by esbuild: one call a file, no type check.
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { transformSync, version } = require('esbuild');

const options = { format: 'cjs', target: 'node20', sourcemap: 'inline', supported: { 'dynamic-import': false } };
const self = readFileSync(__filename);

/**
 * What a module exports, as esbuild writes it, is a copy whose every property looks up another object by a name in a variable: each
 * call of an imported function does that, and loops over small functions take twice the time. The other object does as well.
 */
const COPY = /^module\.exports = __toCommonJS\((\w+)\);$/m;
const ITSELF = 'module.exports = __defProp($1, "__esModule", { value: true });';

module.exports = {
  getCacheKey: (source, path) =>
    createHash('sha1').update(version).update(self).update(path).update(source).digest('hex'),
  process(source, path) {
    const { code, map } = transformSync(source, {
      ...options,
      loader: path.endsWith('.ts') ? 'ts' : 'js',
      sourcefile: path,
    });
    return { code: code.replace(COPY, ITSELF), map };
  },
};
