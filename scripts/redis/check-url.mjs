import { redisInfo } from './ask-redis.mjs';
import { versionFromInfo, whyTooOld } from './version.mjs';

/**
 * Makes sure that a server somebody else runs can be used, before anything is started against it.
 *
 * @param {string} url
 * @param {string} variable the name of the variable that held the address, for the message
 * @returns {Promise<import('./version.mjs').ServerVersion>}
 */
export async function checkRedisUrl(url, variable) {
  if (!URL.canParse(url) || !/^(rediss?|(redis\+)?unix):$/.test(new URL(url).protocol)) {
    throw new Error(`${variable} is not an address: set it to something like redis://127.0.0.1:6379`);
  }
  const shown = withoutPassword(url);
  const info = await redisInfo(url, 'server').catch((error) => {
    throw new Error(
      `${variable}=${shown} does not answer: ${reasonOf(error)}. Start that server, or unset ${variable} to get a private one.`,
      { cause: error },
    );
  });
  const version = versionFromInfo(info);
  if (!version) throw new Error(`${variable}=${shown} does not tell its version in INFO: is it a Redis or a Valkey?`);
  const tooOld = whyTooOld(version);
  if (tooOld) throw new Error(`${variable}=${shown}: ${tooOld}. Unset ${variable} to get a private server.`);
  return version;
}

/**
 * @param {string} url
 * @returns {string} the address as it may be printed
 */
export function withoutPassword(url) {
  const parsed = new URL(url);
  if (parsed.password) parsed.password = '***';
  return parsed.href;
}

/** @param {Error & { errors?: Error[] }} error Node joins the errors of several addresses into one without a message */
function reasonOf(error) {
  return error.message || error.errors?.[0]?.message || error.name;
}
