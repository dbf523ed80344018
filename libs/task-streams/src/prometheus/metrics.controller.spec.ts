import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { map } from 'rxjs';
import { afterEach, expect, it } from 'vitest';
import { metricsController } from './metrics.controller.js';
import { TaskStreamsMetrics } from './task-streams.metrics.js';

const TEXT = '# TYPE tasks counter\ntasks 1\n';
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

let app: INestApplication | undefined;

afterEach(() => app?.close());

async function scrape(read: () => Promise<string>): Promise<Response> {
  const module = await Test.createTestingModule({
    controllers: [metricsController('metrics', CONTENT_TYPE)],
    providers: [{ provide: TaskStreamsMetrics, useValue: { read } }],
  }).compile();
  app = module.createNestApplication({ logger: false });
  app.useGlobalInterceptors({ intercept: (_, next) => next.handle().pipe(map((data: unknown) => ({ data }))) });
  await app.listen(0, '127.0.0.1');
  return fetch(`${await app.getUrl()}/metrics`);
}

it('shows metrics that Prometheus can read in an application that wraps every answer', async () => {
  const response = await scrape(async () => TEXT);
  expect(await response.text()).toBe(TEXT);
  expect(response.status).toBe(200);
  // Express 4 writes its own charset before the other parameters.
  const partsOf = (type: string | null) => type?.split('; ').toSorted();
  expect(partsOf(response.headers.get('content-type'))).toEqual(partsOf(CONTENT_TYPE));
  expect(response.headers.get('cache-control')).toBe('no-store');
});

it('answers an error as the application answers errors', async () => {
  const response = await scrape(() => Promise.reject(new Error('no registry')));
  expect(response.status).toBe(500);
});
