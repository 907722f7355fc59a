/** Runs a command in a container with the client's streams, for `kubectl exec` and `cp`. */
import { createHash } from 'node:crypto'
import { ExecNotStarted, type ExecOptions, type ExecResult } from '#platform/kube/ports'
import type { ContainerInstance } from '../containers/container-instance.ts'
import { ExecFailure, type ExecProcess, type OciProgram, startExec } from './exec-process.ts'
import { forwardInput, forwardOutput } from './forward-streams.ts'

const KILLED_EXIT_CODE = 137

let attempts = 0

/** The error for a process that could not be started, as containerd reports it. */
export const toExecNotStarted = ({ id }: ContainerInstance, { message }: ExecFailure): ExecNotStarted => {
  attempts += 1
  return new ExecNotStarted(createHash('sha256').update(`${id}/${attempts}`).digest('hex'), message)
}

/** Resolves when the command has ended and its output is forwarded, or the client has disconnected. */
const connectStreams = async (process: ExecProcess, options: ExecOptions): Promise<ExecResult> => {
  const { stdin, stdout, stderr, resize, signal } = options
  const { terminal } = process
  const aborted = Promise.withResolvers<void>()
  const abort = (): void => {
    process.kill()
    aborted.resolve()
  }
  resize?.((size) => terminal?.resize(size))
  const stopInput = forwardInput(stdin, process.stdin ?? terminal?.input)
  const outputs = [forwardOutput(process.stdout, stdout)]
  if (process.stderr !== undefined) outputs.push(forwardOutput(process.stderr, stderr))
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })

  const finished = Promise.all([process.ended, ...outputs]).then(([exitCode]) => exitCode)
  const exitCode = await Promise.race([finished, aborted.promise.then(() => KILLED_EXIT_CODE)])
  signal.removeEventListener('abort', abort)
  stopInput()
  process.stdin?.destroy()
  process.stdout.destroy()
  process.stderr?.destroy()
  terminal?.close()
  return { exitCode }
}

/** Rejects with ExecNotStarted if the program cannot be started. */
export const runExec = async (
  oci: OciProgram,
  instance: ContainerInstance,
  options: ExecOptions,
): Promise<ExecResult> => {
  const { command, tty, stdin, signal } = options
  try {
    const request = { command, tty, stdin: stdin !== undefined, signal }
    return await connectStreams(await startExec(oci, instance, request), options)
  } catch (error) {
    throw error instanceof ExecFailure ? toExecNotStarted(instance, error) : error
  }
}
