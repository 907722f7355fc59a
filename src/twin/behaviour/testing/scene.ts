/** A service without a wire, for tests: upstreams are functions here. */
import { createExpressions } from '../../../expressions/index.ts'
import type { Behaviour, Span, Step } from '../../../spec/index.ts'
import type { IncomingRequest, Retry, ServiceCall, StoreCommand } from '../../ports/index.ts'
import { createMeter, createTracer } from '../../watch/index.ts'
import { createBehaviour, type RunningBehaviour } from '../create-behaviour.ts'

export const KEY = 'secret'

export interface Scene {
  readonly behaviour: RunningBehaviour
  readonly calls: ServiceCall[]
  readonly commands: StoreCommand[]
  readonly lines: string[]
  readonly fields: object[]
  readonly spans: Span[]
}

/** Upstreams answer what `answer` gives for the target. */
export const createScene = (
  behaviour: Partial<Behaviour>,
  answer: (target: string, call: ServiceCall) => unknown = () => null,
  bounds: { memorySize?: number; concurrency?: number; tokenMaxAge?: number; retryOf?: () => Retry } = {},
): Scene => {
  const [calls, commands, lines, spans]: [ServiceCall[], StoreCommand[], string[], Span[]] = [[], [], [], []]
  const fields: object[] = []
  const scene: Omit<Scene, 'behaviour'> = { calls, commands, lines, spans, fields }
  const made = createBehaviour({
    slice: {
      system: 's',
      service: 'shop',
      release: '1',
      behaviour: { wire: 'http', ...behaviour },
      wires: {},
    },
    env: { MODE: 'test' },
    config: {},
    expressions: createExpressions({
      random: () => 0.5,
      now: () => 1000,
      uuid: () => 'u',
      tokenKey: () => KEY,
    }),
    tracer: createTracer({ service: 'shop', pod: 'shop-0' }, { add: (span) => void spans.push(span) }),
    meter: createMeter(),
    log: (level, text, more = {}) => {
      lines.push(`${level} ${text}`)
      fields.push(more)
    },
    tokenKey: KEY,
    ...bounds,
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
  return { ...scene, behaviour: made }
}

export const request = (path = '/', more: Partial<IncomingRequest> = {}): IncomingRequest => ({
  method: 'GET',
  path,
  query: {},
  headers: {},
  body: null,
  ...more,
})

export const run = async (
  steps: readonly Step[],
  reply: string,
  answer?: (target: string, call: ServiceCall) => unknown,
  more: Partial<IncomingRequest> = {},
) => {
  const scene = createScene({ endpoints: { 'GET /': { steps, reply } } }, answer)
  return { ...scene, answered: await scene.behaviour.handle(request('/', more)) }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
