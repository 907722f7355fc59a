/** Makes a function of the tree of an expression. */
import { ExpressionError, kindOf } from './expression-error.ts'
import type { ExpressionFunctions } from './functions/define-function.ts'
import { OPERATORS } from './operators.ts'
import type { Node } from './parse-expression.ts'
import { SyntaxFault } from './tokenise.ts'

/** Names and their values. What a prototype has counts too, so that scopes can be built on each other. */
export type Scope = Readonly<Record<string, unknown>>

/** `locals` are the variables of macros, one place for each depth. */
export type Evaluate = (scope: Scope, locals: unknown[]) => unknown

export interface Compiling {
  readonly functions: ExpressionFunctions
  /** Variables of the macros around. */
  readonly locals: readonly string[]
  /** Collects the names that the scope must have. */
  readonly names: Set<string>
}

const MACROS = new Set(['map', 'filter', 'all', 'exists', 'exists_one'])

const member = (of: unknown, key: unknown): unknown => {
  if (of === null || of === undefined) throw new ExpressionError(`null has no "${String(key)}"`)
  if (Array.isArray(of)) {
    if (typeof key !== 'number') throw new ExpressionError(`a list has no "${String(key)}"`)
    if (!Number.isInteger(key) || key < 0 || key >= of.length)
      throw new ExpressionError(`there is no element ${key} in a list of ${of.length}`)
    return of[key]
  }
  if (typeof of !== 'object') throw new ExpressionError(`${kindOf(of)} has no "${String(key)}"`)
  const name = String(key)
  const value = Object.hasOwn(of, name) ? (of as Scope)[name] : undefined
  if (value === undefined) throw new ExpressionError(`there is no key "${name}"`)
  return value
}

/** Whether the member is there, wherever on the way to it something is missing. */
const compileHas = (node: Node, compiling: Compiling, at: number): Evaluate => {
  if (node.kind !== 'member' && node.kind !== 'index')
    throw new SyntaxFault('has() needs a member: has(request.body.name)', at)
  const evaluate = compileNode(node, compiling)
  return (scope, locals) => {
    try {
      evaluate(scope, locals)
      return true
    } catch (error) {
      if (error instanceof ExpressionError) return false
      throw error
    }
  }
}

const toBoolean = (value: unknown, of: string): boolean => {
  if (typeof value === 'boolean') return value
  throw new ExpressionError(`${of} needs true or false, got ${kindOf(value)}`)
}

/** Of `&&` and `||` one side is enough where it decides, even when the other cannot be evaluated. */
const compileLogic = (operator: string, left: Evaluate, right: Evaluate): Evaluate => {
  const decisive = operator === '||'
  return (scope, locals) => {
    let first: boolean
    try {
      first = toBoolean(left(scope, locals), `"${operator}"`)
    } catch (error) {
      if (right(scope, locals) === decisive) return decisive
      throw error
    }
    return first === decisive ? decisive : toBoolean(right(scope, locals), `"${operator}"`)
  }
}

const elements = (value: unknown, macro: string): readonly unknown[] => {
  if (Array.isArray(value)) return value
  if (value !== null && typeof value === 'object') return Object.keys(value)
  throw new ExpressionError(`${macro}() needs a list or a map, got ${kindOf(value)}`)
}

