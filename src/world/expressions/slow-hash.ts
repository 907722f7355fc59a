/** The password hash of services, which is slow on purpose. */

/** Takes 3 to 10 milliseconds of CPU time, depending on the machine. */
const ITERATIONS = 25_000

export const slowHash = (text: string): string =>
  process
    .getBuiltinModule('node:crypto')
    .pbkdf2Sync(text, 'remedium', ITERATIONS, 32, 'sha256')
    .toString('hex')
