/** Patch formats, server-side apply, and field ownership. */
export { applyServerSide } from './apply.ts'
export { goText } from './go-text.ts'
export { applyJsonPatch } from './json-patch.ts'
export { managedFieldsOfUpdate } from './managed-fields-of-update.ts'
export { applyMergePatch } from './merge-patch.ts'
export { applyStrategicMerge } from './strategic-merge-patch.ts'
