/** The exit status of a remote command, with the messages of the kubelet and the API server. */
import type { StatusDetails } from '#platform/kube/meta'

export type CommandOutcome = { readonly exitCode: number } | { readonly error: Error }

/** A Status as the streaming servers encode it: without apiVersion and kind. */
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

const nonZeroExit = (exitCode: number, detail: string): CommandStatus => ({
  metadata: {},
  status: 'Failure',
  message: `command terminated with non-zero exit code: ${detail}`,
  reason: 'NonZeroExitCode',
  details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
})

/**
 * With v5 the API server runs the command as a client of the node and creates the status itself; with older
 * protocols it forwards the status of the node.
 */
export const toCommandStatus = (
  outcome: CommandOutcome,
  version: number,
  command: readonly string[] | undefined,
): CommandStatus => {
  if ('error' in outcome) {
    const failedAction =
      command === undefined ? 'error attaching to container' : 'error executing command in container'
    const status = internalError(`${failedAction}: ${outcome.error.message}`)
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

/** The content of the error channel: JSON since v4; before v4, the error message, or empty on success. */
export const encodeCommandStatus = (status: CommandStatus, version: number): string =>
  version >= 4 ? JSON.stringify(status) : (status.message ?? '')
