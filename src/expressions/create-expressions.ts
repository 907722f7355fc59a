/** Compiles CEL expressions, and text with expressions in it, for one set of sources of time and chance. */
import { RemediumError } from '../spec/index.ts'
import { compileNode, type Evaluate, type Scope } from './compile-node.ts'
import { ExpressionError } from './expression-error.ts'
import { LIST_FUNCTIONS } from './functions/list-functions.ts'
import { type ExpressionSources, sourceFunctions } from './functions/source-functions.ts'
import { TEXT_FUNCTIONS } from './functions/text-functions.ts'
import { toText, VALUE_FUNCTIONS } from './functions/value-functions.ts'
import { type Node, parseEmbedded, parseExpression } from './parse-expression.ts'
import { SyntaxFault } from './tokenise.ts'

/** Gives plain JSON data. Throws an ExpressionError that names the place, the expression and what is missing. */
export interface CompiledExpression<T = unknown> {
  (scope: Scope): T
  /** What the scope must have. */
  readonly names: ReadonlySet<string>
}

export interface Expressions {
  /** `where` is the place that errors name: `cartservice.endpoints.GetCart.reply`. */
  compileExpression(source: string, where: string): CompiledExpression
  /** Text with `${...}` in it. */
  compileTemplate(source: string, where: string): CompiledExpression<string>
}

interface Part {
  readonly evaluate: Evaluate
  readonly names: ReadonlySet<string>
}

const located = (error: unknown, source: string, where: string): unknown => {
  if (!(error instanceof SyntaxFault)) return error
  const message = `${where}: column ${error.at + 1} of \`${source}\`: ${error.message}`
  return new RemediumError('bad-file', message)
}

const guarded = <T>(
  source: string,
  where: string,
  names: ReadonlySet<string>,
  run: (scope: Scope) => T,
): CompiledExpression<T> => {
  const evaluate = (scope: Scope): T => {
    try {
      return run(scope)
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      throw new ExpressionError(`${where}: ${error.message} in \`${source}\``)
    }
  }
  return Object.assign(evaluate, { names })
}

/** Splits a template into fixed text and the trees of its expressions. */
const splitTemplate = (source: string): (string | Node)[] => {
  const parts: (string | Node)[] = []
  let at = 0
  while (true) {
    const begin = source.indexOf('${', at)
    if (begin < 0) return [...parts, source.slice(at)]
    const { node, end } = parseEmbedded(source, begin + 2)
    parts.push(source.slice(at, begin), node)
    at = end
  }
}

export const createExpressions = (sources: ExpressionSources): Expressions => {
  const functions = {
    ...VALUE_FUNCTIONS,
    ...TEXT_FUNCTIONS,
    ...LIST_FUNCTIONS,
    ...sourceFunctions(sources),
  }
  const compiled = new Map<string, Part>()

  const compilePart = (node: Node): Part => {
    const names = new Set<string>()
    return { evaluate: compileNode(node, { functions, locals: [], names }), names }
  }

  const compileSource = (source: string): Part => {
    const known = compiled.get(source)
    if (known !== undefined) return known
    const part = compilePart(parseExpression(source))
    compiled.set(source, part)
    return part
  }

  return {
    compileExpression: (source, where) => {
      try {
        const { evaluate, names } = compileSource(source)
        return guarded(source, where, names, (scope) => evaluate(scope, []) ?? null)
      } catch (error) {
        throw located(error, source, where)
      }
    },
    compileTemplate: (source, where) => {
      try {
        const parts = splitTemplate(source).map((part) =>
          typeof part === 'string' ? part : compilePart(part),
        )
        const names = new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : [...part.names])))
        return guarded(source, where, names, (scope) =>
          parts.map((part) => (typeof part === 'string' ? part : toText(part.evaluate(scope, [])))).join(''),
        )
      } catch (error) {
        throw located(error, source, where)
      }
    },
  }
}
