/** Probes a container by the exit code of a command. */
import type { ProbeResult } from '#platform/kube/ports'
import { toExecNotStarted } from '../access/exec.ts'
import { ContainerEnded, ExecFailure, type ExecProcess, startExec } from '../access/exec-process.ts'
import { waitForClose } from '../access/forward-streams.ts'
import { MAX_OUTPUT, type ProbeTarget } from './probe-target.ts'

/** The kubelet's error for a message of the container runtime. */
const rpcError = (detail: string): Error => new Error(`rpc error: code = Unknown desc = ${detail}`)

const startCommand = async (
  { oci, instance }: ProbeTarget,
  command: readonly string[],
  signal: AbortSignal,
): Promise<ExecProcess | undefined> => {
  if (instance?.pid === undefined)
    throw rpcError('failed to exec in container: container is in CONTAINER_EXITED state')
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
      if (bytes < MAX_OUTPUT) chunks.push(chunk.subarray(0, MAX_OUTPUT - bytes))
      bytes += chunk.length
    })
    return waitForClose(stream)
  })
  return { text: () => Buffer.concat(chunks).toString('utf8'), closed: Promise.all(closings) }
}

export const probeExec = async (
  target: ProbeTarget,
  command: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ProbeResult> => {
  const process = await startCommand(target, command, signal)
  if (process !== undefined) {
    const output = collectOutput(process)
    const code = await waitForExit(process, output.closed, signal)
    if (code !== undefined) return { ok: code === 0, output: output.text() }
  }
  const timeout = `"${command.join(' ')}" timed out after ${timeoutMs / 1000}s`
  return { ok: false, output: `command timed out: ${timeout}` }
}
