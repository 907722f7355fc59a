/** kubectl and a small shell in process, for simulated clusters. What is not modelled exactly is refused. */
export { type CommandOutcome, type CommandRequest, type Commands, createCommands } from './create-commands.ts'
