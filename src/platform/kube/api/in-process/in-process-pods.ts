/** Implements the KubeApi methods `logs` and `exec`, in process. */
import { PassThrough, Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { ExecNotStarted, type NodeDirectory, type User } from '#platform/kube/ports'
import type { KubeApi, PodRef } from '#spec'
import type { ApiService } from '../api-service.ts'
import { checkRunning, checkStarted, chooseContainer, findPod, runtimeOf } from '../pods/pod-container.ts'
import { readLogOptions } from '../pods/serve-log.ts'
import type { ApiCall, Verb } from '../request/api-call.ts'
import { inProcessCall, type Query, requestUriOf, toQuery } from './in-process-call.ts'

/** The exit code of shells for a program that cannot be started. */
const NOT_STARTED_EXIT_CODE = 126

/** Creates a stream that collects the text written to it. */
const collectOutput = (): { stream: Writable; text(): string } => {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(Buffer.from(chunk))
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}

/** Settles like `task`, or rejects with the abort reason if the signal aborts first. */
const raceAbort = async <T>(task: Promise<T>, signal: AbortSignal): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    return await Promise.race([task, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

export const createInProcessPods = (
  service: ApiService,
  nodes: NodeDirectory,
  user: User,
): Pick<KubeApi, 'logs' | 'exec'> => {
  const { core } = service
  const podCall = (pod: PodRef, verb: Verb, subresource: string, query: Query): ApiCall =>
    inProcessCall(
      { service, user },
      verb,
      { apiVersion: 'v1', plural: 'pods', ...pod },
      { subresource, query },
    )

  return {
    async logs({ namespace, name }, choices = {}) {
      const call = podCall({ namespace, name }, 'get', 'log', { ...choices })
      service.admit(call, requestUriOf(call))
      const pod = findPod(core, namespace, name)
      const container = chooseContainer(pod, choices.container ?? null, false)
      const options = readLogOptions(toQuery({ ...choices, container: undefined }), core.clock.now())
      checkStarted(pod, container, options.previous)
      return text(await runtimeOf(nodes, pod).logs(pod, container, options))
    },
    async exec({ namespace, name }, command, choices = {}) {
      const { container: requested, stdin, signal = new AbortController().signal } = choices
      const [stdout, stderr] = [collectOutput(), collectOutput()]
      const query = { command, container: requested, stdin: stdin !== undefined, stdout: true, stderr: true }
      const call = podCall({ namespace, name }, 'create', 'exec', query)
      signal.throwIfAborted()
      // A missing program is a result, not a failure of the API: an agent can remove programs from its pods.
      const toStartFailure = (error: unknown): { exitCode: number } => {
        if (!(error instanceof ExecNotStarted)) throw error
        stderr.stream.write(`${error.message}\n`)
        return { exitCode: NOT_STARTED_EXIT_CODE }
      }
      const ended = service.connect(call, requestUriOf(call), () => {
        const pod = findPod(core, namespace, name)
        const container = chooseContainer(pod, requested ?? null, true)
        checkRunning(pod, container)
        const result = runtimeOf(nodes, pod).exec(pod, container, {
          command,
          tty: false,
          stdin: stdin === undefined ? new PassThrough().end() : Readable.from([stdin]),
          stdout: stdout.stream,
          stderr: stderr.stream,
          signal,
        })
        return { code: 101, ended: result.catch(toStartFailure) }
      })
      const { exitCode } = await raceAbort(ended, signal)
      return { exitCode, stdout: stdout.text(), stderr: stderr.text() }
    },
  }
}
