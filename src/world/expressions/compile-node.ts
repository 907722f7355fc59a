/** Compiles the syntax tree of an expression to a function. */
import { ExpressionError, kindOf } from './expression-error.ts'
import type { ExpressionFunctions, ExpressionSources } from './functions/define-function.ts'
import { ExpressionSyntaxError } from './next-token.ts'
import { OPERATORS } from './operators.ts'
import type { Node } from './parse-expression.ts'

/** Variables. Inherited properties count, so that scopes can be chained by prototype. */
export type Scope = Readonly<Record<string, unknown>>

/** `locals` are the variables of macros, one slot per nesting depth. */
export type Evaluate = (scope: Scope, locals: unknown[], sources: ExpressionSources) => unknown

export interface CompileContext {
  readonly functions: ExpressionFunctions
  /** Variables of the enclosing macros. */
  readonly locals: readonly string[]
  /** Collects the names that the scope must provide. */
  readonly names: Set<string>
}

const MACROS = new Set(['map', 'filter', 'all', 'exists', 'exists_one'])

const readMember = (operand: unknown, key: unknown): unknown => {
  if (operand === null || operand === undefined) throw new ExpressionError(`null has no "${String(key)}"`)
  if (Array.isArray(operand)) {
    if (typeof key !== 'number') throw new ExpressionError(`a list has no "${String(key)}"`)
    if (!Number.isInteger(key) || key < 0 || key >= operand.length)
      throw new ExpressionError(`the index ${key} is out of range for a list of ${operand.length}`)
    return operand[key]
  }
  if (typeof operand !== 'object') throw new ExpressionError(`${kindOf(operand)} has no "${String(key)}"`)
  const name = String(key)
  const value = Object.hasOwn(operand, name) ? (operand as Scope)[name] : undefined
  if (value === undefined) throw new ExpressionError(`the key "${name}" does not exist`)
  return value
}

/** False if evaluating the member fails, usually because it or one of its parents is missing. */
const compileHas = (node: Node, context: CompileContext, offset: number): Evaluate => {
  if (node.kind !== 'member' && node.kind !== 'index')
    throw new ExpressionSyntaxError('has() needs a member: has(request.body.name)', offset)
  const evaluate = compileNode(node, context)
  return (scope, locals, sources) => {
    try {
      evaluate(scope, locals, sources)
      return true
    } catch (error) {
      if (error instanceof ExpressionError) return false
      throw error
    }
  }
}

const toBoolean = (value: unknown, operation: string): boolean => {
  if (typeof value === 'boolean') return value
  throw new ExpressionError(`${operation} needs true or false, got ${kindOf(value)}`)
}

/** As in CEL, one operand of `&&` or `||` that decides the result suffices, even if the other one fails. */
const compileLogic = (operator: string, left: Evaluate, right: Evaluate): Evaluate => {
  const decisive = operator === '||'
  return (scope, locals, sources) => {
    let first: boolean
    try {
      first = toBoolean(left(scope, locals, sources), `"${operator}"`)
    } catch (error) {
      if (right(scope, locals, sources) === decisive) return decisive
      throw error
    }
    return first === decisive ? decisive : toBoolean(right(scope, locals, sources), `"${operator}"`)
  }
}

const toElements = (value: unknown, macro: string): readonly unknown[] => {
  if (Array.isArray(value)) return value
  if (value !== null && typeof value === 'object') return Object.keys(value)
  throw new ExpressionError(`${macro}() needs a list or a map, got ${kindOf(value)}`)
}

/** As with `||`, one element that decides the result suffices, even if others fail. */
const anyMatches = (
  decisive: boolean,
  list: readonly unknown[],
  holds: (item: unknown) => boolean,
): boolean => {
  let failure: unknown
  for (const item of list) {
    try {
      if (holds(item) === decisive) return true
    } catch (error) {
      failure ??= error
    }
  }
  if (failure !== undefined) throw failure
  return false
}

const compileMacro = (node: Extract<Node, { kind: 'call' }>, context: CompileContext): Evaluate => {
  const [range, variable, ...bodies] = node.arguments
  const hasBody = bodies.length === 1 || (node.name === 'map' && bodies.length === 2)
  if (range === undefined || variable?.kind !== 'name' || !hasBody)
    throw new ExpressionSyntaxError(
      `${node.name}() needs a variable and an expression: list.${node.name}(x, ...)`,
      node.offset,
    )
  const evaluateRange = compileNode(range, context)
  const slot = context.locals.length
  const innerContext = { ...context, locals: [...context.locals, variable.name] }
  const compiled = bodies.map((body) => compileNode(body, innerContext))
  const last = compiled[compiled.length - 1] as Evaluate
  const condition = node.name === 'map' ? (compiled.length === 2 ? compiled[0] : undefined) : last
  return (scope, locals, sources) => {
    const list = toElements(evaluateRange(scope, locals, sources), node.name)
    const evaluateFor = (evaluate: Evaluate, item: unknown): unknown => {
      locals[slot] = item
      return evaluate(scope, locals, sources)
    }
    const holds = (item: unknown): boolean =>
      condition === undefined || toBoolean(evaluateFor(condition, item), `${node.name}()`)
    if (node.name === 'all') return !anyMatches(false, list, holds)
    if (node.name === 'exists') return anyMatches(true, list, holds)
    if (node.name === 'exists_one') return list.filter(holds).length === 1
    if (node.name === 'filter') return list.filter(holds)
    const selected = condition === undefined ? list : list.filter(holds)
    return selected.map((item) => evaluateFor(last, item))
  }
}

