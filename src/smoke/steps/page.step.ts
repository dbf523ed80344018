import { expectThat, type Step } from '../step.js';

export const pageStep: Step = {
  promise: 'the page answers, with all its files and a strict content security policy',
  check: async ({ shop }) => {
    const page = await shop.send<string>('GET', '/');
    const policy = page.headers.get('content-security-policy') ?? '';
    expectThat(page.status === 200 && page.body.includes('<h1>'), 'a page at /', page.status);
    expectThat(policy.startsWith("default-src 'self'"), "a policy of default-src 'self'", policy);
    const files = [...page.body.matchAll(/(?:href|src)="([\w-]+\.\w+)"/g)].map(([, file = '']) => file);
    expectThat(files.length > 0, 'files of the page', page.body);
    const statuses = await Promise.all(
      files.map(async (file) => [file, (await shop.send('GET', file)).status] as const),
    );
    expectThat(
      statuses.every(([, status]) => status === 200),
      '200 for each file',
      statuses,
    );
    return `${files.length} files`;
  },
};
