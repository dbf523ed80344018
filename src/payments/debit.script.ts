/**
 * KEYS: the account, the control row of the transaction, the ledger of the account.
 * ARGV: transaction id, account id, cents, the balance an account that is not there is opened with ('' to open none).
 * Returns the control row: the answer of this debit, or of the earlier one with the same transaction id.
 *
 * One script, so the balance, the ledger and the control row change together or not at all. That makes the debit
 * effect-once whatever happens around it: when the worker dies after the money has moved but before the task is settled,
 * the task runs again, meets the control row here, and gives the first answer without moving money again.
 */
export const DEBIT_SCRIPT = `
local earlier = redis.call('GET', KEYS[2])
if earlier then return earlier end

local cents = tonumber(ARGV[3])
if ARGV[4] ~= '' then redis.call('HSETNX', KEYS[1], 'balanceCents', ARGV[4]) end
local balance = tonumber(redis.call('HGET', KEYS[1], 'balanceCents') or nil)

local answer = { transactionId = ARGV[1], accountId = ARGV[2], amountCents = cents, balanceCents = balance }
if not balance then
  answer.outcome = 'unknown-account'
elseif balance < cents then
  answer.outcome = 'insufficient-funds'
else
  answer.outcome = 'debited'
  answer.balanceCents = redis.call('HINCRBY', KEYS[1], 'balanceCents', -cents)
  redis.call('LPUSH', KEYS[3], cjson.encode({ transactionId = ARGV[1], amountCents = cents }))
end
local row = cjson.encode(answer)
redis.call('SET', KEYS[2], row)
return row
`;
