/** Tests the life cycle, logs, commands, connections and usage of simulated containers. */
import { PassThrough, type Readable } from 'node:stream'
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { createRandom, createVirtualClock } from '#kit'
import type { Stored } from '#platform/kube/meta'
import { fullImageName } from '#platform/kube/meta'
import type {
  ContainerExit,
  ContainerRuntime,
  LogOptions,
  RunningContainer,
  Sandbox,
} from '#platform/kube/ports'
import type { ContainerModel, ImageModel } from './container-model.ts'
import { createSimulatedRuntime } from './simulated-runtime.ts'

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default', uid: 'u1', resourceVersion: '1', creationTimestamp: '' },
  spec: { containers: [] },
  status: {},
} as Stored<Pod>

const textOf = async (stream: Readable): Promise<string> => {
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return text
}

const createTestRuntime = (model: ContainerModel = {}, images: Record<string, ImageModel> = {}) => {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1))
  const runtime: ContainerRuntime = createSimulatedRuntime({
    clock,
    random: createRandom(1),
    nodeIndex: 3,
    images: (image) => images[image] ?? { run: () => model },
  })
  const exits: ContainerExit[] = []
  let sandbox: Sandbox | undefined
  const start = (container: Container = { name: 'c', image: 'app' }, attempt = 0): RunningContainer => {
    if (sandbox === undefined) {
      runtime.createSandbox(pod, { files: [], claims: [] }, (outcome) => {
        if (outcome.ok) sandbox = outcome.value
      })
      clock.advance(1000)
    }
    let running: RunningContainer | undefined
    const onExit = (exit: ContainerExit): void => void exits.push(exit)
    runtime.startContainer(
      { pod, sandbox: sandbox!, container, attempt, environment: {}, onExit },
      (outcome) => {
        if (outcome.ok) running = outcome.value
        else throw outcome.error
      },
    )
    clock.advance(100)
    return running!
  }
  return { clock, runtime, start, exits, sandbox: () => sandbox }
}

const tickingModel: ContainerModel = {
  logs: (fromMs, toMs) => {
    const lines = []
    for (let atMs = Math.ceil(fromMs / 1000) * 1000; atMs < toMs; atMs += 1000)
      lines.push({ atMs, text: `tick ${atMs / 1000}` })
    return lines
  },
}
const LOG_OPTIONS: LogOptions = { previous: false, follow: false, timestamps: false }

describe('the runtime', () => {
  it('assigns addresses of the node and deterministic ids', () => {
    const [a, b] = [createTestRuntime(), createTestRuntime()]
    expect(a.start()).toEqual(b.start())
    expect(a.sandbox()?.ip).toBe('10.244.3.2')
    expect(a.start().id).toMatch(/^containerd:\/\/[0-9a-f]{64}$/)
  })

  it('reports the exit of a container that ends, is stopped or is killed', () => {
    const ended = createTestRuntime({ exit: { afterMs: 500, exitCode: 3, reason: 'Error' } })
    ended.start()
    ended.clock.advance(499)
    expect(ended.exits).toEqual([])
    ended.clock.advance(1)
    expect(ended.exits).toEqual([{ exitCode: 3, reason: 'Error' }])

    const graceful = createTestRuntime({ stop: { afterMs: 200, exitCode: 143 } })
    graceful.runtime.stopContainer(graceful.start().id, 30_000)
    graceful.clock.advance(200)
    expect(graceful.exits).toEqual([{ exitCode: 143, reason: 'Error' }])

    const ignoring = createTestRuntime({ stop: 'ignores' })
    ignoring.runtime.stopContainer(ignoring.start().id, 2000)
    ignoring.clock.advance(1999)
    expect(ignoring.exits).toEqual([])
    ignoring.clock.advance(1)
    expect(ignoring.exits).toEqual([{ exitCode: 137, reason: 'Error' }])
  })

  it('fails to pull an unknown image', () => {
    const clock = createVirtualClock()
    const images = (): undefined => undefined
    const runtime = createSimulatedRuntime({ clock, random: createRandom(1), nodeIndex: 0, images })
    let message = ''
    runtime.pullImage('nope', (outcome) => {
      if (!outcome.ok) message = outcome.error.message
    })
    clock.advance(2000)
    expect(message).toBe(
      'rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/nope:latest": failed to resolve reference "docker.io/library/nope:latest": docker.io/library/nope:latest: not found',
    )
    expect(runtime.hasImage('nope')).toBe(false)
  })

  it('completes image names', () => {
    expect(['busybox', 'a/b:1', 'host:5000/x', 'reg.io/a/b@sha256:00'].map(fullImageName)).toEqual([
      'docker.io/library/busybox:latest',
      'docker.io/a/b:1',
      'host:5000/x:latest',
      'reg.io/a/b@sha256:00',
    ])
  })

  it('fails probes that exceed their timeout', () => {
    const { runtime, start, clock } = createTestRuntime({ probeMs: 5000 })
    const container = { name: 'c', image: 'app' }
    const action = { type: 'exec' as const, command: ['true'] }
    let output = ''
    runtime.probe(pod, container, start().id, { kind: 'readiness', action, timeoutMs: 1000 }, (outcome) => {
      if (outcome.ok) output = outcome.value.output
    })
    clock.advance(1000)
    expect(output).toBe('command timed out: "true" timed out after 1s')
  })
})

