/** Runs untrusted programs in isolation. */
export { createSandbox, type Sandbox } from './create-sandbox.ts'
export type { ServiceAddress } from './outward-network.ts'
export type { ProgramLimits } from './program-spec.ts'
export { isInside, isSystemPath, PROGRAM_FOLDERS } from './program-view.ts'
export { listSandboxes, sandboxCpuMs, sweepSandboxes } from './sandbox-home.ts'
export type { SandboxOutcome, SandboxRequest } from './sandbox-request.ts'
export { type IsolatedProgram, startIsolatedProgram } from './start-isolated-program.ts'
