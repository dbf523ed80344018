import { randomUUID } from 'node:crypto';

/**
 * What a reader can do now that the app runs.
 *
 * @param {{ url: string, redis: string }} facts
 * @returns {string}
 */
export function banner({ url, redis }) {
  const json = `-H 'content-type: application/json'`;
  const debit = JSON.stringify({ transactionId: randomUUID(), amountCents: 1999 });
  return [
    '',
    `  Open    ${url}/`,
    `  Redis   ${redis}`,
    '  Try     a slow export, in the background:',
    `          curl -i -X POST ${url}/tax-exports ${json} -d '{"year":2025}'`,
    '          a debit; sent twice, it is taken once:',
    `          curl -i -X POST ${url}/payments/debits ${json} -d '${debit}'`,
    '  Stop    Ctrl-C',
    '',
  ].join('\n');
}
