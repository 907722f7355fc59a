/** Runs the command of a probe in a container. */
import { CONTAINER_EXITED, MAX_PROBE_OUTPUT, type ProbeClient, rpcError } from '#platform/kube/containers'
import { toExecNotStarted } from '../access/exec.ts'
import {
  ContainerEnded,
  ExecFailure,
  type ExecProcess,
  type OciProgram,
  startExec,
} from '../access/exec-process.ts'
import { waitForClose } from '../access/forward-streams.ts'
import type { ContainerInstance } from '../containers/container-instance.ts'

export interface ProbeCommandOptions {
  readonly oci: OciProgram
  /** Undefined if the container has been removed. */
  readonly instance: ContainerInstance | undefined
}

const startCommand = async (
  { oci, instance }: ProbeCommandOptions,
  command: readonly string[],
  signal: AbortSignal,
): Promise<ExecProcess | undefined> => {
  if (instance?.pid === undefined) throw rpcError(CONTAINER_EXITED)
  try {
    return await startExec(oci, instance, { command, tty: false, stdin: false, signal })
  } catch (error) {
    if (signal.aborted) return undefined
    if (error instanceof ContainerEnded) throw rpcError(error.message)
    if (!(error instanceof ExecFailure)) throw error
    throw rpcError(toExecNotStarted(instance, error).message)
  }
}

/** Returns the exit code. At the time limit, kills the process and returns undefined. */
const waitForExit = async (process: ExecProcess, outputClosed: Promise<unknown>, signal: AbortSignal) => {
  const timeout = Promise.withResolvers<undefined>()
  const abort = (): void => timeout.resolve(undefined)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  // Background processes that the command started may keep its output open.
  const finished = process.ended.then(async (code) => {
    await Promise.race([outputClosed, timeout.promise])
    return code
  })
  const code = await Promise.race([finished, timeout.promise])
  if (code === undefined) process.kill()
  process.stdout.destroy()
  process.stderr?.destroy()
  return code
}

/** Collects both streams, up to the number of bytes that a kubelet keeps. */
const collectOutput = ({ stdout, stderr }: ExecProcess): { text(): string; closed: Promise<unknown> } => {
  const chunks: Buffer[] = []
  let bytes = 0
  const closings = [stdout, stderr!].map((stream) => {
    stream.on('data', (chunk: Buffer) => {
      if (bytes < MAX_PROBE_OUTPUT) chunks.push(chunk.subarray(0, MAX_PROBE_OUTPUT - bytes))
      bytes += chunk.length
    })
    return waitForClose(stream)
  })
  return { text: () => Buffer.concat(chunks).toString('utf8'), closed: Promise.all(closings) }
}

export const runProbeCommand = async (
  options: ProbeCommandOptions,
  command: readonly string[],
  signal: AbortSignal,
): ReturnType<ProbeClient<unknown>['exec']> => {
  const process = await startCommand(options, command, signal)
  if (process === undefined) return undefined
  const output = collectOutput(process)
  const exitCode = await waitForExit(process, output.closed, signal)
  return exitCode === undefined ? undefined : { exitCode, output: output.text() }
}
