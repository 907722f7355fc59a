/** Creates the behaviour of a service: it serves requests, handles messages and does background work. */
import type { Step } from '#spec'
import { parseTraceparent } from '#world/twin/instrumentation'
import type { Headers, RequestHandler, TraceContext } from '#world/twin/ports'
import { compileSteps } from './compile-steps.ts'
import type { CompileContext } from './compile-value.ts'
import { createInternalDefects } from './defects.ts'
import type { Execution, Names } from './execution.ts'
import { memoise } from './memoise.ts'
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
const createInternalRunner = ({ host, format }: CompileContext) => {
  const { tracer, log } = host
  return async (
    steps: ReturnType<typeof compileSteps>,
    { span, parent, scope, quiet }: InternalWork,
  ): Promise<void> => {
    const openSpan = tracer.start(span, parent)
    try {
      await steps({ scope, names: scope, endpoint: span.name, context: openSpan.context, end: {} })
      openSpan.end()
    } catch (error) {
      const { message } = error as Error
      openSpan.end(message)
      if (!quiet) log('error', describeUnhandled(format === 'spring' ? 'plain' : format, message))
      throw error
    }
  }
}

export const createBehaviour = (host: ServiceHost): RunningBehaviour => {
  const { slice, env, config, memorySize } = host
  const { behaviour, service } = slice
  const format = behaviour.logFormat ?? 'plain'
  const compileContext: CompileContext = { host, format, memory: createMemoryStore(memorySize) }
  const state: Names = {}
  const base: Names = { env, config, state }
  const runInternal = createInternalRunner(compileContext)
  const failIfDefective = createInternalDefects(behaviour)
  const compile = (steps: readonly Step[], location: string) =>
    compileSteps(steps, `${service}.${location}`, compileContext)

  const compileInternal = (part: 'consumes' | 'every', name: string) => {
    const run = compile(behaviour[part]![name]!.steps, `${part}.${name}.steps`)
    return async (execution: Execution) => {
      failIfDefective(name)
      return run(execution)
    }
  }
  const consumers = memoise((queue) => compileInternal('consumes', queue))
  const tasks = memoise((name) => compileInternal('every', name))
  // Later expressions see the results of the start steps as the variable `state`.
  const startScope: Names = Object.assign(Object.create(base), state)

  return {
    handle: serveRequests(compileContext, base),
    startStep: async (index) => {
      const run = compile([behaviour.start![index]!], `start[${index}]`)
      await runInternal(run, { span: { name: 'start', kind: 'internal' }, scope: startScope, quiet: true })
      Object.assign(state, startScope)
    },
    consume: async (queue, message, headers) => {
      const scope: Names = Object.assign(Object.create(base), { message })
      const parent = parseTraceparent(headers.traceparent)
      const { from: peer } = behaviour.consumes![queue]!
      host.tracer.start({ name: `receive ${queue}`, kind: 'client', peer }, parent).end()
      await runInternal(consumers(queue), {
        span: { name: `process ${queue}`, kind: 'consumer' },
        parent,
        scope,
      })
    },
    runBackground: async (name) => {
      const scope: Names = Object.create(base)
      await runInternal(tasks(name), { span: { name, kind: 'internal' }, scope }).catch(() => {})
    },
  }
}
