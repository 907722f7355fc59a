/** The runtime of the simulator: modelled pods under a clock. */
export type {
  ContainerHandle,
  ContainerModel,
  ExecAnswer,
  ImageModel,
  LogLine,
} from './container-model.ts'
export { createSimulatedRuntime, type SimulatedRuntimeOptions } from './simulated-runtime.ts'
