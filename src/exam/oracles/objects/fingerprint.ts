/** Fingerprints of texts and values that a record does not hold in full. */
export { toFingerprint } from '#exam/effects'

/** Longer texts are recorded as fingerprints. */
export const MAX_TEXT_CHARACTERS = 65_536
