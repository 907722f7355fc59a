/** Public interface of custom resources: kinds created at run time from CustomResourceDefinitions. */
export { establishDefinitions } from './establish-definitions.ts'
export { toKind } from './to-kind.ts'
