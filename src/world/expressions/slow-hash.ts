/** The password hash of services, which is slow on purpose. */

/** Takes about ten milliseconds of CPU time, like a password hash. */
const ITERATIONS = 25_000

export const slowHash = (text: string): string =>
  process
    .getBuiltinModule('node:crypto')
    .pbkdf2Sync(text, 'remedium', ITERATIONS, 32, 'sha256')
    .toString('hex')
