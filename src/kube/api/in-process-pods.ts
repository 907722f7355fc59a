/** The part of the KubeApi port that reaches into pods: logs and commands, without sockets. */
import { PassThrough, Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { KubeApi, PodRef } from '../../spec/index.ts'
import type { NodeDirectory, User } from '../ports/index.ts'
import type { ApiCall, Verb } from './api-call.ts'
import type { ApiService } from './api-service.ts'
import { inProcessCall, type Query, requestUriOf, toQuery } from './in-process-call.ts'
import { checkRunning, checkStarted, chooseContainer, findPod, runtimeOf } from './pod-container.ts'
import { readLogOptions } from './serve-log.ts'

/** Output gathered into one text. */
const collector = (): { stream: Writable; text(): string } => {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(Buffer.from(chunk))
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}

/** What `work` comes to, unless the signal is given first. */
const unlessAborted = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    return await Promise.race([work, promise])
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
  const callOn = (pod: PodRef, verb: Verb, subresource: string, query: Query): ApiCall =>
    inProcessCall(service, user, verb, { apiVersion: 'v1', plural: 'pods', ...pod }, { subresource, query })

  return {
    async logs({ namespace, name }, choices = {}) {
      const call = callOn({ namespace, name }, 'get', 'log', { ...choices })
      service.admit(call, requestUriOf(call))
      const pod = findPod(core, namespace, name)
      const container = chooseContainer(pod, choices.container ?? null, false)
      const options = readLogOptions(toQuery({ ...choices, container: undefined }), core.clock.now())
      checkStarted(pod, container, options.previous)
      return text(await runtimeOf(nodes, pod).logs(pod, container, options))
    },
    async exec({ namespace, name }, command, choices = {}) {
      const { container: asked, stdin, signal = new AbortController().signal } = choices
      const [stdout, stderr] = [collector(), collector()]
      const query = { command, container: asked, stdin: stdin !== undefined, stdout: true, stderr: true }
      const call = callOn({ namespace, name }, 'create', 'exec', query)
      signal.throwIfAborted()
      const ended = service.connect(call, requestUriOf(call), () => {
        const pod = findPod(core, namespace, name)
        const container = chooseContainer(pod, asked ?? null, true)
        checkRunning(pod, container)
        const result = runtimeOf(nodes, pod).exec(pod, container, {
          command,
          tty: false,
          stdin: stdin === undefined ? new PassThrough().end() : Readable.from([stdin]),
          stdout: stdout.stream,
          stderr: stderr.stream,
          signal,
        })
        return { code: 101, ended: result }
      })
      const { exitCode } = await unlessAborted(ended, signal)
      return { exitCode, stdout: stdout.text(), stderr: stderr.text() }
    },
  }
}
