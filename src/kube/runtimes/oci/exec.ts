/** `kubectl exec` and `cp`: a command in a container, joined to the client's streams. */
import type { ExecOptions, ExecResult } from '../../ports/index.ts'
import { carryInput, carryOutput } from './carry-streams.ts'
import type { ContainerInstance } from './container-instance.ts'
import { ExecFailure, type ExecProcess, type OciProgram, startExec } from './exec-process.ts'

/** What a shell says of a program that it cannot start. */
const CANNOT_START = 126
const KILLED = 137

/** As clients of containerd see it. */
export const execFailureText = (error: ExecFailure): string =>
  `OCI runtime exec failed: ${error.message}: unknown`

/** Resolves when the command has ended and all its output is carried, or the client is gone. */
const join = async (process: ExecProcess, options: ExecOptions): Promise<ExecResult> => {
  const { stdin, stdout, stderr, resize, signal } = options
  const { terminal } = process
  const aborted = Promise.withResolvers<void>()
  const abort = (): void => {
    process.kill()
    aborted.resolve()
  }
  resize?.((size) => terminal?.resize(size))
  const stopInput = carryInput(stdin, process.stdin ?? terminal?.input)
  const outputs = [carryOutput(process.stdout, stdout)]
  if (process.stderr !== undefined) outputs.push(carryOutput(process.stderr, stderr))
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })

  const finished = Promise.all([process.ended, ...outputs]).then(([exitCode]) => exitCode)
  const exitCode = await Promise.race([finished, aborted.promise.then(() => KILLED)])
  signal.removeEventListener('abort', abort)
  stopInput()
  process.stdin?.destroy()
  process.stdout.destroy()
  process.stderr?.destroy()
  terminal?.close()
  return { exitCode }
}

export const runExec = async (
  oci: OciProgram,
  instance: ContainerInstance,
  options: ExecOptions,
): Promise<ExecResult> => {
  const { command, tty, stdin, stdout, stderr, signal } = options
  try {
    const request = { command, tty, stdin: stdin !== undefined, signal }
    return await join(await startExec(oci, instance, request), options)
  } catch (error) {
    if (!(error instanceof ExecFailure)) throw error
    ;(stderr ?? stdout)?.write(`${execFailureText(error)}\n`)
    return { exitCode: CANNOT_START }
  }
}
