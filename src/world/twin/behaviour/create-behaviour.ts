/** Creates the behaviour of a service: it serves requests, handles messages and does background work. */
import { parseTraceparent } from '#world/twin/instrumentation'
import type { Headers, RequestHandler, TraceContext } from '#world/twin/ports'
import type { CompiledBehaviour } from './compile-behaviour.ts'
import { createInternalDefects } from './defects.ts'
import type { Names, Run, RunningService } from './execution.ts'
import { createMemoryStore } from './memory-store.ts'
import { describeUnhandled } from './request-failure.ts'
import { serveRequests } from './serve-requests.ts'
import type { ServiceHost } from './service-host.ts'

export interface RunningBehaviour {
  readonly handle: RequestHandler
  /** Runs the start step with this index. Rejects if it fails. */
  startStep(index: number): Promise<void>
  /** Rejects if the message could not be handled. */
  consume(queue: string, message: unknown, headers: Headers): Promise<void>
  /** Runs background work once. Never rejects. */
  runBackground(name: string): Promise<void>
}

interface InternalWork {
  readonly span: { readonly name: string; readonly kind: 'internal' | 'consumer' }
  readonly parent?: TraceContext | undefined
  readonly scope: Names
  /** Does not log a failure, because the caller does. */
  readonly quiet?: boolean
}

/** Runs steps outside a request, in a separate span. */
const createInternalRunner = (
  { format }: CompiledBehaviour,
  { host, memoryStore }: RunningService,
): ((steps: Run, work: InternalWork) => Promise<void>) => {
  const { tracer, log } = host
  return async (steps, { span, parent, scope, quiet }) => {
    const openSpan = tracer.start(span, parent)
    try {
      const { context } = openSpan
      await steps({ host, memoryStore, scope, names: scope, endpoint: span.name, context, end: {} })
      openSpan.end()
    } catch (error) {
      const { message } = error as Error
      openSpan.end(message)
      if (!quiet) log('error', describeUnhandled(format === 'spring' ? 'plain' : format, message))
      throw error
    }
  }
}

/** `compiled` can be shared by all processes of the service. */
export const createBehaviour = (compiled: CompiledBehaviour, host: ServiceHost): RunningBehaviour => {
  const { env, config, memorySize } = host
  const { behaviour } = compiled.slice
  const state: Names = {}
  const base: Names = { env, config, state }
  const service: RunningService = { host, base, memoryStore: createMemoryStore(memorySize) }
  const runInternal = createInternalRunner(compiled, service)
  const failIfDefective = createInternalDefects(behaviour)
  const withDefects =
    (name: string, steps: Run): Run =>
    (execution) => {
      failIfDefective(name)
      return steps(execution)
    }
  // Later expressions see the results of the start steps as the variable `state`.
  const startScope: Names = Object.assign(Object.create(base), state)

  return {
    handle: serveRequests(compiled, service),
    startStep: async (index) => {
      const span = { name: 'start', kind: 'internal' } as const
      await runInternal(compiled.startStep(index), { span, scope: startScope, quiet: true })
      Object.assign(state, startScope)
    },
    consume: async (queue, message, headers) => {
      const scope: Names = Object.assign(Object.create(base), { message })
      const parent = parseTraceparent(headers.traceparent)
      const { from: peer } = behaviour.consumes![queue]!
      host.tracer.start({ name: `receive ${queue}`, kind: 'client', peer }, parent).end()
      await runInternal(withDefects(queue, compiled.consumer(queue)), {
        span: { name: `process ${queue}`, kind: 'consumer' },
        parent,
        scope,
      })
    },
    runBackground: async (name) => {
      const scope: Names = Object.create(base)
      await runInternal(withDefects(name, compiled.task(name)), {
        span: { name, kind: 'internal' },
        scope,
      }).catch(() => {})
    },
  }
}
