/** The agent-cloud interface: the actions by which agents observe and change a system. */
export { ACTIONS } from './action-registry.ts'
export { type AgentSolverOptions, agentSolver } from './agent-solver.ts'
export { enginePlaybooks } from './engine-playbooks.ts'
export { engineShell } from './engine-shell.ts'
export type { Policy } from './policy.ts'
export type { Playbooks, Shell } from './ports.ts'
export { sandboxPlaybooks } from './sandbox-playbooks.ts'
export { sandboxShell } from './sandbox-shell.ts'
