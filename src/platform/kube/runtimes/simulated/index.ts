/** The runtime that simulates containers under a clock. */
export type { ContainerModel, ImageModel } from './container-model.ts'
export { everydayImages } from './everyday-images.ts'
export { createSimulatedRuntime } from './simulated-runtime.ts'
