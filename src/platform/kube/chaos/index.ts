/** Public interface of Chaos Mesh objects: definitions, admission and controller. */
export { chaosAdmission } from './chaos-admission.ts'
export { createChaosController } from './chaos-controller.ts'
export { chaosDefinitions } from './chaos-definitions.ts'
