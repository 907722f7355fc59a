/** Reads YAML and JSON that users write: validates it against a schema and reports every mistake with file, line and path. */
import type { Alias, Document, YAMLParseError } from 'yaml'
import type { z } from 'zod'
import { describeUnknownField } from './describe-unknown-field.ts'
import { yamlLibrary } from './yaml-library.ts'

export type YamlPath = readonly PropertyKey[]

/** A parsed document with the positions of its nodes. */
export interface LocatedYaml {
  readonly value: unknown
  /** Returns `FILE:LINE: PATH TEXT` for a mistake at this path. */
  mistakeAt(path: YamlPath, text: string): string
}

export type Reading<T> =
  | { readonly value: T; readonly document: LocatedYaml }
  | { readonly mistakes: string[] }

/** The schema of a whole document, and the path of a part in it. */
export interface WholeSchema {
  readonly schema: z.ZodType
  readonly path: YamlPath
}

/** `journeys[0].steps[1].request` */
export const toYamlPath = (path: YamlPath): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    const name = /^[\w-]+$/.test(String(part)) ? String(part) : JSON.stringify(String(part))
    return text === '' ? name : `${text}.${name}`
  }, '')

/** Far more than users write, and far fewer than would exhaust the memory. */
const MAX_ALIASES = 10_000
const TOO_MANY_ALIASES = 'there are too many aliases'

/** The library's message, except where it addresses programmers. */
const describeParseError = ({ code, message }: YAMLParseError): string => {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here'
  return code === 'IMPOSSIBLE' || message.includes('call stack')
    ? 'the document is nested too deeply'
    : message
}

interface AliasMistake {
  readonly alias: Alias | undefined
  readonly text: string
}

/** Finds the first invalid alias. Checks the number of aliases first, because resolving each one is expensive. */
const findAliasMistake = (document: Document): AliasMistake | undefined => {
  const { visit } = yamlLibrary()
  const aliases: { alias: Alias; ancestors: readonly unknown[] }[] = []
  visit(document, { Alias: (_, alias, ancestors) => void aliases.push({ alias, ancestors }) })
  if (aliases.length > MAX_ALIASES) return { alias: aliases[0]?.alias, text: TOO_MANY_ALIASES }
  for (const { alias, ancestors } of aliases) {
    const target = alias.resolve(document)
    if (target === undefined) return { alias, text: `the alias *${alias.source} has no anchor before it` }
    if (ancestors.includes(target))
      return { alias, text: `the alias *${alias.source} refers to a node that contains it` }
  }
  return undefined
}

/** Returns undefined if nested aliases expand too far. */
const toPlainValue = (document: Document): unknown => {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES })
  } catch (error) {
    if (error instanceof ReferenceError) return undefined
    throw error
  }
}

/** Parses the text without a schema; returns the first mistake if it is not valid YAML. */
export const readDocument = (text: string, file: string): LocatedYaml | { mistakes: string[] } => {
  const { LineCounter, parseDocument } = yamlLibrary()
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true })
  const lineAt = (offset: number): number => lines.linePos(offset).line
  const failAt = (offset: number, reason: string) => ({ mistakes: [`${file}:${lineAt(offset)}: ${reason}`] })
  const [parseError] = document.errors
  // Only the first error is reported: later ones are mostly its consequences.
  if (parseError !== undefined) return failAt(parseError.pos[0], describeParseError(parseError))
  const aliasMistake = findAliasMistake(document)
  if (aliasMistake !== undefined) return failAt(aliasMistake.alias?.range?.[0] ?? 0, aliasMistake.text)
  const value = toPlainValue(document)
  if (value === undefined) return failAt(0, TOO_MANY_ALIASES)
  /** The line of the value, or of the closest existing parent if the value is absent. */
  const lineOf = (path: YamlPath): number => {
    for (let length = path.length; length > 0; length -= 1) {
      const node = document.getIn(path.slice(0, length), true) as
        | { range?: [number, number, number] }
        | undefined
      if (node?.range) return lineAt(node.range[0])
    }
    return 1
  }
  return {
    value,
    mistakeAt: (path, mistake) =>
      `${file}:${lineOf(path)}: ${path.length === 0 ? 'the document' : toYamlPath(path)} ${mistake}`,
  }
}