/** One element is enough where it decides, even when others cannot be evaluated, as with `||`. */
const anyIs = (decisive: boolean, list: readonly unknown[], holds: (item: unknown) => boolean): boolean => {
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

const compileMacro = (node: Extract<Node, { kind: 'call' }>, compiling: Compiling): Evaluate => {
  const [range, variable, ...bodies] = node.arguments
  const fits = bodies.length === 1 || (node.name === 'map' && bodies.length === 2)
  if (range === undefined || variable?.kind !== 'name' || !fits)
    throw new SyntaxFault(
      `${node.name}() needs a variable and an expression: list.${node.name}(x, ...)`,
      node.at,
    )
  const over = compileNode(range, compiling)
  const place = compiling.locals.length
  const inner = { ...compiling, locals: [...compiling.locals, variable.name] }
  const compiled = bodies.map((body) => compileNode(body, inner))
  const last = compiled[compiled.length - 1] as Evaluate
  const test = node.name === 'map' ? (compiled.length === 2 ? compiled[0] : undefined) : last
  return (scope, locals) => {
    const list = elements(over(scope, locals), node.name)
    const evaluateFor = (evaluate: Evaluate, item: unknown): unknown => {
      locals[place] = item
      return evaluate(scope, locals)
    }
    const holds = (item: unknown): boolean =>
      test === undefined || toBoolean(evaluateFor(test, item), `${node.name}()`)
    if (node.name === 'all') return !anyIs(false, list, holds)
    if (node.name === 'exists') return anyIs(true, list, holds)
    if (node.name === 'exists_one') return list.filter(holds).length === 1
    if (node.name === 'filter') return list.filter(holds)
    return list.filter(holds).map((item) => evaluateFor(last, item))
  }
}

/** A pattern that is written out is proved before anything runs. */
const checkPattern = (
  { arguments: [, pattern], at }: Extract<Node, { kind: 'call' }>,
  run: (...given: unknown[]) => unknown,
): void => {
  if (pattern?.kind !== 'literal') return
  try {
    run('', pattern.value)
  } catch (error) {
    throw error instanceof ExpressionError ? new SyntaxFault(error.message, at) : error
  }
}

const compileCall = (node: Extract<Node, { kind: 'call' }>, compiling: Compiling): Evaluate => {
  if (node.method && MACROS.has(node.name)) return compileMacro(node, compiling)
  const [only] = node.arguments
  if (node.name === 'has' && only !== undefined) return compileHas(only, compiling, node.at)
  const known = Object.hasOwn(compiling.functions, node.name) ? compiling.functions[node.name] : undefined
  if (known === undefined) throw new SyntaxFault(`there is no function ${node.name}()`, node.at)
  const { least, most, run } = known
  if (node.arguments.length < least || node.arguments.length > most) {
    const expected = least === most ? `${least}` : `${least} to ${most}`
    throw new SyntaxFault(`${node.name}() takes ${expected}, got ${node.arguments.length}`, node.at)
  }
  if (node.name === 'matches') checkPattern(node, run)
  const given = node.arguments.map((argument) => compileNode(argument, compiling))
  return (scope, locals) => run(...given.map((evaluate) => evaluate(scope, locals)))
}

const compileName = (name: string, compiling: Compiling): Evaluate => {
  const place = compiling.locals.lastIndexOf(name)
  if (place >= 0) return (_scope, locals) => locals[place]
  compiling.names.add(name)
  return (scope) => {
    const value = scope[name]
    if (value === undefined) throw new ExpressionError(`there is no "${name}"`)
    return value
  }
}

const compileUnary = (operator: string, of: Evaluate): Evaluate => {
  if (operator === '!') return (scope, locals) => !toBoolean(of(scope, locals), '"!"')
  return (scope, locals) => {
    const value = of(scope, locals)
    if (typeof value !== 'number') throw new ExpressionError(`"-" needs a number, got ${kindOf(value)}`)
    return -value
  }
}

const compileBinary = (node: Extract<Node, { kind: 'binary' }>, compiling: Compiling): Evaluate => {
  const left = compileNode(node.left, compiling)
  const right = compileNode(node.right, compiling)
  if (node.operator === '&&' || node.operator === '||') return compileLogic(node.operator, left, right)
  const operate = OPERATORS[node.operator] as NonNullable<(typeof OPERATORS)[string]>
  return (scope, locals) => operate(left(scope, locals), right(scope, locals))
}

const compileMap = (node: Extract<Node, { kind: 'map' }>, compiling: Compiling): Evaluate => {
  const entries = node.entries.map(
    ([key, value]) => [compileNode(key, compiling), compileNode(value, compiling)] as const,
  )
  return (scope, locals) =>
    Object.fromEntries(entries.map(([key, value]) => [String(key(scope, locals)), value(scope, locals)]))
}

/** Throws a SyntaxFault where a function is not known or gets the wrong number of arguments. */
export const compileNode = (node: Node, compiling: Compiling): Evaluate => {
  switch (node.kind) {
    case 'literal':
      return () => node.value
    case 'name':
      return compileName(node.name, compiling)
    case 'list': {
      const items = node.items.map((item) => compileNode(item, compiling))
      return (scope, locals) => items.map((item) => item(scope, locals))
    }
    case 'map':
      return compileMap(node, compiling)
    case 'member': {
      const of = compileNode(node.of, compiling)
      return (scope, locals) => member(of(scope, locals), node.key)
    }
    case 'index': {
      const of = compileNode(node.of, compiling)
      const key = compileNode(node.key, compiling)
      return (scope, locals) => member(of(scope, locals), key(scope, locals))
    }
    case 'unary':
      return compileUnary(node.operator, compileNode(node.of, compiling))
    case 'binary':
      return compileBinary(node, compiling)
    case 'choice': {
      const when = compileNode(node.when, compiling)
      const yes = compileNode(node.yes, compiling)
      const no = compileNode(node.no, compiling)
      return (scope, locals) =>
        toBoolean(when(scope, locals), '"?"') ? yes(scope, locals) : no(scope, locals)
    }
    case 'call':
      return compileCall(node, compiling)
  }
}
