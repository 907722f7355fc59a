/** How a remote command ended, in the words of the kubelet and the API server. */
import type { StatusDetails } from '../meta/index.ts'

export type CommandOutcome = { readonly exitCode: number } | { readonly error: Error }

/** A Status as the streaming servers marshal it: without apiVersion and kind. */
export interface CommandStatus {
  metadata: Record<string, never>
  status: 'Success' | 'Failure'
  message?: string
  reason?: string
  details?: StatusDetails
  code?: number
}

const internalError = (text: string): CommandStatus => ({
  metadata: {},
  status: 'Failure',
  message: `Internal error occurred: ${text}`,
  reason: 'InternalError',
  details: { causes: [{ message: text }] },
  code: 500,
})

const nonZeroExit = (exitCode: number, why: string): CommandStatus => ({
  metadata: {},
  status: 'Failure',
  message: `command terminated with non-zero exit code: ${why}`,
  reason: 'NonZeroExitCode',
  details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
})

/**
 * With v5 the API server runs the command on the node as a client of its own and reports what that client
 * saw, so its words differ from those that pass through from the node with older protocols.
 */
export const toCommandStatus = (
  outcome: CommandOutcome,
  version: number,
  command: readonly string[] | undefined,
): CommandStatus => {
  if ('error' in outcome) {
    const doing =
      command === undefined ? 'error attaching to container' : 'error executing command in container'
    const status = internalError(`${doing}: ${outcome.error.message}`)
    return version >= 5 ? internalError(status.message!) : status
  }
  if (outcome.exitCode === 0) return { metadata: {}, status: 'Success' }
  return version >= 5
    ? nonZeroExit(outcome.exitCode, `command terminated with exit code ${outcome.exitCode}`)
    : nonZeroExit(
        outcome.exitCode,
        `error executing command [${(command ?? []).join(' ')}], exit code ${outcome.exitCode}`,
      )
}

/** What goes over the error channel: JSON since v4, before that the bare message, and nothing for a success. */
export const encodeCommandStatus = (status: CommandStatus, version: number): string =>
  version >= 4 ? JSON.stringify(status) : (status.message ?? '')
