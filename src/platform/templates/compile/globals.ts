/** The functions that templates can call by name. */
import { dictFromPairs } from '../filters/dict-from-pairs.ts'
import { bindArguments, parseSignature, rejectKeywords } from '../python/arguments.ts'
import { DateTime } from '../python/date-time.ts'
import { Dict } from '../python/dict.ts'
import { formatTime } from '../python/format-time.ts'
import { PythonError, typeError, valueError } from '../python/python-error.ts'
import { toText } from '../python/repr.ts'
import { isTruthy } from '../python/truth.ts'
import { typeName } from '../python/type-name.ts'
import { Undefined } from '../python/undefined.ts'
import {
  Callable,
  indexOf,
  isString,
  type Keywords,
  Namespace,
  plainCharactersOf,
  Range,
} from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import type { Context } from './frame.ts'
import { runLookup } from './run-lookup.ts'

type GlobalFunction = (context: Context, args: readonly unknown[], keywords: Keywords) => unknown

const range: GlobalFunction = (_, args, keywords) => {
  rejectKeywords('range', keywords)
  if (args.length === 0 || args.length > 3)
    throw typeError(`range expected at least 1 argument, got ${args.length}`)
  const [first, second, step] = args.map((value) => {
    if (value instanceof Undefined)
      throw typeError("'AnsibleUndefined' object cannot be interpreted as an integer")
    const index = indexOf(value)
    if (index === undefined)
      throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`)
    return index
  })
  if (step === 0) throw valueError('range() arg 3 must not be zero')
  return second === undefined ? new Range(0, first!, 1) : new Range(first!, second, step ?? 1)
}

const dict: GlobalFunction = (_, args, keywords) => {
  if (args.length > 1) throw typeError(`dict expected at most 1 argument, got ${args.length}`)
  if (args[0] instanceof Undefined) args[0].fail()
  const result = args.length === 0 ? new Dict() : dictFromPairs(args[0])
  for (const [key, value] of keywords) result.set(key, value)
  return result
}

const namespace: GlobalFunction = (context, args, keywords) => {
  const result = new Namespace()
  for (const [key, value] of (dict(context, args, keywords) as Dict).entries()) {
    if (!isString(key)) throw new UnsupportedTemplate('a namespace with keys that are not strings')
    result.members.set(plainCharactersOf(key), value)
  }
  return result
}

const NOW = parseSignature('_now_datetime(utc=False, fmt=None)')

/** `utc` makes no difference, because the local time zone is UTC. */
const now: GlobalFunction = (context, args, keywords) => {
  const [, format] = bindArguments(NOW, args, keywords)
  const at = new DateTime(Math.floor(context.now() * 1000))
  if (!isTruthy(format)) return at
  if (!isString(format)) throw typeError(`strftime() argument 1 must be str, not ${typeName(format)}`)
  return formatTime(plainCharactersOf(format), at, { zone: '', hasFraction: true })
}

const UNDEF = parseSignature('_make_undefined(hint=None)')

const undef: GlobalFunction = (_, args, keywords) => {
  const [hint] = bindArguments(UNDEF, args, keywords)
  const isEmpty = hint === null || hint === '' || hint instanceof Undefined
  return new Undefined({
    hint: isEmpty ? 'Mandatory variable has not been overridden' : toText(hint),
    nameRepr: 'None',
  })
}

const lookup =
  (wantsList: boolean): GlobalFunction =>
  (context, [name, ...terms], keywords) => {
    if (name === undefined) throw typeError("_lookup() missing 1 required positional argument: 'name'")
    if (!isString(name)) throw new PythonError('AnsibleError', `lookup plugin (${toText(name)}) not found`)
    const named = wantsList ? new Map([...keywords, ['wantlist', true] as const]) : keywords
    return runLookup(context, plainCharactersOf(name), terms, named)
  }

const unsupported =
  (name: string): GlobalFunction =>
  () => {
    throw new UnsupportedTemplate(`the function ${name}`)
  }

const FUNCTIONS: Readonly<Record<string, GlobalFunction>> = {
  cycler: unsupported('cycler'),
  dict,
  joiner: unsupported('joiner'),
  lipsum: unsupported('lipsum'),
  lookup: lookup(false),
  namespace,
  now,
  q: lookup(true),
  query: lookup(true),
  range,
  undef,
}

/** Returns undefined if there is no such function. */
export const globalFunction = (context: Context, name: string): Callable | undefined => {
  const run = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined
  return run === undefined ? undefined : new Callable(name, (args, keywords) => run(context, args, keywords))
}
