import { describe, expect, it } from 'vitest';
import { fingerprintOf, normaliseMessage, topFrame, traitsOf } from './failure-group.js';

describe('a message', () => {
  it.each([
    ['Card 4111 declined after 3 tries', 'Card <n> declined after <n> tries'],
    ['No order 7c9e6679-7425-40de-944b-e07fc1f90ae7', 'No order <uuid>'],
    ['GET https://api.example.com/orders/7?x=1 failed', 'GET <url> failed'],
    ['SMTP 550 for ana@example.com', 'SMTP <n> for <mail>'],
    ['no mailbox <j.o+tag@mail.example.co.uk>, jörg@exämple.de', 'no mailbox <<mail>>, <mail>'],
    ['smtp://me@host:25 refused me@host', '<url> refused me@host'],
    ['No order_7C9E6679-7425-40DE-944B-E07FC1F90AE7', 'No order_<uuid>'],
    ['{\\"id\\":\\"x\\"} of “Ada”, «Bo» and ‘Cy’, they’re', '{<text>:<text>} of <text>, <text> and <text>, they’re'],
    ['User "Ada" has no account `main`', 'User <text> has no account <text>'],
    ["Column 'name' can't be null, don't ask", "Column <text> can't be null, don't ask"],
    ['pointer 0xDEADbeef in block 9f86d081884c', 'pointer <hex> in block <hex>'],
    ['at 12:30:01.5 it took 1,000.5 ms', 'at <n> it took <n> ms'],
    ['facade accessed', 'facade accessed'],
    ['two\n  lines', 'two lines'],
  ])('%s becomes %s', (message, normalised) => {
    expect(normaliseMessage(message)).toBe(normalised);
  });

  it('is cut, and stays whole text', () => {
    expect(normaliseMessage('😀'.repeat(400)).length).toBe(300);
    expect(normaliseMessage(`a${'😀'.repeat(400)}`).isWellFormed()).toBe(true);
  });

  it('is looked at in a moment, whatever is in it', () => {
    const startedAt = performance.now();
    for (const part of ["'", '"', 'a@', 'a.', '“', '\\"', 'a://', '0', 'f', '0-', ':', ' '])
      normaliseMessage(part.repeat(1_000));
    expect(performance.now() - startedAt).toBeLessThan(500);
  });
});

describe('the top frame', () => {
  it('is the first of the application, without line numbers', () => {
    const stack = [
      'Error: boom',
      '    at new Promise (<anonymous>)',
      '    at parse (node:internal/json:10:5)',
      '    at Pool.query (/srv/app/node_modules/pg/lib/pool.js:5:1)',
      '    at async Debits.debit (file:///srv/app/dist/payments/debits.js:42:13)',
      '    at async run (/srv/app/dist/main.js:1:1)',
    ].join('\n');

    expect(topFrame(stack)).toBe('Debits.debit payments/debits.js');
    expect(topFrame('E: x\n    at C:\\app\\dist\\main.js:3:1')).toBe('dist/main.js');
  });

  it('is empty where there is none', () => {
    expect(topFrame(undefined)).toBe('');
    expect(topFrame('Error: boom')).toBe('');
  });
});

describe('a fingerprint', () => {
  const error = { name: 'CardError', message: 'Card 1 declined' };
  const print = (task: string, over: object = {}) => fingerprintOf(traitsOf(task, { ...error, ...over }));

  it('is the same where only the numbers differ', () => {
    expect(print('pay', { message: 'Card 2 declined' })).toBe(print('pay'));
  });

  it('tells tasks, error classes, messages and places apart', () => {
    const others = [
      print('refund'),
      print('pay', { name: 'Error' }),
      print('pay', { message: 'Card 1 expired' }),
      print('pay', { stack: 'E\n    at a (/x/a.js:1:1)' }),
    ];
    expect(new Set([print('pay'), ...others]).size).toBe(5);
  });

  it('is there without an error', () => {
    expect(fingerprintOf(traitsOf('', undefined))).toMatch(/^[0-9a-f]{16}$/);
  });
});
