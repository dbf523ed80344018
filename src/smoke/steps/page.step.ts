import { expectThat, type Step } from '../step.js';

export const pageStep: Step = {
  promise: 'the page answers, with all its files and a strict content security policy',
  check: async ({ shop }) => {
    const page = await shop.send<string>('GET', '/');
    const policy = page.headers.get('content-security-policy') ?? '';
    expectThat(page.status === 200 && page.body.includes('<h1>'), 'a page at /', page.status);
    expectThat(policy.startsWith("default-src 'self'"), "a policy of default-src 'self'", policy);
    const named = [...page.body.matchAll(/(?:href|src)="([\w-]+\.\w+)"/g)].map(([, file = '']) => file);
    expectThat(named.includes('page.js'), 'a script page.js', named);
    const script = await shop.send<string>('GET', 'page.js');
    const imported = [...script.body.matchAll(/from '\.\/([\w-]+\.js)'/g)].map(([, file = '']) => file);
    const files = [...named, ...imported];
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
