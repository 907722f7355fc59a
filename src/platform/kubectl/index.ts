/** kubectl and a small shell in process, for simulated clusters. Commands that are not modelled exactly are rejected. */
export { createCommands } from './create-commands.ts'
