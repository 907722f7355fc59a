/** The agent-cloud interface: what agents see of a system, and can do to it. */
export { ACTIONS } from './action-registry.ts'
export { type AgentSolverOptions, agentSolver } from './agent-solver.ts'
export type { Policy } from './policy.ts'
export type { Playbooks, Shell } from './ports.ts'
export { sandboxPlaybooks } from './sandbox-playbooks.ts'
export { sandboxShell } from './sandbox-shell.ts'
