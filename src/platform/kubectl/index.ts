/** kubectl and a small shell in process, for simulated clusters. Commands that are not modelled exactly are rejected. */
export { type CommandOutcome, type CommandRequest, type Commands, createCommands } from './create-commands.ts'
