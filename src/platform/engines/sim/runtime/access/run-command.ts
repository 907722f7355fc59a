/** Runs commands in simulated containers, for exec and for probes. */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { ExecNotStarted, type ExecOptions, type ExecResult } from '#platform/kube/simulated'
import { UnsupportedCommand } from '#spec'
import type { ProgramContainer } from '../containers/program-container.ts'
import { missingProgramText } from '../processes/find-program.ts'
import { createProcessOutput } from '../processes/process-output.ts'

const KILLED_EXIT_CODE = 137

export interface CommandOptions {
  readonly command: readonly string[]
  readonly input: string
  readonly signal: AbortSignal
  write(text: string): void
  writeError(text: string): void
}

const createStartError = ({ id }: ProgramContainer, command: readonly string[]): ExecNotStarted =>
  new ExecNotStarted(
    createHash('sha256')
      .update(JSON.stringify([id, command]))
      .digest('hex'),
    `exec failed: ${missingProgramText(command[0] ?? '')}`,
  )

/** Resolves with undefined when the signal aborts. */
const whenAborted = (signal: AbortSignal): { readonly aborted: Promise<undefined>; stop(): void } => {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>()
  const onAbort = (): void => resolve(undefined)
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return { aborted, stop: () => signal.removeEventListener('abort', onAbort) }
}

/**
 * Resolves with the exit code when the command has ended and no process holds its output open; with undefined if the signal aborts,
 * which kills the command and the processes that it has started. Rejects with ExecNotStarted, or with the UnsupportedCommand of the
 * program.
 */
export const runCommand = async (
  container: ProgramContainer,
  { command, input, signal, write, writeError }: CommandOptions,
): Promise<number | undefined> => {
  const closed = Promise.withResolvers<void>()
  let open = 2
  const onClosed = (): void => {
    open -= 1
    if (open === 0) closed.resolve()
  }
  const process = container.table.exec({
    command,
    input,
    output: createProcessOutput(write, onClosed),
    errorOutput: createProcessOutput(writeError, onClosed),
  })
  if (process === undefined) {
    if (container.isRunning) throw createStartError(container, command)
    return KILLED_EXIT_CODE
  }
  const { aborted, stop } = whenAborted(signal)
  const finished = process.ended.then(async (code) => {
    await closed.promise
    return code
  })
  const code = await Promise.race([finished, aborted]).finally(stop)
  if (code === undefined) process.kill()
  return code
}

const readAll = async (stream: Readable | undefined): Promise<string> => {
  if (stream === undefined) return ''
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks).toString('utf8')
}

/** The whole input is read before the command starts. */
export const runExec = async (container: ProgramContainer, options: ExecOptions): Promise<ExecResult> => {
  const { command, tty, stdin, stdout, stderr, signal } = options
  if (tty && stdin !== undefined) throw new UnsupportedCommand('an interactive terminal in a container')
  const input = await readAll(stdin)
  const toClient = (text: string): string => (tty ? text.replaceAll('\n', '\r\n') : text)
  const code = await runCommand(container, {
    command,
    input,
    signal,
    write: (text) => void stdout?.write(toClient(text)),
    writeError: (text) => void (tty ? stdout : stderr)?.write(toClient(text)),
  })
  return { exitCode: code ?? KILLED_EXIT_CODE }
}
