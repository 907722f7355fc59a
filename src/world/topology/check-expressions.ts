/** Checks that the expressions of a service compile, and use only names that are defined. */

import { lazily, type YamlPath } from '#kit'
import { type Behaviour, type Endpoint, RemediumError, type Step } from '#spec'
import { type CompiledExpression, createExpressions } from '#world/expressions'
import { type ReportMistake, suggest } from './check-calls.ts'
import { listStepLists, type StepList } from './list-steps.ts'

/** Only compiles expressions; none is evaluated. */
const expressions = lazily(() => createExpressions({ random: () => 0, now: () => 0, uuid: () => '' }))

const LOCATION = 'expression'
const COMMON_NAMES = ['env', 'config']
const NAMES_BY_KIND: Readonly<Record<StepList['kind'], readonly string[]>> = {
  start: COMMON_NAMES,
  endpoint: [...COMMON_NAMES, 'state', 'request', 'claims'],
  consumer: [...COMMON_NAMES, 'state', 'message'],
  every: [...COMMON_NAMES, 'state'],
}

/** The names that a step must not define. */
const RESERVED_NAMES: Names = new Set(['it', 'index', ...Object.values(NAMES_BY_KIND).flat()])

type Names = ReadonlySet<string>

const compile = (source: string): CompiledExpression | string => {
  try {
    return expressions().compileExpression(source, LOCATION)
  } catch (error) {
    if (!(error instanceof RemediumError)) throw error
    return error.message.slice(LOCATION.length + 2)
  }
}

const check = (source: string | undefined, known: Names, path: YamlPath, report: ReportMistake): void => {
  if (source === undefined) return
  const compiled = compile(source)
  if (typeof compiled === 'string') report(path, `is not a valid expression: ${compiled}`)
  else
    for (const name of compiled.names)
      if (!known.has(name))
        report(path, `uses "${name}", which is not defined here${suggest(name, [...known])}`)
}

const checkAll = (
  sources: Readonly<Record<string, string>> | readonly string[] | undefined,
  known: Names,
  path: YamlPath,
  report: ReportMistake,
): void => {
  if (Array.isArray(sources))
    for (const [index, source] of sources.entries()) check(source, known, [...path, index], report)
  else for (const [key, source] of Object.entries(sources ?? {})) check(source, known, [...path, key], report)
}

const checkFields = (step: Step, known: Set<string>, path: YamlPath, report: ReportMistake): void => {
  const pathOf = (key: string): YamlPath => [...path, key]
  const checkSource = (source: string | undefined, key: string): void =>
    check(source, known, pathOf(key), report)
  if ('timeout' in step) checkSource(step.timeout, 'timeout')
  if ('failure' in step) {
    check(step.failure?.status, known, [...path, 'failure', 'status'], report)
    check(step.failure?.message, new Set([...known, 'error']), [...path, 'failure', 'message'], report)
  }
  if ('call' in step) {
    checkSource(step.send, 'send')
    checkAll(step.path, known, pathOf('path'), report)
  } else if ('query' in step) {
    for (const key of ['with', 'redis', 'memcached', 'memory'] as const)
      checkAll(step[key], known, pathOf(key), report)
    checkSource(step.mongo, 'mongo')
    check(step.publish?.message, known, [...path, 'publish', 'message'], report)
  } else if ('proxy' in step) checkSource(step.target, 'target')
  else if ('log' in step) checkSource(step.log, 'log')
  else if ('wait' in step) checkSource(step.wait, 'wait')
  else if ('return' in step) checkSource(step.return, 'return')
  else if ('fail' in step) checkSource(step.fail, 'fail')
  if ('return' in step || 'fail' in step) checkSource(step.status, 'status')
}

