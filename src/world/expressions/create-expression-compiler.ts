/** Compiles CEL expressions and templates, which get their sources of time and randomness at each evaluation. */
import { RemediumError } from '#spec'
import { compileNode, type Evaluate, type Scope } from './compile-node.ts'
import { ExpressionError } from './expression-error.ts'
import type { ExpressionSources } from './functions/define-function.ts'
import { LIST_FUNCTIONS } from './functions/list-functions.ts'
import { SOURCE_FUNCTIONS } from './functions/source-functions.ts'
import { TEXT_FUNCTIONS } from './functions/text-functions.ts'
import { toText, VALUE_FUNCTIONS } from './functions/value-functions.ts'
import { ExpressionSyntaxError } from './next-token.ts'
import { type Node, parseEmbedded, parseExpression } from './parse-expression.ts'

/**
 * An expression that programs can share. Returns plain JSON data. Throws an ExpressionError with the location, the
 * expression and the reason.
 */
export interface SharedExpression<T = unknown> {
  (scope: Scope, sources: ExpressionSources): T
  /** The names that the scope must provide. */
  readonly names: ReadonlySet<string>
}

/** Compiles equal expressions once. */
export interface ExpressionCompiler {
  /** `location` identifies the expression in errors: `cartservice.endpoints.GetCart.reply`. */
  compileExpression(source: string, location: string): SharedExpression
  /** Compiles text with `${...}`. */
  compileTemplate(source: string, location: string): SharedExpression<string>
}

interface Part {
  readonly evaluate: Evaluate
  readonly names: ReadonlySet<string>
}

const withLocation = (error: unknown, source: string, location: string): unknown => {
  if (!(error instanceof ExpressionSyntaxError)) return error
  const message = `${location}: column ${error.offset + 1} of \`${source}\`: ${error.message}`
  return new RemediumError('bad-file', message)
}

const withContext = <T>(
  source: string,
  location: string,
  names: ReadonlySet<string>,
  run: (scope: Scope, sources: ExpressionSources) => T,
): SharedExpression<T> => {
  const evaluate = (scope: Scope, sources: ExpressionSources): T => {
    try {
      return run(scope, sources)
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      throw new ExpressionError(`${location}: ${error.message} in \`${source}\``)
    }
  }
  return Object.assign(evaluate, { names })
}

/** Splits a template into fixed text and syntax trees. */
const splitTemplate = (source: string): (string | Node)[] => {
  const parts: (string | Node)[] = []
  let offset = 0
  while (true) {
    const begin = source.indexOf('${', offset)
    if (begin < 0) return [...parts, source.slice(offset)]
    const { node, end } = parseEmbedded(source, begin + 2)
    parts.push(source.slice(offset, begin), node)
    offset = end
  }
}

const FUNCTIONS = { ...VALUE_FUNCTIONS, ...TEXT_FUNCTIONS, ...LIST_FUNCTIONS, ...SOURCE_FUNCTIONS }

const compilePart = (node: Node): Part => {
  const names = new Set<string>()
  return { evaluate: compileNode(node, { functions: FUNCTIONS, locals: [], names }), names }
}

export const createExpressionCompiler = (): ExpressionCompiler => {
  const compiled = new Map<string, Part>()

  const compileSource = (source: string): Part => {
    const existing = compiled.get(source)
    if (existing !== undefined) return existing
    const part = compilePart(parseExpression(source))
    compiled.set(source, part)
    return part
  }

  return {
    compileExpression: (source, location) => {
      try {
        const { evaluate, names } = compileSource(source)
        return withContext(source, location, names, (scope, sources) => evaluate(scope, [], sources) ?? null)
      } catch (error) {
        throw withLocation(error, source, location)
      }
    },
    compileTemplate: (source, location) => {
      try {
        const parts = splitTemplate(source).map((part) =>
          typeof part === 'string' ? part : compilePart(part),
        )
        const names = new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : [...part.names])))
        return withContext(source, location, names, (scope, sources) =>
          parts
            .map((part) => (typeof part === 'string' ? part : toText(part.evaluate(scope, [], sources))))
            .join(''),
        )
      } catch (error) {
        throw withLocation(error, source, location)
      }
    },
  }
}
