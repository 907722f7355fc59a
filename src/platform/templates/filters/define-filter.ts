/** Declares filters and tests by their Python signatures. */
import type { Context } from '../compile/frame.ts'
import type { Plugin } from '../compile/plugins.ts'
import { bindArguments, parseSignature } from '../python/arguments.ts'
import { typeError } from '../python/python-error.ts'
import { toText } from '../python/repr.ts'
import { typeName } from '../python/type-name.ts'
import { Undefined } from '../python/undefined.ts'
import { charactersOf, indexOf, isString } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'

/** Declares a filter by its signature without the value, such as `do_replace(old, new, count=None)`. */
export const filter = (signature: string, run: (value: any, ...args: any[]) => unknown): Plugin => {
  const parsed = parseSignature(signature)
  return (_, value, args, keywords) => run(value, ...bindArguments(parsed, args, keywords))
}

/** A filter that needs the context. */
export const contextFilter = (
  signature: string,
  run: (context: Context, value: any, ...args: any[]) => unknown,
): Plugin => {
  const parsed = parseSignature(signature)
  return (context, value, args, keywords) => run(context, value, ...bindArguments(parsed, args, keywords))
}

/** A filter that is not supported. A template may contain it in a part that does not run. */
export const unsupportedPlugin =
  (what: string): Plugin =>
  () => {
    throw new UnsupportedTemplate(what)
  }

/** Converts an argument that must be a whole number. */
export const countArgument = (value: unknown): number => {
  if (value instanceof Undefined) value.fail()
  const count = indexOf(value)
  if (count === undefined) throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`)
  return count
}

/** Converts the value of a filter to text, as most filters do. */
export const softText = (value: unknown): string => (isString(value) ? charactersOf(value) : toText(value))

/** Returns the text of a string. Other types are not supported, because the Python function calls methods of `str`. */
export const textArgument = (value: unknown, what: string): string => {
  if (value instanceof Undefined) value.fail()
  if (isString(value)) return charactersOf(value)
  throw new UnsupportedTemplate(`${what} of a value of the type ${typeName(value)}`)
}
