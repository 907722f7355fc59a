/** Hosts of programs in memory, for tests: one network without faults, and resources without limits. */
import { type Clock, createRandom, type Random } from '#kit'
import type {
  AcceptConnection,
  AcceptedConnection,
  ProgramConnection,
  ProgramHost,
  ProgramListener,
  ProgramProcesses,
  Span,
} from '#spec'
import { openTestConnection } from './test-connection.ts'
import { createTestFiles, createTestVolume, type TestVolume } from './test-files.ts'

export interface TestHostOptions {
  /** Several hosts can have the same name, like the pods of a Service. */
  readonly name: string
  readonly environment?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  readonly volume?: TestVolume
  readonly input?: string
}

export interface TestHost extends ProgramHost {
  /** The output of the program. */
  readonly output: string
  readonly errorOutput: string
  readonly spans: readonly Span[]
  readonly exitCode: number | undefined
  /** Asks the program to terminate. */
  terminate(): void
  /** Ends the program: closes its connections and cancels its timers. */
  kill(): void
}

export interface TestHosts {
  add(options: TestHostOptions): TestHost
}

const FIRST_PORT = 40_000

const createError = (code: string, message: string): Error => Object.assign(new Error(message), { code })

/** The connections of one pod, so that they end with it. */
class Pod {
  readonly name: string
  readonly address: string
  readonly listeners = new Map<number, AcceptConnection>()
  readonly #connections = new Set<ProgramConnection | AcceptedConnection>()
  #lastPort = FIRST_PORT

  constructor(name: string, address: string) {
    this.name = name
    this.address = address
  }

  add(connection: ProgramConnection | AcceptedConnection): void {
    this.#connections.add(connection)
    connection.onClose(() => this.#connections.delete(connection))
  }

  listen(port: number, accept: AcceptConnection): ProgramListener {
    const bound = port === 0 ? ++this.#lastPort : port
    if (this.listeners.has(bound))
      throw createError('EADDRINUSE', `listen EADDRINUSE: address already in use :::${bound}`)
    this.listeners.set(bound, accept)
    return { port: bound, close: () => void this.listeners.delete(bound) }
  }

  end(): void {
    this.listeners.clear()
    for (const connection of [...this.#connections]) connection.close()
  }
}

/** The pods of one network, found by name or address. */
class TestNetwork {
  readonly #clock: Clock
  readonly #latencyMs: number
  readonly #pods: Pod[] = []
  #addresses = 0
  #turn = 0

  constructor(clock: Clock, latencyMs: number) {
    this.#clock = clock
    this.#latencyMs = latencyMs
  }

  add(name: string): Pod {
    this.#addresses += 1
    const pod = new Pod(name, `10.0.0.${this.#addresses}`)
    this.#pods.push(pod)
    return pod
  }

  remove(pod: Pod): void {
    const at = this.#pods.indexOf(pod)
    if (at >= 0) this.#pods.splice(at, 1)
    pod.end()
  }

  find(host: string): readonly Pod[] {
    const found = this.#pods.filter(({ name, address }) => name === host || address === host)
    if (found.length > 0 || /^\d+\./.test(host)) return found
    throw createError('ENOTFOUND', `getaddrinfo ENOTFOUND ${host}`)
  }

  connect(from: Pod, host: string, port: number, signal?: AbortSignal): Promise<ProgramConnection> {
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(createError('ABORT_ERR', 'The operation was aborted')))
      this.#clock.after(2 * this.#latencyMs, () => {
        if (signal?.aborted) return
        try {
          resolve(this.#open(from, host, port))
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  #open(from: Pod, host: string, port: number): ProgramConnection {
    const found = host === 'localhost' || host === '127.0.0.1' ? [from] : this.find(host)
    this.#turn += 1
    const to = found[this.#turn % found.length]
    const accept = to?.listeners.get(port)
    if (to === undefined || accept === undefined)
      throw createError('ECONNREFUSED', `connect ECONNREFUSED ${to?.address ?? host}:${port}`)
    const { client, accepted } = openTestConnection({
      clock: this.#clock,
      latencyMs: this.#latencyMs,
      from: to === from ? '127.0.0.1' : from.address,
      to: to.address,
      accept,
    })
    to.add(accepted)
    from.add(client)
    return client
  }
}

const createRandomBytes = (random: Random): ProgramHost['random'] => ({
  next: () => random.next(),
  bytes: (count) => Uint8Array.from({ length: count }, () => random.below(256)),
})

/** A CPU without contention: the elapsed time equals the CPU time. */
const createCpu = (after: ProgramHost['time']['after']): ProgramHost['cpu'] => {
  let usedMs = 0
  return {
    use: (ms) => {
      usedMs += ms
      return ms > 0 ? new Promise((resolve) => after(ms, resolve)) : Promise.resolve()
    },
    usedMs: () => usedMs,
  }
}

/** A test host runs only one program. */
const NO_OTHER_PROCESSES: ProgramProcesses = {
  id: 1,
  start: () => undefined,
  replace: () => false,
  setTitle: () => {},
  list: () => [],
  signal: () => false,
  settingsOf: () => undefined,
  configure: () => {},
}

const createHost = (
  clock: Clock,
  random: Random,
  network: TestNetwork,
  { name, environment, args = [], volume = createTestVolume(), input = '' }: TestHostOptions,
): TestHost => {
  const pod = network.add(name)
  const termination = new AbortController()
  const spans: Span[] = []
  let output = ''
  let errorOutput = ''
  let exitCode: number | undefined
  let isOver = false
  const end = (): void => {
    isOver = true
    network.remove(pod)
  }
  const after: ProgramHost['time']['after'] = (ms, task) => {
    const timer = clock.after(ms, () => {
      if (!isOver) task()
    })
    return () => timer.cancel()
  }
  return {
    time: { now: () => clock.now(), monotonic: () => clock.now(), after },
    cpu: createCpu(after),
    memory: { limitBytes: 0, usedBytes: () => 0, allocate: () => () => {} },
    files: createTestFiles(volume),
    random: createRandomBytes(random.fork(`${name}/${pod.address}`)),
    network: {
      address: pod.address,
      listen: (port, accept) => pod.listen(port, accept),
      lookup: async (host) => network.find(host).map(({ address }) => address),
      connect: (host, port, signal) => network.connect(pod, host, port, signal),
    },
    environment: { HOSTNAME: name, ...environment },
    args,
    folder: '/',
    input,
    processes: NO_OTHER_PROCESSES,
    termination: termination.signal,
    write: (text) => {
      output += text
    },
    writeError: (text) => {
      errorOutput += text
    },
    exportSpan: (span) => void spans.push(span),
    exit: (code) => {
      exitCode ??= code
      end()
    },
    terminate: () => termination.abort(),
    kill: end,
    spans,
    get output() {
      return output
    },
    get errorOutput() {
      return errorOutput
    },
    get exitCode() {
      return exitCode
    },
  }
}

export const createTestHosts = (clock: Clock, { seed = 'test', latencyMs = 0.1 } = {}): TestHosts => {
  const random = createRandom(seed)
  const network = new TestNetwork(clock, latencyMs)
  return { add: (options) => createHost(clock, random, network, options) }
}
