/** The command line of a container, from its spec and its image. */
import type { Container } from 'kubernetes-types/core/v1.d.ts'
import { ContainerStartError } from '#platform/kube/ports'

interface ImageCommand {
  readonly entrypoint?: readonly string[] | undefined
  readonly command?: readonly string[] | undefined
}

export interface CommandLine {
  /** Whether the spec replaces the entrypoint of the image. */
  readonly replacesEntrypoint: boolean
  /** The command of the spec, or the entrypoint of the image. */
  readonly program: readonly string[]
  readonly args: readonly string[]
}

export const commandLineOf = (
  { command = [], args = [] }: Container,
  { entrypoint = [], command: imageArgs = [] }: ImageCommand,
): CommandLine =>
  command.length > 0
    ? { replacesEntrypoint: true, program: command, args }
    : { replacesEntrypoint: false, program: entrypoint, args: args.length > 0 ? args : imageArgs }

export const createNoCommandError = (): ContainerStartError =>
  new ContainerStartError(
    'failed to create containerd container: failed to generate container spec: no command specified',
    'create',
  )

/** The message of containerd for a container that the OCI runtime did not start. */
export const startProblem = (reason: string): string =>
  `failed to create containerd task: failed to create shim task: OCI runtime create failed: ${reason}: unknown`
