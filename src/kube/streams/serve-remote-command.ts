/** Serves one exec or attach: from the upgrade request to the status on the error channel. */
import { finished, type Writable } from 'node:stream'
import type { Clock } from '../../kit/index.ts'
import type { ExecOptions, ExecResult } from '../ports/index.ts'
import type { CommandConnection, RemoteCommandOptions } from './command-connection.ts'
import { type CommandOutcome, encodeCommandStatus, toCommandStatus } from './command-status.ts'
import { acceptSpdyCommand } from './spdy/index.ts'
import { readTerminalSizes } from './terminal-sizes.ts'
import { isWebSocketUpgrade, refuseUpgrade, type Upgrade } from './upgrade.ts'
import { acceptWebSocketCommand } from './web-socket/index.ts'

export type CommandStreams = Omit<ExecOptions, 'command'>

/**
 * Runs the command. Resolves when it has ended and all its output is written; for an attach the exit code does
 * not matter. Rejects with the runtime's words when it could not be run.
 */
export type RunCommand = (streams: CommandStreams) => Promise<ExecResult> | Promise<void>

/** Clients such as Ansible's copy hang up once they have sent their input: what reads it may still finish. */
const DEPARTURE_GRACE_MS = 5000

/** Aborts when the client is gone and the command has not taken its leave either. */
const abortOnDeparture = (
  connection: CommandConnection,
  clock: Clock,
): { signal: AbortSignal; stop(): void } => {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  let timer = { cancel: (): void => {} }
  const onClosed = (): void => {
    if (connection.stdin === undefined) abort()
    else timer = clock.after(DEPARTURE_GRACE_MS, abort)
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

const flushed = (output: Writable | undefined, lastWords = ''): Promise<void> =>
  new Promise((resolve) => {
    if (output === undefined) return resolve()
    finished(output, { readable: false }, () => resolve())
    if (output.writableEnded || output.destroyed) return
    // An empty text would still go out as a message of its own.
    if (lastWords === '') output.end()
    else output.end(lastWords)
  })

const streamsOf = (connection: CommandConnection, tty: boolean, signal: AbortSignal): CommandStreams => ({
  tty,
  signal,
  ...(connection.stdin === undefined ? {} : { stdin: connection.stdin }),
  ...(connection.stdout === undefined ? {} : { stdout: connection.stdout }),
  ...(connection.stderr === undefined ? {} : { stderr: connection.stderr }),
  ...(connection.resize === undefined ? {} : { resize: readTerminalSizes(connection.resize) }),
})

const outcomeOf = async (run: RunCommand, streams: CommandStreams): Promise<CommandOutcome> => {
  try {
    return (await run(streams)) ?? { exitCode: 0 }
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }
}

/** Never rejects. Resolves when the command has ended and the client has been told. */
export const serveRemoteCommand = async (
  upgrade: Upgrade,
  requested: RemoteCommandOptions,
  run: RunCommand,
): Promise<void> => {
  // A terminal has one output.
  const options = { ...requested, stderr: requested.stderr && !requested.tty }
  if (!options.stdin && !options.stdout && !options.stderr) {
    refuseUpgrade(upgrade, { code: 400, text: 'you must specify at least 1 of stdin, stdout, stderr' })
    return
  }
  const connection = isWebSocketUpgrade(upgrade)
    ? acceptWebSocketCommand(upgrade, options)
    : await acceptSpdyCommand(upgrade, options)
  if (connection === undefined) return

  const departure = abortOnDeparture(connection, options.clock)
  const outcome = await outcomeOf(run, streamsOf(connection, options.tty, departure.signal))
  departure.stop()
  await Promise.all([flushed(connection.stdout), flushed(connection.stderr)])
  const status = toCommandStatus(outcome, connection.version, options.command)
  await flushed(connection.error, encodeCommandStatus(status, connection.version))
  connection.stdin?.destroy()
  connection.close()
}
