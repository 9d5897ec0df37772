// The transform of the tests, but of the woven texts that the folder of a mutation run has for some files.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const plain = require('../environment/transform.cjs');

const woven = JSON.parse(readFileSync(join(process.env.LDPKIT_MUTATION, 'woven.json'), 'utf8'));
const text = (source, path) => woven[path] ?? source;

module.exports = {
  getCacheKey: (source, path) => plain.getCacheKey(text(source, path), path),
  process: (source, path) => plain.process(text(source, path), path),
};
