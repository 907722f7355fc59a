/** Runs twins in virtual time, without an operating system below them; their protocols are function calls. */
import { createRandom, createVirtualClock, runVirtually, type VirtualClock } from '#kit'
import type { ServiceSlice, Span } from '#spec'
import {
  CallFailure,
  type RequestHandler,
  type ServiceCall,
  type StoreServerOptions,
  type TwinHost,
  type TwinProtocols,
} from '#world/twin/ports'

/** The time that a message takes in each direction. */
export const LATENCY_MS = 1

export interface VirtualTwins {
  readonly clock: VirtualClock
  /** The log lines of all twins, each with its pod. */
  readonly lines: string[]
  readonly spans: Span[]
  /** The options of the data stores that were started. */
  readonly stores: StoreServerOptions[]
  /** The servers by host and port. */
  readonly servers: Map<string, RequestHandler>
  /** Advances the clock while `work` waits. */
  run<T>(work: () => Promise<T>): Promise<T>
  createHost(pod: string, options?: VirtualHostOptions): TwinHost
}

export interface VirtualHostOptions {
  readonly files?: Readonly<Record<string, string>>
  readonly limitBytes?: number
}

const unsupported = (): never => {
  throw new Error('not part of a virtual twin')
}

const createCpu = (clock: VirtualClock): TwinHost['cpu'] => {
  let freeAt = 0
  let usedMs = 0
  return {
    use: (ms) =>
      new Promise((resolve) => {
        usedMs += ms
        freeAt = Math.max(freeAt, clock.now()) + ms
        clock.after(freeAt - clock.now(), resolve)
      }),
    usedMs: () => usedMs,
  }
}

const createMemory = (limitBytes: number): TwinHost['memory'] => {
  let usedBytes = 0
  return {
    limitBytes,
    usedBytes: () => usedBytes,
    allocate: (bytes) => {
      usedBytes += bytes
      return () => {
        usedBytes -= bytes
      }
    },
  }
}

const createFiles = (content: Readonly<Record<string, string>>): TwinHost['files'] => ({
  exists: (path) => path in content,
  read: (path) => {
    const text = content[path]
    if (text === undefined) throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' })
    return Buffer.from(text)
  },
  makeFolder: unsupported,
  open: unsupported,
  rename: unsupported,
  remove: unsupported,
  statusOf: unsupported,
  list: unsupported,
  removeFolder: unsupported,
})

const toRequest = ({ method, target, headers, body }: ServiceCall) => {
  const { pathname, searchParams } = new URL(target, 'http://twin')
  return {
    method,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers,
    body: body ?? null,
  }
}

const createProtocols = (
  { clock, servers, stores }: Pick<VirtualTwins, 'clock' | 'servers' | 'stores'>,
  pod: string,
): TwinProtocols => {
  const pass = (): Promise<void> =>
    new Promise((resolve) => {
      clock.after(LATENCY_MS, resolve)
    })
  return {
    serviceServer: async () => async (options) => {
      const address = `${pod}:${options.port}`
      servers.set(address, options.handler)
      return { port: options.port, close: async () => void servers.delete(address) }
    },
    serviceClient: async () => (options) => ({
      call: async (call) => {
        const { host, port } = await options.address()
        await pass()
        const handler = servers.get(`${host}:${port}`)
        if (handler === undefined) throw new CallFailure('refused', 'connect ECONNREFUSED')
        const { status, body, headers = {} } = await handler(toRequest(call))
        await pass()
        return { status, headers, body: structuredClone(body) }
      },
      close: () => {},
    }),
    storeServer: async () => async (options) => {
      stores.push(options)
      return { port: options.port, close: async () => {} }
    },
    storeClient: unsupported,
    registryServer: unsupported,
    registryClient: unsupported,
  }
}

export const createVirtualTwins = (seed = 'twins'): VirtualTwins => {
  const clock = createVirtualClock()
  const random = createRandom(seed)
  const shared = {
    clock,
    lines: [] as string[],
    spans: [] as Span[],
    stores: [] as StoreServerOptions[],
    servers: new Map<string, RequestHandler>(),
  }
  return {
    ...shared,
    run: (work) => runVirtually(clock, work),
    createHost: (pod, { files = {}, limitBytes = 0 } = {}) => {
      const podRandom = random.fork(pod)
      return {
        time: {
          now: clock.now,
          monotonic: clock.now,
          after: (ms, task) => clock.after(ms, task).cancel,
        },
        cpu: createCpu(clock),
        memory: createMemory(limitBytes),
        files: createFiles(files),
        random: {
          next: podRandom.next,
          bytes: (count) => Uint8Array.from({ length: count }, () => podRandom.below(256)),
        },
        pod,
        address: pod,
        protocols: createProtocols(shared, pod),
        write: (line) => void shared.lines.push(`${pod} ${line}`),
        exportSpan: (span) => void shared.spans.push(span),
        counts: () => ({ droppedSpans: 0, droppedLines: 0, openDescriptors: 0 }),
      }
    },
  }
}

export const createTestSlice = (
  service: string,
  behaviour: Partial<ServiceSlice['behaviour']>,
): ServiceSlice => ({
  system: 'test',
  service,
  release: '1',
  behaviour: { protocol: 'http', listen: '80', ...behaviour },
  protocols: { back: { protocol: 'http', port: 80 } },
})
