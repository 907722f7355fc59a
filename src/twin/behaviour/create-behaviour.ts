/** A service at work: answers requests, handles messages and does its background work as its behaviour says. */
import type { Step } from '../../spec/index.ts'
import type { Headers, RequestHandler, TraceContext } from '../ports/index.ts'
import { parseTraceparent } from '../watch/index.ts'
import { compileSteps } from './compile-steps.ts'
import type { Compiling } from './compiling.ts'
import { createOwnWorkDefects } from './defects.ts'
import type { Execution, Names } from './execution.ts'
import { memorise } from './memorise.ts'
import { createMemoryStore } from './memory-store.ts'
import { describeUnhandled } from './request-failure.ts'
import { serveRequests } from './serve-requests.ts'
import type { Surroundings } from './surroundings.ts'

export interface RunningBehaviour {
  readonly handle: RequestHandler
  /** Does the step of this place among those of the start. Rejects where it fails. */
  startStep(place: number): Promise<void>
  /** Rejects where the message could not be handled. */
  consume(queue: string, message: unknown, headers: Headers): Promise<void>
  /** Does background work once. Never rejects. */
  background(name: string): Promise<void>
}

interface OwnWork {
  readonly span: { readonly name: string; readonly kind: 'internal' | 'consumer' }
  readonly parent?: TraceContext | undefined
  readonly scope: Names
  /** Whoever asked for it tells of a failure. */
  readonly quiet?: boolean
}

/** Steps that no request asked for, under a span of their own. */
const createOwnWork = ({ surroundings, format }: Compiling) => {
  const { tracer, log } = surroundings
  return async (
    steps: ReturnType<typeof compileSteps>,
    { span, parent, scope, quiet }: OwnWork,
  ): Promise<void> => {
    const open = tracer.start(span, parent)
    try {
      await steps({ scope, names: scope, endpoint: span.name, context: open.context, end: {} })
      open.end()
    } catch (error) {
      const { message } = error as Error
      open.end(message)
      if (!quiet) log('error', describeUnhandled(format === 'spring' ? 'plain' : format, message))
      throw error
    }
  }
}

export const createBehaviour = (surroundings: Surroundings): RunningBehaviour => {
  const { slice, env, config, memorySize } = surroundings
  const { behaviour, service } = slice
  const format = behaviour.logFormat ?? 'plain'
  const compiling: Compiling = { surroundings, format, memory: createMemoryStore(memorySize) }
  const state: Names = {}
  const base: Names = { env, config, state }
  const doOwn = createOwnWork(compiling)
  const mayFail = createOwnWorkDefects(behaviour)
  const compile = (steps: readonly Step[], where: string) =>
    compileSteps(steps, `${service}.${where}`, compiling)

  const compileOwn = (part: 'consumes' | 'every', name: string) => {
    const run = compile(behaviour[part]![name]!.steps, `${part}.${name}.steps`)
    return async (execution: Execution) => {
      mayFail(name)
      return run(execution)
    }
  }
  const consumers = memorise((queue) => compileOwn('consumes', queue))
  const turns = memorise((name) => compileOwn('every', name))
  // The names that the start gives stay, and are `state` for all that comes later.
  const startScope: Names = Object.assign(Object.create(base), state)

  return {
    handle: serveRequests(compiling, base),
    startStep: async (place) => {
      const run = compile([behaviour.start![place]!], `start[${place}]`)
      await doOwn(run, { span: { name: 'start', kind: 'internal' }, scope: startScope, quiet: true })
      Object.assign(state, startScope)
    },
    consume: async (queue, message, headers) => {
      const scope: Names = Object.assign(Object.create(base), { message })
      const parent = parseTraceparent(headers.traceparent)
      const { from: peer } = behaviour.consumes![queue]!
      surroundings.tracer.start({ name: `receive ${queue}`, kind: 'client', peer }, parent).end()
      await doOwn(consumers(queue), { span: { name: `process ${queue}`, kind: 'consumer' }, parent, scope })
    },
    background: async (name) => {
      const scope: Names = Object.create(base)
      await doOwn(turns(name), { span: { name, kind: 'internal' }, scope }).catch(() => {})
    },
  }
}