describe('logs', () => {
  it('support sinceTime, tailLines, limitBytes and timestamps', async () => {
    const { runtime, start, clock } = createTestRuntime(tickingModel)
    start()
    clock.advance(3000)
    const read = async (options: Partial<LogOptions>) =>
      textOf(await runtime.logs(pod, 'c', { ...LOG_OPTIONS, ...options }))
    expect(await read({})).toBe('tick 0\ntick 1\ntick 2\ntick 3\n')
    expect(await read({ tailLines: 1 })).toBe('tick 3\n')
    expect(await read({ tailLines: 0 })).toBe('')
    expect(await read({ sinceTime: clock.now() - 1000 })).toBe('tick 2\ntick 3\n')
    expect(await read({ limitBytes: 10 })).toBe('tick 0\ntic')
    expect(await read({ tailLines: 1, timestamps: true })).toBe('2026-01-01T00:00:04.100000000Z tick 3\n')
  })

  it('of the previous instance are kept', async () => {
    const { runtime, start, clock } = createTestRuntime({
      ...tickingModel,
      exit: { afterMs: 1500, exitCode: 1, reason: 'Error' },
    })
    start()
    clock.advance(2000)
    await expect(runtime.logs(pod, 'c', { ...LOG_OPTIONS, previous: true })).rejects.toThrow(
      'previous terminated container "c" in pod "p" not found',
    )
    start(undefined, 1)
    expect(await textOf(await runtime.logs(pod, 'c', { ...LOG_OPTIONS, previous: true }))).toBe(
      'tick 0\ntick 1\n',
    )
    expect(await textOf(await runtime.logs(pod, 'c', LOG_OPTIONS))).toBe('tick 0\n')
  })

  it('can be followed until the end', async () => {
    const { runtime, start, clock } = createTestRuntime(tickingModel)
    const { id } = start()
    const text = textOf(await runtime.logs(pod, 'c', { ...LOG_OPTIONS, follow: true, tailLines: 0 }))
    clock.advance(2500)
    runtime.stopContainer(id, 1000)
    clock.advance(1000)
    expect(await text).toBe('tick 1\ntick 2\n')
  })
})

describe('access', () => {
  it('runs the commands of the model', async () => {
    const { runtime, start } = createTestRuntime({
      exec: ([program, argument], stdin) =>
        program === 'echo' ? { exitCode: 0, stdout: `${argument}${stdin}\n` } : undefined,
    })
    start()
    const runCommand = async (command: string[]) => {
      const [stdout, stderr, stdin] = [new PassThrough(), new PassThrough(), new PassThrough()]
      stdin.end('!')
      const { signal } = new AbortController()
      const { exitCode } = await runtime.exec(pod, 'c', {
        command,
        tty: false,
        stdin,
        stdout,
        stderr,
        signal,
      })
      return { exitCode, out: String(stdout.read() ?? ''), error: String(stderr.read() ?? '') }
    }
    expect(await runCommand(['echo', 'hello'])).toEqual({ exitCode: 0, out: 'hello!\n', error: '' })
    await expect(runCommand(['bash'])).rejects.toThrow(
      /^failed to exec in container: failed to start exec "[0-9a-f]{64}": OCI runtime exec failed: exec failed: unable to start container process: exec: "bash": executable file not found in \$PATH: unknown$/,
    )
  })

  it('refuses connections to closed ports', async () => {
    const { runtime, start } = createTestRuntime({
      connect: (port) => (port === 80 ? new PassThrough() : undefined),
    })
    start()
    await expect(runtime.connect(pod, 80)).resolves.toBeDefined()
    await expect(runtime.connect(pod, 81)).rejects.toThrow(
      'dial tcp4 127.0.0.1:81: connect: connection refused',
    )
  })

  it('reports the usage of running containers', () => {
    const { runtime, start, clock } = createTestRuntime({
      usage: (atMs) => ({ cpu: 0.25, memory: atMs }),
      exit: { afterMs: 1000, exitCode: 0, reason: 'Completed' },
    })
    start()
    clock.advance(500)
    expect(runtime.usage(pod)).toEqual({ c: { cpu: 0.25, memory: 500, windowMs: 15_000 } })
    clock.advance(1000)
    expect(runtime.usage(pod)).toEqual({})
  })
})

describe('a model that throws', () => {
  it('fails the probe but does not end the container', () => {
    const { clock, runtime, start } = createTestRuntime({
      probe() {
        throw new TypeError('broken')
      },
    })
    const { id } = start()
    const action = { type: 'tcp' as const, host: '10.244.3.2', port: 80 }
    const outcomes: unknown[] = []
    runtime.probe(pod, { name: 'c' }, id, { kind: 'liveness', action, timeoutMs: 1000 }, (outcome) =>
      outcomes.push(outcome),
    )
    clock.advance(0)
    expect(outcomes).toEqual([{ ok: false, error: new TypeError('broken') }])
  })
})
