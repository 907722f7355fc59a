/** Fingerprints replace the values of Secrets and very long strings in records. */
import { createHash } from 'node:crypto'

/** Longer strings are recorded as fingerprints. */
export const MAX_TEXT_CHARACTERS = 65_536

const PREFIX = 'sha256:'

export const toFingerprint = (text: string): string =>
  `${PREFIX}${createHash('sha256').update(text).digest('hex')}`

/** The fingerprint of a base64 value in the data of a Secret; a fingerprint from a record is returned unchanged. */
export const toSecretFingerprint = (data: string): string =>
  data.startsWith(PREFIX) ? data : toFingerprint(data)

/** The fingerprint of a string that is a value of a Secret. */
export const fingerprintOfText = (text: string): string => toFingerprint(Buffer.from(text).toString('base64'))
