/** One call of kubectl: its flags, its output and the cluster. */
import type { ProgramCall } from '../command-context.ts'
import type { ParsedFlags } from './parse-flags.ts'
import { createResourceTypes, type ResourceTypes } from './resource-types.ts'

/** The time of one call of kubectl besides waiting, measured with kubectl 1.32 on two idle cores. */
export const KUBECTL_MS = 50

export interface KubectlCall {
  readonly program: ProgramCall
  readonly flags: ParsedFlags
  readonly types: ResourceTypes
  readonly namespace: string
  out(line: string): void
  err(line: string): void
}

export const createKubectlCall = (program: ProgramCall, flags: ParsedFlags): KubectlCall => ({
  program,
  flags,
  types: createResourceTypes(program.discovery),
  namespace: flags.text('namespace') ?? program.namespace,
  out: (line) => program.out(`${line}\n`),
  err: (line) => program.err(`${line}\n`),
})
