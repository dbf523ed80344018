/**
 * What an optional peer exports, `undefined` where it is not installed. Absent is an answer, broken is an error: taken for
 * absent, a broken validator would let everything through.
 *
 * @throws What the package throws while it is loaded, also where it is one of *its* dependencies that is missing.
 */
export async function optionalPackage<T>(name: string, load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code?.endsWith('MODULE_NOT_FOUND') && message.includes(`'${name}'`)) return undefined;
    throw error;
  }
}
