/** Runs programs that strangers wrote where they can do no harm. */
export { createSandbox, type Sandbox } from './create-sandbox.ts'
export { sweepSandboxes } from './sandbox-home.ts'
export type { SandboxOutcome, SandboxRequest } from './sandbox-request.ts'
