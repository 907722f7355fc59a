/** Proves that the expressions of a service can be read, and use only names that are there by then. */
import { type CompiledExpression, createExpressions } from '../expressions/index.ts'
import { lazily, type YamlPath } from '../kit/index.ts'
import { type Behaviour, type Endpoint, RemediumError, type Step } from '../spec/index.ts'
import { guess, type Tell } from './check-calls.ts'
import { type StepList, stepListsOf } from './walk-steps.ts'

/** Only compiled with, never evaluated. */
const expressions = lazily(() => createExpressions({ random: () => 0, now: () => 0, uuid: () => '' }))

const PLACE = 'it'
const ALWAYS = ['env', 'config']
const GIVEN: Readonly<Record<StepList['kind'], readonly string[]>> = {
  start: ALWAYS,
  endpoint: [...ALWAYS, 'state', 'request', 'claims'],
  consumer: [...ALWAYS, 'state', 'message'],
  every: [...ALWAYS, 'state'],
}

/** What steps may not call their results. */
const RESERVED: Names = new Set(['it', 'index', ...Object.values(GIVEN).flat()])

type Names = ReadonlySet<string>

const compile = (source: string): CompiledExpression | string => {
  try {
    return expressions().compileExpression(source, PLACE)
  } catch (error) {
    if (!(error instanceof RemediumError)) throw error
    return error.message.slice(PLACE.length + 2)
  }
}

const check = (source: string | undefined, known: Names, path: YamlPath, tell: Tell): void => {
  if (source === undefined) return
  const compiled = compile(source)
  if (typeof compiled === 'string') tell(path, `cannot be read: ${compiled}`)
  else
    for (const name of compiled.names)
      if (!known.has(name))
        tell(path, `uses "${name}", which nothing has set by then${guess(name, [...known])}`)
}

const checkAll = (
  sources: Readonly<Record<string, string>> | readonly string[] | undefined,
  known: Names,
  path: YamlPath,
  tell: Tell,
): void => {
  if (Array.isArray(sources))
    for (const [index, one] of sources.entries()) check(one, known, [...path, index], tell)
  else for (const [key, one] of Object.entries(sources ?? {})) check(one, known, [...path, key], tell)
}

const checkCommand = (step: Step, known: Set<string>, path: YamlPath, tell: Tell): void => {
  const at = (key: string): YamlPath => [...path, key]
  const one = (source: string | undefined, key: string): void => check(source, known, at(key), tell)
  if ('timeout' in step) one(step.timeout, 'timeout')
  if ('failure' in step) {
    check(step.failure?.status, known, [...path, 'failure', 'status'], tell)
    check(step.failure?.message, new Set([...known, 'error']), [...path, 'failure', 'message'], tell)
  }
  if ('call' in step) {
    one(step.send, 'send')
    checkAll(step.path, known, at('path'), tell)
  } else if ('query' in step) {
    for (const key of ['with', 'redis', 'memcached', 'memory'] as const)
      checkAll(step[key], known, at(key), tell)
    one(step.mongo, 'mongo')
    check(step.publish?.message, known, [...path, 'publish', 'message'], tell)
  } else if ('proxy' in step) one(step.target, 'target')
  else if ('log' in step) one(step.log, 'log')
  else if ('wait' in step) one(step.wait, 'wait')
  else if ('return' in step) one(step.return, 'return')
  else if ('fail' in step) one(step.fail, 'fail')
  if ('return' in step || 'fail' in step) one(step.status, 'status')
}

