/** Kinds made at run time from CustomResourceDefinitions. */
export { establishDefinitions } from './establish-definitions.ts'
export { kindOfDefinition } from './kind-of-definition.ts'
