/** Gives the API server access to simulated containers: logs, commands, connections, usage. */
import type { Clock } from '#kit'
import type { ContainerRuntime, Usage } from '#platform/kube/ports'
import type { ContainerRegister } from './container-register.ts'
import { createLogStream } from './log-stream.ts'
import { runExec } from './run-exec.ts'

const USAGE_WINDOW_MS = 15_000

type ContainerAccess = Pick<ContainerRuntime, 'logs' | 'exec' | 'attach' | 'connect' | 'usage'>

export const createContainerAccess = (containers: ContainerRegister, clock: Clock): ContainerAccess => ({
  async logs(pod, container, options) {
    const { current, previous } = containers.instancesOf(pod, container)
    const chosen = options.previous ? previous : current
    if (chosen === undefined)
      throw new Error(`previous terminated container "${container}" in pod "${pod.metadata.name}" not found`)
    return createLogStream(chosen.log, options, clock)
  },

  exec: async (pod, container, options) => runExec(containers.runningOf(pod, container).model, options),

  async attach(pod, container, { signal, stdout }) {
    const target = containers.runningOf(pod, container)
    const logOptions = { previous: false, follow: true, timestamps: false, sinceTime: clock.now() }
    const stream = createLogStream(target.log, logOptions, clock)
    signal.addEventListener('abort', () => stream.destroy(), { once: true })
    try {
      for await (const chunk of stream) stdout?.write(chunk)
    } catch (error) {
      if (!signal.aborted) throw error
    }
  },

  async connect(pod, port) {
    for (const [, { model }] of containers.runningIn(pod.metadata.uid)) {
      const stream = model.connect?.(port)
      if (stream !== undefined) return stream
    }
    throw new Error(`dial tcp4 127.0.0.1:${port}: connect: connection refused`)
  },

  usage(pod) {
    const usage: Record<string, Usage> = {}
    for (const [name, { model, age }] of containers.runningIn(pod.metadata.uid)) {
      const { cpu, memory } = model.usage?.(age()) ?? { cpu: 0.001, memory: 16 * 2 ** 20 }
      usage[name] = { cpu, memory, windowMs: USAGE_WINDOW_MS }
    }
    return usage
  },
})