/** Adds the names that the step sets to `known`. */
const checkStep = (step: Step, known: Set<string>, path: YamlPath, report: ReportMistake): void => {
  const define = (name: string, ...field: string[]): void => {
    if (RESERVED_NAMES.has(name)) report([...path, ...field], `is "${name}", which is a reserved name`)
    known.add(name)
  }
  check(step.each, known, [...path, 'each'], report)
  const loopNames = step.each === undefined ? [] : ['it', 'index'].filter((name) => !known.has(name))
  for (const name of loopNames) known.add(name)
  check(step.when, known, [...path, 'when'], report)
  checkFields(step, known, path, report)
  if ('set' in step)
    for (const [name, source] of Object.entries(step.set)) {
      check(source, known, [...path, 'set', name], report)
      define(name, 'set', name)
    }
  if ('do' in step) checkSteps(step.do, known, [...path, 'do'], report)
  if ('parallel' in step) checkParallel(step.parallel, known, [...path, 'parallel'], report)
  for (const name of loopNames) known.delete(name)
  if (step.as !== undefined) define(step.as, 'as')
}

const checkSteps = (
  steps: readonly Step[],
  known: Set<string>,
  path: YamlPath,
  report: ReportMistake,
): void => {
  for (const [index, step] of steps.entries()) checkStep(step, known, [...path, index], report)
}

/** Parallel steps cannot use each other's results; later steps can use all of them. */
const checkParallel = (
  steps: readonly Step[],
  known: Set<string>,
  path: YamlPath,
  report: ReportMistake,
): void => {
  const namesBefore = [...known]
  for (const [index, step] of steps.entries()) {
    const stepNames = new Set(namesBefore)
    checkStep(step, stepNames, [...path, index], report)
    for (const name of stepNames) known.add(name)
  }
}

const checkAnswer = (endpoint: Endpoint, known: Names, path: YamlPath, report: ReportMistake): void => {
  check(endpoint.reply, known, [...path, 'reply'], report)
  check(endpoint.status, known, [...path, 'status'], report)
  checkAll(endpoint.headers, known, [...path, 'headers'], report)
}

/** Checks the expressions outside steps and endpoints. */
const checkSettings = (behaviour: Behaviour, report: ReportMistake): void => {
  const known = new Set(COMMON_NAMES)
  const checkSource = (source: string | undefined, ...path: string[]): void =>
    check(source, known, path, report)
  for (const key of [
    'listen',
    'logLevel',
    'traces',
    'memorySize',
    'tokenKey',
    'tokenMaxAge',
    'concurrency',
  ] as const)
    checkSource(behaviour[key], key)
  checkSource(behaviour.register?.port, 'register', 'port')
  const requestNames = new Set([...COMMON_NAMES, 'state', 'request'])
  checkAll(behaviour.accessLog, requestNames, ['accessLog'], report)
  check(behaviour.failurePage, new Set([...requestNames, 'status', 'error']), ['failurePage'], report)
  for (const [name, { address, timeout, pool, retry, login }] of Object.entries(behaviour.upstreams ?? {})) {
    checkSource(address, 'upstreams', name, 'address')
    checkSource(timeout, 'upstreams', name, 'timeout')
    checkSource(pool?.size, 'upstreams', name, 'pool', 'size')
    checkSource(pool?.waitMs, 'upstreams', name, 'pool', 'waitMs')
    checkSource(retry?.attempts, 'upstreams', name, 'retry', 'attempts')
    checkSource(retry?.backoffMs, 'upstreams', name, 'retry', 'backoffMs')
    for (const key of ['user', 'password', 'database'] as const)
      checkSource(login?.[key], 'upstreams', name, 'login', key)
  }
  const { store = {} } = behaviour
  for (const key of ['folder', 'maxConnections', 'maxMemoryMiB', 'readMs'] as const)
    checkSource(store[key], 'store', key)
  for (const [index, { name, password }] of (store.users ?? []).entries()) {
    check(name, known, ['store', 'users', index, 'name'], report)
    check(password, known, ['store', 'users', index, 'password'], report)
  }
}

export const checkExpressions = (behaviour: Behaviour, report: ReportMistake): void => {
  checkSettings(behaviour, report)
  for (const { kind, name, steps, path } of listStepLists(behaviour)) {
    const known = new Set(NAMES_BY_KIND[kind])
    checkSteps(steps, known, path, report)
    const endpoint = kind === 'endpoint' ? behaviour.endpoints?.[name] : undefined
    if (endpoint !== undefined) checkAnswer(endpoint, known, ['endpoints', name], report)
  }
}
