/** Creates a service without a protocol, for tests; its upstreams are functions. */

import type { Behaviour, Span, Step } from '#spec'
import { createMeter, createTracer } from '#world/twin/instrumentation'
import type { IncomingRequest, Retry, ServiceCall, StoreCommand } from '#world/twin/ports'
import { createProcessResources } from '#world/twin/process'
import { compileBehaviour } from '../compile-behaviour.ts'
import { createBehaviour, type RunningBehaviour } from '../create-behaviour.ts'

export const KEY = 'secret'

export interface TestService {
  readonly behaviour: RunningBehaviour
  readonly calls: ServiceCall[]
  readonly commands: StoreCommand[]
  readonly lines: string[]
  readonly fields: object[]
  readonly spans: Span[]
}

/** Upstreams respond with the result of `answer` for the target. */
export const createTestService = (
  behaviour: Partial<Behaviour>,
  answer: (target: string, call: ServiceCall) => unknown = () => null,
  options: { memorySize?: number; concurrency?: number; tokenMaxAge?: number; retryOf?: () => Retry } = {},
): TestService => {
  const [calls, commands, lines, spans]: [ServiceCall[], StoreCommand[], string[], Span[]] = [[], [], [], []]
  const fields: object[] = []
  const resources = createProcessResources()
  const compiled = compileBehaviour({
    system: 's',
    service: 'shop',
    release: '1',
    behaviour: { protocol: 'http', ...behaviour },
    protocols: {},
  })
  const counts = () => ({ droppedSpans: 0, droppedLines: 0, openDescriptors: 0 })
  const runningBehaviour = createBehaviour(compiled, {
    ...resources,
    env: { MODE: 'test' },
    config: {},
    sources: { random: () => 0.5, now: () => 1000, uuid: () => 'u', tokenKey: () => KEY },
    tracer: createTracer(
      { service: 'shop', pod: 'shop-0' },
      { ...resources, exportSpan: (span) => void spans.push(span) },
    ),
    meter: createMeter({ ...resources, counts }),
    log: (level, text, lineFields = {}) => {
      lines.push(`${level} ${text}`)
      fields.push(lineFields)
    },
    tokenKey: KEY,
    ...options,
    serviceClient: async () => ({
      call: async (call) => {
        calls.push(call)
        return { status: 200, headers: {}, body: await answer(call.target, call) }
      },
      close: () => {},
    }),
    storeClient: async () => ({
      query: async (command) => {
        commands.push(command)
        return answer('', { method: '', target: '', headers: {} })
      },
      close: () => {},
    }),
    timeoutOf: () => undefined,
  })
  return { calls, commands, lines, spans, fields, behaviour: runningBehaviour }
}

export const createRequest = (path = '/', overrides: Partial<IncomingRequest> = {}): IncomingRequest => ({
  method: 'GET',
  path,
  query: {},
  headers: {},
  body: null,
  ...overrides,
})

export const runSteps = async (
  steps: readonly Step[],
  reply: string,
  answer?: (target: string, call: ServiceCall) => unknown,
  overrides: Partial<IncomingRequest> = {},
) => {
  const service = createTestService({ endpoints: { 'GET /': { steps, reply } } }, answer)
  return { ...service, response: await service.behaviour.handle(createRequest('/', overrides)) }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