const describeActual = (value: unknown): string => {
  if (value === null) return 'but is empty'
  if (Array.isArray(value)) return 'not a list'
  if (typeof value === 'object') return 'not a map'
  return `not ${typeof value === 'number' || typeof value === 'boolean' ? value : 'text'}`
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
}

const isPresent = ({ input }: z.core.$ZodIssue): boolean => input !== undefined

const boundText = (issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string => {
  const [side, bound] = issue.code === 'too_small' ? ['least', issue.minimum] : ['most', issue.maximum]
  if (issue.origin === 'array' || issue.origin === 'string')
    return `must have at ${side} ${bound} ${issue.origin === 'array' ? 'entries' : 'characters'}`
  if (issue.inclusive) return `must be at ${side} ${bound}, not ${String(issue.input)}`
  return `must be ${side === 'least' ? 'more' : 'less'} than ${bound}, not ${String(issue.input)}`
}

const choiceText = (choices: readonly unknown[], issue: z.core.$ZodIssue): string =>
  `must be ${choices.length > 1 ? 'one of ' : ''}${choices.join(', ')}${
    typeof issue.input === 'string' ? `, not ${issue.input}` : ''
  }`

const issueText = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'invalid_type')
    return isPresent(issue)
      ? `must be ${EXPECTED[issue.expected] ?? issue.expected}, ${describeActual(issue.input)}`
      : 'is missing'
  if (issue.code === 'too_small' || issue.code === 'too_big') return boundText(issue)
  if (issue.code === 'invalid_value') return choiceText(issue.values, issue)
  if (issue.code === 'invalid_union' && 'options' in issue)
    return choiceText(issue.options as string[], issue)
  if (issue.code === 'invalid_key') return `is not a valid name: ${issue.issues[0]?.message ?? issue.message}`
  return issue.message
}

/** The depth of the deepest issue. In a nested union, only the best-matching member counts. */
const depthOf = (issues: readonly z.core.$ZodIssue[]): number =>
  Math.max(
    ...issues.map((issue) =>
      issue.code === 'invalid_union' && issue.errors.length > 0
        ? issue.path.length + Math.max(...issue.errors.map(depthOf))
        : issue.path.length,
    ),
  )

const unknownFieldMistakes = (
  { keys, input }: z.core.$ZodIssueUnrecognizedKeys,
  path: YamlPath,
  document: LocatedYaml,
  whole: WholeSchema,
): string[] => {
  const others = Object.keys(input ?? {}).filter((key) => !keys.includes(key))
  return keys.map((key) => {
    const text = describeUnknownField(whole.schema, { path: [...whole.path, ...path], key, others })
    return document.mistakeAt([...path, key], text)
  })
}

/** Each unknown field is one mistake. For a union, only the mistakes of the closest member are reported. */
const mistakesOf = (
  issue: z.core.$ZodIssue,
  document: LocatedYaml,
  whole: WholeSchema,
  parentPath: YamlPath = [],
): string[] => {
  const path = [...parentPath, ...issue.path]
  if (issue.code === 'unrecognized_keys') return unknownFieldMistakes(issue, path, document, whole)
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const nearest = [...issue.errors].sort((a, b) => depthOf(b) - depthOf(a) || a.length - b.length)[0]!
    return nearest.flatMap((candidate) => mistakesOf(candidate, document, whole, path))
  }
  return [document.mistakeAt(path, issueText(issue))]
}

/**
 * Validates the document against the schema; returns all mistakes if it does not match. `whole` is the schema of the larger
 * document that contains this one; it is used to say where a misplaced field belongs.
 */
export const checkDocument = <T>(
  schema: z.ZodType<T>,
  document: LocatedYaml,
  whole: WholeSchema = { schema, path: [] },
): Reading<T> => {
  const parsed = schema.safeParse(document.value, { reportInput: true })
  if (parsed.success) return { value: parsed.data, document }
  return { mistakes: parsed.error.issues.flatMap((issue) => mistakesOf(issue, document, whole)) }
}

/** Parses and validates the text; returns all mistakes if it does not match. JSON is YAML too. */
export const readYaml = <T>(schema: z.ZodType<T>, text: string, file: string): Reading<T> => {
  const document = readDocument(text, file)
  return 'mistakes' in document ? document : checkDocument(schema, document)
}
