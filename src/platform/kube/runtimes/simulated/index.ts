/** The runtime that simulates containers, driven by a clock. */
export type { ContainerModel, ImageModel } from './container-model.ts'
export { everydayImages } from './everyday-images.ts'
export { createSimulatedRuntime } from './simulated-runtime.ts'
