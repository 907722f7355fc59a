/** The objects of Chaos Mesh: their definitions, what is checked of them, and the controller that acts on them. */
export { chaosAdmission } from './chaos-admission.ts'
export { createChaosController } from './chaos-controller.ts'
export { chaosDefinitions } from './chaos-definitions.ts'
