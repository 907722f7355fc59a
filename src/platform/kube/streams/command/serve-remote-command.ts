/** Serves one exec or attach, from the upgrade request to the status on the error channel. */
import { finished, type Writable } from 'node:stream'
import { type Clock, defined } from '#kit'
import type { ExecOptions, ExecResult } from '#platform/kube/ports'
import { acceptSpdyCommand } from '../spdy/index.ts'
import { isWebSocketUpgrade, rejectUpgrade, type Upgrade } from '../upgrade.ts'
import { acceptWebSocketCommand } from '../web-socket/index.ts'
import type { CommandConnection, RemoteCommandOptions } from './command-connection.ts'
import { type CommandOutcome, encodeCommandStatus, toCommandStatus } from './command-status.ts'
import { readTerminalSizes } from './terminal-sizes.ts'

export type CommandStreams = Omit<ExecOptions, 'command'>

/**
 * Runs the command. Resolves when it has ended and its output is written; for an attach, the exit code is ignored.
 * Rejects with the error of the runtime if the command cannot be started.
 */
export type RunCommand = (streams: CommandStreams) => Promise<ExecResult> | Promise<void>

/** Clients such as Ansible's copy disconnect once they have sent their input; the command may still process it. */
const DISCONNECT_GRACE_MS = 5000

/** Aborts when the client has disconnected; after a grace period if the command has input. */
const abortOnDisconnect = (
  connection: CommandConnection,
  clock: Clock,
): { signal: AbortSignal; stop(): void } => {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  let timer = { cancel: (): void => {} }
  const onClosed = (): void => {
    if (connection.stdin === undefined) abort()
    else timer = clock.after(DISCONNECT_GRACE_MS, abort)
  }
  if (connection.closed.aborted) onClosed()
  else connection.closed.addEventListener('abort', onClosed, { once: true })
  return {
    signal: controller.signal,
    stop() {
      connection.closed.removeEventListener('abort', onClosed)
      timer.cancel()
    },
  }
}

const endOutput = (output: Writable | undefined, finalText = ''): Promise<void> =>
  new Promise((resolve) => {
    if (output === undefined) return resolve()
    finished(output, { readable: false }, () => resolve())
    if (output.writableEnded || output.destroyed) return
    // An empty text would be sent as a message.
    if (finalText === '') output.end()
    else output.end(finalText)
  })

const streamsOf = (connection: CommandConnection, tty: boolean, signal: AbortSignal): CommandStreams => ({
  tty,
  signal,
  ...defined({ stdin: connection.stdin, stdout: connection.stdout, stderr: connection.stderr }),
  ...(connection.resize === undefined ? {} : { resize: readTerminalSizes(connection.resize) }),
})

const runCommand = async (run: RunCommand, streams: CommandStreams): Promise<CommandOutcome> => {
  try {
    return (await run(streams)) ?? { exitCode: 0 }
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }
}

/** Never rejects. Resolves when the command has ended and the status is sent. */
export const serveRemoteCommand = async (
  upgrade: Upgrade,
  requested: RemoteCommandOptions,
  run: RunCommand,
): Promise<void> => {
  // A terminal merges stderr into stdout.
  const options = { ...requested, stderr: requested.stderr && !requested.tty }
  if (!options.stdin && !options.stdout && !options.stderr) {
    rejectUpgrade(upgrade, { code: 400, text: 'you must specify at least 1 of stdin, stdout, stderr' })
    return
  }
  const connection = isWebSocketUpgrade(upgrade)
    ? acceptWebSocketCommand(upgrade, options)
    : await acceptSpdyCommand(upgrade, options)
  if (connection === undefined) return

  const disconnect = abortOnDisconnect(connection, options.clock)
  const outcome = await runCommand(run, streamsOf(connection, options.tty, disconnect.signal))
  disconnect.stop()
  await Promise.all([endOutput(connection.stdout), endOutput(connection.stderr)])
  const status = toCommandStatus(outcome, connection.version, options.command)
  await endOutput(connection.error, encodeCommandStatus(status, connection.version))
  connection.stdin?.destroy()
  connection.close()
}
