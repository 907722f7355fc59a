/** Changing objects: the patch formats, server-side apply, and the account of who owns which field. */
export { applyServerSide } from './apply.ts'
export { applyJsonPatch } from './json-patch.ts'
export { trackUpdate } from './managed-fields.ts'
export { applyMergePatch } from './merge-patch.ts'
export { applyStrategicMerge } from './strategic-merge-patch.ts'
