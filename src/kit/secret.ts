/** Secrets: values that cannot be computed from anything public. */
import { createHmac, randomBytes } from 'node:crypto'

const BYTES = 16

/** Draws a new secret from the random number generator of the operating system. */
export const drawSecret = (): string => randomBytes(BYTES).toString('hex')

/** Derives a secret for one purpose. It reveals neither the given secret nor those for other purposes. */
export const deriveSecret = (secret: string, ...purpose: readonly string[]): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify(purpose))
    .digest('hex')
    .slice(0, 2 * BYTES)
