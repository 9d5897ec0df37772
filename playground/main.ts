import { openPage } from './page.ts';
import { serve } from './worker.ts';

// One program for both sides: a page has a document, a worker has none.
if (typeof document === 'undefined') serve(globalThis as unknown as Parameters<typeof serve>[0]);
else openPage(document.currentScript?.textContent ?? '');