/** Adds to `known` what the step sets. */
const checkStep = (step: Step, known: Set<string>, path: YamlPath, tell: Tell): void => {
  const learn = (name: string, ...place: string[]): void => {
    if (RESERVED.has(name)) tell([...path, ...place], `is "${name}", which has a meaning of its own`)
    known.add(name)
  }
  check(step.each, known, [...path, 'each'], tell)
  const inside = step.each === undefined ? [] : ['it', 'index'].filter((name) => !known.has(name))
  for (const name of inside) known.add(name)
  check(step.when, known, [...path, 'when'], tell)
  checkCommand(step, known, path, tell)
  if ('set' in step)
    for (const [name, source] of Object.entries(step.set)) {
      check(source, known, [...path, 'set', name], tell)
      learn(name, 'set', name)
    }
  if ('do' in step) checkSteps(step.do, known, [...path, 'do'], tell)
  if ('parallel' in step) checkParallel(step.parallel, known, [...path, 'parallel'], tell)
  for (const name of inside) known.delete(name)
  if (step.as !== undefined) learn(step.as, 'as')
}

const checkSteps = (steps: readonly Step[], known: Set<string>, path: YamlPath, tell: Tell): void => {
  for (const [index, step] of steps.entries()) checkStep(step, known, [...path, index], tell)
}

/** None of them knows what another sets; what comes behind knows all. */
const checkParallel = (steps: readonly Step[], known: Set<string>, path: YamlPath, tell: Tell): void => {
  const before = [...known]
  for (const [index, step] of steps.entries()) {
    const own = new Set(before)
    checkStep(step, own, [...path, index], tell)
    for (const name of own) known.add(name)
  }
}

const checkAnswer = (endpoint: Endpoint, known: Names, path: YamlPath, tell: Tell): void => {
  check(endpoint.reply, known, [...path, 'reply'], tell)
  check(endpoint.status, known, [...path, 'status'], tell)
  checkAll(endpoint.headers, known, [...path, 'headers'], tell)
}

/** What is evaluated when the process starts. */
const checkSettings = (behaviour: Behaviour, tell: Tell): void => {
  const known = new Set(ALWAYS)
  const one = (source: string | undefined, ...path: string[]): void => check(source, known, path, tell)
  for (const key of [
    'listen',
    'logLevel',
    'traces',
    'memorySize',
    'tokenKey',
    'tokenMaxAge',
    'concurrency',
  ] as const)
    one(behaviour[key], key)
  one(behaviour.register?.port, 'register', 'port')
  const asked = new Set([...ALWAYS, 'state', 'request'])
  checkAll(behaviour.accessLog, asked, ['accessLog'], tell)
  check(behaviour.failurePage, new Set([...asked, 'status', 'error']), ['failurePage'], tell)
  for (const [name, { address, timeout, pool, retry, login }] of Object.entries(behaviour.upstreams ?? {})) {
    one(address, 'upstreams', name, 'address')
    one(timeout, 'upstreams', name, 'timeout')
    one(pool?.size, 'upstreams', name, 'pool', 'size')
    one(pool?.waitMs, 'upstreams', name, 'pool', 'waitMs')
    one(retry?.attempts, 'upstreams', name, 'retry', 'attempts')
    one(retry?.backoffMs, 'upstreams', name, 'retry', 'backoffMs')
    for (const key of ['user', 'password', 'database'] as const)
      one(login?.[key], 'upstreams', name, 'login', key)
  }
  const { store = {} } = behaviour
  for (const key of ['folder', 'maxConnections', 'maxMemoryMiB', 'readMs'] as const)
    one(store[key], 'store', key)
  for (const [index, { name, password }] of (store.users ?? []).entries()) {
    check(name, known, ['store', 'users', index, 'name'], tell)
    check(password, known, ['store', 'users', index, 'password'], tell)
  }
}

export const checkExpressions = (behaviour: Behaviour, tell: Tell): void => {
  checkSettings(behaviour, tell)
  for (const { kind, name, steps, path } of stepListsOf(behaviour)) {
    const known = new Set(GIVEN[kind])
    checkSteps(steps, known, path, tell)
    const endpoint = kind === 'endpoint' ? behaviour.endpoints?.[name] : undefined
    if (endpoint !== undefined) checkAnswer(endpoint, known, ['endpoints', name], tell)
  }
}
