/** The resource layer below the API server: every verb on every kind. */

export { bindPod } from './bind-pod.ts'
export type { Core, WriteContext } from './core.ts'
export { createObject } from './create-object.ts'
export { deleteObject } from './delete-object.ts'
export { evictPod } from './evict-pod.ts'
export type { KindDirectory, Served } from './kind-directory.ts'
export * from './resources.ts'
export { type UpdateScope, updateObject } from './update-object.ts'
