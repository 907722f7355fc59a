/** Compiles the arguments of a call. */
import { dictEntries, isDict } from '../python/dict.ts'
import { iterate } from '../python/iterate.ts'
import { typeError } from '../python/python-error.ts'
import { typeName } from '../python/type-name.ts'
import { Undefined } from '../python/undefined.ts'
import { isString, type Keywords, NO_KEYWORDS, plainCharactersOf } from '../python/value.ts'
import type { Arguments, Expression } from '../syntax/node.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import type { Evaluate, Frame } from './frame.ts'

interface EvaluatedArguments {
  readonly args: readonly unknown[]
  readonly keywords: Keywords
}

const NO_ARGUMENTS: EvaluatedArguments = { args: [], keywords: NO_KEYWORDS }

const addSpread = (keywords: Map<string, unknown>, value: unknown): void => {
  if (!isDict(value)) {
    if (value instanceof Undefined) throw new UnsupportedTemplate('** with an undefined value')
    throw typeError(`argument after ** must be a mapping, not ${typeName(value)}`)
  }
  for (const [key, item] of dictEntries(value)) {
    if (!isString(key)) throw typeError('keywords must be strings')
    const name = plainCharactersOf(key)
    if (keywords.has(name)) throw typeError(`got multiple values for keyword argument '${name}'`)
    keywords.set(name, item)
  }
}

export const compileArguments = (
  { positional, keywords, spread, keywordSpread }: Arguments,
  compile: (node: Expression) => Evaluate,
): ((frame: Frame) => EvaluatedArguments) => {
  if (positional.length + keywords.length === 0 && spread === undefined && keywordSpread === undefined)
    return () => NO_ARGUMENTS
  const values = positional.map((value) => compile(value))
  const named = keywords.map(([name, value]) => [name, compile(value)] as const)
  const more = spread === undefined ? undefined : compile(spread)
  const moreNamed = keywordSpread === undefined ? undefined : compile(keywordSpread)
  return (frame) => {
    const args = values.map((value) => value(frame))
    const map = new Map(named.map(([name, value]) => [name, value(frame)]))
    if (more !== undefined) args.push(...iterate(more(frame)))
    if (moreNamed !== undefined) addSpread(map, moreNamed(frame))
    return { args, keywords: map }
  }
}
