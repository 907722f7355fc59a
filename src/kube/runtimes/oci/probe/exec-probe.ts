/** Whether a command in the container ends well. */
import { createHash } from 'node:crypto'
import type { ProbeResult } from '../../../ports/index.ts'
import { closed } from '../carry-streams.ts'
import { execFailureText } from '../exec.ts'
import { ContainerEnded, ExecFailure, type ExecProcess, startExec } from '../exec-process.ts'
import { MOST_OUTPUT, type ProbeTarget } from './probe-target.ts'

/** The kubelet's words around those of the container runtime. */
const refused = (why: string): Error => new Error(`rpc error: code = Unknown desc = ${why}`)

let tried = 0

/** The runtime's own name for the process that did not start. */
const nextId = (containerId: string): string => {
  tried += 1
  return createHash('sha256').update(`${containerId}/${tried}`).digest('hex')
}

const start = async (
  { oci, instance }: ProbeTarget,
  command: readonly string[],
  signal: AbortSignal,
): Promise<ExecProcess | undefined> => {
  if (instance?.pid === undefined)
    throw refused('failed to exec in container: container is in CONTAINER_EXITED state')
  try {
    return await startExec(oci, instance, { command, tty: false, stdin: false, signal })
  } catch (error) {
    if (signal.aborted) return undefined
    if (error instanceof ContainerEnded) throw refused(error.message)
    if (!(error instanceof ExecFailure)) throw error
    const id = nextId(instance.id)
    throw refused(`failed to exec in container: failed to start exec "${id}": ${execFailureText(error)}`)
  }
}

/** Its exit code; nothing where the time is over before, and then it is killed. */
const finish = async (process: ExecProcess, closing: Promise<unknown>, signal: AbortSignal) => {
  const timeout = Promise.withResolvers<undefined>()
  const abort = (): void => timeout.resolve(undefined)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  // What it started and left behind may hold its output for ever.
  const finished = process.ended.then(async (code) => {
    await Promise.race([closing, timeout.promise])
    return code
  })
  const code = await Promise.race([finished, timeout.promise])
  if (code === undefined) process.kill()
  process.stdout.destroy()
  process.stderr?.destroy()
  return code
}

/** Both streams in one, cut at what a kubelet keeps. */
const collect = ({ stdout, stderr }: ExecProcess): { text(): string; closed: Promise<unknown> } => {
  const chunks: Buffer[] = []
  let bytes = 0
  const ends = [stdout, stderr!].map((stream) => {
    stream.on('data', (chunk: Buffer) => {
      if (bytes < MOST_OUTPUT) chunks.push(chunk.subarray(0, MOST_OUTPUT - bytes))
      bytes += chunk.length
    })
    return closed(stream)
  })
  return { text: () => Buffer.concat(chunks).toString('utf8'), closed: Promise.all(ends) }
}

export const probeExec = async (
  target: ProbeTarget,
  command: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ProbeResult> => {
  const process = await start(target, command, signal)
  if (process !== undefined) {
    const output = collect(process)
    const code = await finish(process, output.closed, signal)
    if (code !== undefined) return { ok: code === 0, output: output.text() }
  }
  const words = `"${command.join(' ')}" timed out after ${timeoutMs / 1000}s`
  return { ok: false, output: `command timed out: ${words}` }
}
