// TypeScript (and ES modules of dependencies) to CommonJS for jest, by esbuild: one call a file, no type check.
const { createHash } = require('node:crypto');
const { transformSync, version } = require('esbuild');

const options = { format: 'cjs', target: 'node20', sourcemap: 'inline', supported: { 'dynamic-import': false } };

module.exports = {
  getCacheKey: (source, path) =>
    createHash('sha1').update(version).update(JSON.stringify(options)).update(path).update(source).digest('hex'),
  process: (source, path) =>
    transformSync(source, { ...options, loader: path.endsWith('.ts') ? 'ts' : 'js', sourcefile: path }),
};
