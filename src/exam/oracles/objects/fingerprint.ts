/** Fingerprints of texts and values that a record does not hold in full. */
export { MAX_TEXT_CHARACTERS, toFingerprint } from '#exam/effects'
