/** Public interface of the inspection of simulated pods from outside: their processes, and connections to their main programs. */
export { connectToMain, type ListeningContainer } from './connect-to-main.ts'
export type { InspectedContainer, InspectedPods } from './inspected-pods.ts'
export { listProcesses, listPrograms } from './list-processes.ts'
