// A plugin of typedoc: the site also has the pages that are made when it is built, and in it a document is called by its heading, and keeps
// the address of its file.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Converter, DocumentReflection, MinimalSourceFile, ReflectionKind, RendererEvent } from 'typedoc';
import { madePages } from './pages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The document that tells of the made pages by their headings, *so*, which lead to them in the site. */
const TELLS_OF_THEM = 'docs/evidence';

/** The first heading of a document, as plain text. */
function headingOf(text) {
  return /^# +(.+)$/m
    .exec(text)?.[1]
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/`/g, '');
}

/** Adds a page that is no file to the documents, as if it were one; links lead to it by its target. */
function addPage(app, project, { path, text }) {
  const file = new MinimalSourceFile(text, join(root, path));
  const { content } = app.converter.parseRawComment(file, project.files);
  const page = new DocumentReflection(path.replace(/\.md$/, ''), project, content, {});
  project.addChild(page);
  project.registerReflection(page, undefined, file.fileName);
  const { target } = project.files.registerAbsolute(file.fileName);
  return { page, heading: headingOf(text), path, target };
}

/** The content of a document in which the heading of a page, told of *so*, is a link to it. */
function withLinks(content, { heading, path, target }) {
  return content.flatMap((part) => {
    if (part.kind !== 'text') return [part];
    const [first, ...others] = part.text.split(`*${heading}*`);
    return [
      { kind: 'text', text: first },
      ...others.flatMap((text) => [
        { kind: 'text', text: `[${heading}](` },
        { kind: 'relative-link', text: path, target },
        { kind: 'text', text: `)${text}` },
      ]),
    ];
  });
}

export async function load(app) {
  const pages = await madePages();
  app.converter.on(
    Converter.EVENT_RESOLVE_BEGIN,
    ({ project }) => {
      const document = project.documents?.find(({ name }) => name === TELLS_OF_THEM);
      if (document === undefined) throw new Error(`there is no ${TELLS_OF_THEM}.md`);
      const added = pages.map((page) => addPage(app, project, page));
      for (const { content } of [document, ...added.map(({ page }) => page)]) {
        for (const one of added) content.splice(0, content.length, ...withLinks(content, one));
      }
      for (const { heading, target } of added) {
        if (document.content.some((part) => part.target === target)) continue;
        throw new Error(`${TELLS_OF_THEM}.md does not tell of *${heading}*`);
      }
    },
    20_000,
  );
  // After the addresses of all pages are made.
  app.renderer.on(RendererEvent.BEGIN, ({ project }) => {
    for (const document of project.getReflectionsByKind(ReflectionKind.Document)) {
      const heading = headingOf(document.content.map((part) => part.text).join(''));
      if (heading !== undefined) document.name = heading;
    }
  });
}
