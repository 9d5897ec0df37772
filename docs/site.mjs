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

/** Adds a page that is no file below a document, as if it were one; its headings that links lead to, each with its place. */
function addPage(app, document, { path, text }) {
  const { project } = document;
  const file = new MinimalSourceFile(text, join(root, path));
  const { content } = app.converter.parseRawComment(file, project.files);
  const page = new DocumentReflection(path.replace(/\.md$/, ''), document, content, {});
  document.addChild(page);
  project.registerReflection(page, undefined, file.fileName);
  const link = { kind: 'relative-link', text: path, ...project.files.registerAbsolute(file.fileName) };
  const names = [...text.matchAll(/^### ([a-z0-9-]+)$/gm)].map(([, name]) => name);
  const places = new Map(names.map((name) => [name, { ...link, targetAnchor: name }]));
  return { page, places: places.set(headingOf(text), link) };
}

/** The content of a document in which a heading of a made page, told of *so*, is a link to its place. */
function withLinks(content, places) {
  return content.flatMap((part) => {
    if (part.kind !== 'text') return [part];
    // Every second piece is what stood between stars.
    return part.text.split(/(?<!\*)\*([^*\n]+)\*(?!\*)/).flatMap((text, i) => {
      if (i % 2 === 0) return [{ kind: 'text', text }];
      const link = places.get(text);
      if (link === undefined) return [{ kind: 'text', text: `*${text}*` }];
      return [{ kind: 'text', text: `[${text}](` }, link, { kind: 'text', text: ')' }];
    });
  });
}

export async function load(app) {
  const pages = await madePages();
  app.converter.on(
    Converter.EVENT_RESOLVE_BEGIN,
    ({ project }) => {
      const document = project.documents?.find(({ name }) => name === TELLS_OF_THEM);
      if (document === undefined) throw new Error(`there is no ${TELLS_OF_THEM}.md`);
      const added = pages.map((page) => addPage(app, document, page));
      const places = new Map(added.flatMap((one) => [...one.places]));
      for (const told of [document, ...added.map(({ page }) => page)]) told.content = withLinks(told.content, places);
      for (const { page } of added) {
        const { target } = project.files.registerAbsolute(project.files.getReflectionPath(page));
        if (document.content.some((part) => part.target === target)) continue;
        throw new Error(`${TELLS_OF_THEM}.md does not tell of ${page.name}`);
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
