// A plugin of typedoc: in the site a document is called by its heading, and keeps the address of its file.
import { ReflectionKind, RendererEvent } from 'typedoc';

/** Gives every document the text of its first heading as its name, after the addresses of all pages are made. */
export function load(app) {
  app.renderer.on(RendererEvent.BEGIN, ({ project }) => {
    for (const document of project.getReflectionsByKind(ReflectionKind.Document)) {
      const text = document.content.map((part) => part.text).join('');
      const heading = /^# +(.+)$/m.exec(text)?.[1];
      if (heading !== undefined) document.name = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/`/g, '');
    }
  });
}