/** Validates a literal pattern at compile time. */
const checkPattern = (
  { arguments: [, pattern], offset }: Extract<Node, { kind: 'call' }>,
  run: (...values: unknown[]) => unknown,
): void => {
  if (pattern?.kind !== 'literal') return
  try {
    run('', pattern.value)
  } catch (error) {
    throw error instanceof ExpressionError ? new ExpressionSyntaxError(error.message, offset) : error
  }
}

const compileCall = (node: Extract<Node, { kind: 'call' }>, context: CompileContext): Evaluate => {
  if (node.method && MACROS.has(node.name)) return compileMacro(node, context)
  const [operand] = node.arguments
  if (node.name === 'has' && operand !== undefined) return compileHas(operand, context, node.offset)
  const definition = Object.hasOwn(context.functions, node.name) ? context.functions[node.name] : undefined
  if (definition === undefined)
    throw new ExpressionSyntaxError(`the function ${node.name}() is not defined`, node.offset)
  const { minArguments, maxArguments, run, needsSources } = definition
  if (node.arguments.length < minArguments || node.arguments.length > maxArguments) {
    const expected = minArguments === maxArguments ? `${minArguments}` : `${minArguments} to ${maxArguments}`
    throw new ExpressionSyntaxError(
      `${node.name}() takes ${expected} argument${maxArguments === 1 ? '' : 's'}, got ${node.arguments.length}`,
      node.offset,
    )
  }
  if (node.name === 'matches') checkPattern(node, run)
  const compiledArguments = node.arguments.map((argument) => compileNode(argument, context))
  if (needsSources)
    return (scope, locals, sources) =>
      run(sources, ...compiledArguments.map((evaluate) => evaluate(scope, locals, sources)))
  const [first, second] = compiledArguments
  // Most functions have one or two arguments, for which no list is needed.
  if (compiledArguments.length === 1) return (scope, locals, sources) => run(first!(scope, locals, sources))
  if (compiledArguments.length === 2)
    return (scope, locals, sources) => run(first!(scope, locals, sources), second!(scope, locals, sources))
  return (scope, locals, sources) =>
    run(...compiledArguments.map((evaluate) => evaluate(scope, locals, sources)))
}

const compileName = (name: string, context: CompileContext): Evaluate => {
  const slot = context.locals.lastIndexOf(name)
  if (slot >= 0) return (_scope, locals) => locals[slot]
  context.names.add(name)
  return (scope) => {
    const value = scope[name]
    if (value === undefined) throw new ExpressionError(`"${name}" is not defined`)
    return value
  }
}

const compileUnary = (operator: string, operand: Evaluate): Evaluate => {
  if (operator === '!') return (scope, locals, sources) => !toBoolean(operand(scope, locals, sources), '"!"')
  return (scope, locals, sources) => {
    const value = operand(scope, locals, sources)
    if (typeof value !== 'number') throw new ExpressionError(`"-" needs a number, got ${kindOf(value)}`)
    return -value
  }
}

const compileBinary = (node: Extract<Node, { kind: 'binary' }>, context: CompileContext): Evaluate => {
  const left = compileNode(node.left, context)
  const right = compileNode(node.right, context)
  if (node.operator === '&&' || node.operator === '||') return compileLogic(node.operator, left, right)
  const operate = OPERATORS[node.operator] as NonNullable<(typeof OPERATORS)[string]>
  return (scope, locals, sources) => operate(left(scope, locals, sources), right(scope, locals, sources))
}

/** A plain assignment to `__proto__` would change the prototype. */
const setEntry = (map: Record<string, unknown>, key: string, value: unknown): void => {
  if (key === '__proto__')
    Object.defineProperty(map, key, { value, enumerable: true, writable: true, configurable: true })
  else map[key] = value
}

const compileMap = (node: Extract<Node, { kind: 'map' }>, context: CompileContext): Evaluate => {
  const entries = node.entries.map(
    ([key, value]) => [compileNode(key, context), compileNode(value, context)] as const,
  )
  return (scope, locals, sources) => {
    const map: Record<string, unknown> = {}
    for (const [key, value] of entries)
      setEntry(map, String(key(scope, locals, sources)), value(scope, locals, sources))
    return map
  }
}

/** Throws an ExpressionSyntaxError for an invalid call, such as one to an unknown function. */
export const compileNode = (node: Node, context: CompileContext): Evaluate => {
  switch (node.kind) {
    case 'literal':
      return () => node.value
    case 'name':
      return compileName(node.name, context)
    case 'list': {
      const items = node.items.map((item) => compileNode(item, context))
      return (scope, locals, sources) => items.map((item) => item(scope, locals, sources))
    }
    case 'map':
      return compileMap(node, context)
    case 'member': {
      const object = compileNode(node.object, context)
      return (scope, locals, sources) => readMember(object(scope, locals, sources), node.key)
    }
    case 'index': {
      const object = compileNode(node.object, context)
      const key = compileNode(node.key, context)
      return (scope, locals, sources) =>
        readMember(object(scope, locals, sources), key(scope, locals, sources))
    }
    case 'unary':
      return compileUnary(node.operator, compileNode(node.operand, context))
    case 'binary':
      return compileBinary(node, context)
    case 'conditional': {
      const condition = compileNode(node.condition, context)
      const whenTrue = compileNode(node.whenTrue, context)
      const whenFalse = compileNode(node.whenFalse, context)
      return (scope, locals, sources) =>
        toBoolean(condition(scope, locals, sources), '"?"')
          ? whenTrue(scope, locals, sources)
          : whenFalse(scope, locals, sources)
    }
    case 'call':
      return compileCall(node, context)
  }
}
