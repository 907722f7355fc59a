/** The step that sends a command to a data store, a broker, or the in-process store. */
import type { QueryStep } from '#spec'
import type { StoreCommand } from '#world/twin/ports'
import { type CompileContext, compileList, compileOptional, compileValue } from '../compile-value.ts'
import type { Execution, Run } from '../execution.ts'
import { type ObservedCall, observeCall } from '../observe-call.ts'

/** `operation` is the name of the span. */
interface CompiledCommand {
  readonly system: string
  readonly operation: (command: StoreCommand) => string
  readonly toCommand: (execution: Execution) => StoreCommand
}

/** `SELECT orders` */
const sqlOperation = (statement: string): string => {
  const verb = /^\s*(\w+)/.exec(statement)?.[1]?.toUpperCase() ?? 'SQL'
  const table = /\b(?:from|into|update|table(?:\s+if\s+not\s+exists)?)\s+[`"]?(\w+)/i.exec(statement)?.[1]
  return table === undefined ? verb : `${verb} ${table}`
}

const toWord = (value: unknown): string | number => {
  if (typeof value === 'string' || typeof value === 'number') return value
  return value === null ? '' : JSON.stringify(value)
}

/** `find users` */
const mongoOperation = (command: Readonly<Record<string, unknown>>): string => {
  const [verb = 'command'] = Object.keys(command)
  return typeof command[verb] === 'string' ? `${verb} ${command[verb]}` : verb
}

const compileCommand = (step: QueryStep, location: string, context: CompileContext): CompiledCommand => {
  const { sql, redis, memcached, mongo, publish } = step
  if (sql !== undefined) {
    const parameters = compileList(step.with ?? [], `${location}.with`, context)
    const operation = sqlOperation(sql)
    return {
      system: 'mysql',
      operation: () => operation,
      toCommand: (execution) => ({ sql: { statement: sql, parameters: parameters(execution) } }),
    }
  }
  if (redis !== undefined) {
    const words = compileList(redis, `${location}.redis`, context)
    return {
      system: 'redis',
      operation: (command) => String(command.redis![0]).toUpperCase(),
      toCommand: (execution) => ({ redis: words(execution).map(toWord) }),
    }
  }
  if (memcached !== undefined) {
    const words = compileList(memcached, `${location}.memcached`, context)
    return {
      system: 'memcached',
      operation: (command) => String(command.memcached![0]),
      toCommand: (execution) => ({ memcached: words(execution) }),
    }
  }
  if (mongo !== undefined) {
    const document = compileValue(mongo, `${location}.mongo`, context)
    return {
      system: 'mongodb',
      operation: (command) => mongoOperation(command.mongo!),
      toCommand: (execution) => ({ mongo: document(execution) as Record<string, unknown> }),
    }
  }
  if (publish === undefined) throw new Error(`${location}: the query has no command`)
  const message = compileValue(publish.message, `${location}.publish.message`, context)
  return {
    system: 'rabbitmq',
    operation: () => `publish ${publish.queue}`,
    toCommand: (execution) => ({
      publish: { queue: publish.queue, message: message(execution), headers: {} },
    }),
  }
}

export const compileQueryStep = (step: QueryStep, location: string, context: CompileContext): Run => {
  if (step.memory !== undefined) {
    const words = compileList(step.memory, `${location}.memory`, context)
    return (execution) => execution.memoryStore(words(execution))
  }
  const peer = step.query
  const { system, operation, toCommand } = compileCommand(step, location, context)
  const timeout = compileOptional(step.timeout, `${location}.timeout`, context)
  const kind = step.publish === undefined ? 'client' : 'producer'
  const protocol = context.slice.protocols[peer]?.protocol ?? system
  return (execution) => {
    const command = toCommand(execution)
    const timeoutMs = (timeout?.(execution) as number | undefined) ?? execution.host.timeoutOf(peer)
    const attributes: ObservedCall['attributes'] = { 'db.system.name': system, 'server.address': peer }
    const observed: ObservedCall = { peer, operation: operation(command), protocol, kind, attributes }
    return observeCall(observed, execution, context, async (traceparent) => {
      const client = await execution.host.storeClient(peer)
      const { publish } = command
      const sent = publish === undefined ? command : { publish: { ...publish, headers: { traceparent } } }
      return client.query(sent, timeoutMs)
    })
  }
}
