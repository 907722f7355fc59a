/** Public interface of the inspection of simulated pods from outside: their processes and files, and connections to their main programs. */
export { connectToMain } from './connect-to-main.ts'
export { inspectContainers } from './inspect-containers.ts'
export { listProcesses, listPrograms } from './list-processes.ts'
