import type { NestExpressApplication } from '@nestjs/platform-express';
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('./public', import.meta.url));

/** Nothing but what this server sends: no inline script or style, no other host, no frame around the page. */
const HEADERS = {
  'Content-Security-Policy': "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Serves the page that shows the shop at work. */
export function servePage(app: NestExpressApplication): void {
  app.useStaticAssets(FOLDER, {
    setHeaders: (response: ServerResponse) => response.setHeaders(new Map(Object.entries(HEADERS))),
  });
}
