/** Compiles the behaviour of a service once, for all processes that run it. */
import type { ServiceSlice } from '#spec'
import { createExpressionCompiler } from '#world/expressions'
import type { IncomingRequest } from '#world/twin/ports'
import { createAccessCheck } from './access.ts'
import { compileEndpoint, type RunEndpoint } from './compile-endpoint.ts'
import { compileSteps } from './compile-steps.ts'
import {
  type CompileContext,
  compileMap,
  compileOptional,
  type Evaluate,
  type Scoped,
} from './compile-value.ts'
import type { Run } from './execution.ts'
import { memoise } from './memoise.ts'
import { createRouter, type Routing } from './router.ts'

/** Has no state of a process. Its parts are compiled on first use, because most processes need only a few of them. */
export interface CompiledBehaviour extends CompileContext {
  findRoute(request: IncomingRequest): Routing
  readonly hasAccess: ReturnType<typeof createAccessCheck>
  endpoint(name: string): RunEndpoint
  /** The start step with this index. */
  startStep(index: number): Run
  /** The steps for a message of this queue. */
  consumer(queue: string): Run
  /** Background work by name. */
  task(name: string): Run
  /** The error page that the service declares. */
  readonly failurePage: Evaluate | undefined
  /** The fields of the access log that the service declares. */
  readonly accessLog: ((execution: Scoped) => Record<string, unknown>) | undefined
}

const createRouting = ({ behaviour }: ServiceSlice): CompiledBehaviour['findRoute'] => {
  const { endpoints = {} } = behaviour
  const getRouter = memoise(() => createRouter(Object.keys(endpoints)))
  return ({ method, path }) => {
    if (method !== 'RPC') return getRouter('all')(method, path)
    return Object.hasOwn(endpoints, path) ? { endpoint: path, params: {} } : 'unknown-path'
  }
}

export const compileBehaviour = (slice: ServiceSlice): CompiledBehaviour => {
  const { service, behaviour } = slice
  const context: CompileContext = {
    slice,
    format: behaviour.logFormat ?? 'plain',
    expressions: createExpressionCompiler(),
  }
  const endpoints = memoise((name) =>
    compileEndpoint(behaviour.endpoints![name]!, behaviour.work, `${service}.endpoints.${name}`, context),
  )
  const startSteps = memoise((index) =>
    compileSteps([behaviour.start![Number(index)]!], `${service}.start[${index}]`, context),
  )
  const consumers = memoise((queue) =>
    compileSteps(behaviour.consumes![queue]!.steps, `${service}.consumes.${queue}.steps`, context),
  )
  const tasks = memoise((name) =>
    compileSteps(behaviour.every![name]!.steps, `${service}.every.${name}.steps`, context),
  )
  return {
    ...context,
    findRoute: createRouting(slice),
    hasAccess: createAccessCheck(behaviour.access ?? []),
    endpoint: endpoints,
    startStep: (index) => startSteps(String(index)),
    consumer: consumers,
    task: tasks,
    failurePage: compileOptional(behaviour.failurePage, `${service}.failurePage`, context),
    accessLog: behaviour.accessLog && compileMap(behaviour.accessLog, `${service}.accessLog`, context),
  }
}
