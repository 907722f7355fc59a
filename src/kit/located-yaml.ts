/** YAML and JSON that people write: read along a schema, and every mistake told with file, line and path. */
import type { Alias, Document, YAMLParseError } from 'yaml'
import type { z } from 'zod'
import { yamlLibrary } from './yaml-library.ts'

export type YamlPath = readonly PropertyKey[]

/** A text that was read; keeps where everything stands. */
export interface LocatedYaml {
  readonly value: unknown
  /** `FILE:LINE: PATH TEXT`, for a mistake at this path. */
  mistakeAt(path: YamlPath, text: string): string
}

export type Reading<T> =
  | { readonly value: T; readonly document: LocatedYaml }
  | { readonly mistakes: string[] }

/** `journeys[0].steps[1].request` */
export const toYamlPath = (path: YamlPath): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    const name = /^[\w-]+$/.test(String(part)) ? String(part) : JSON.stringify(String(part))
    return text === '' ? name : `${text}.${name}`
  }, '')

/** Far more than a hand writes, far fewer than would fill the memory. */
const MOST_ALIASES = 10_000
const TOO_MANY_ALIASES = 'there are too many references'

/** The library's words, but where they speak to programmers. */
const brokenText = ({ code, message }: YAMLParseError): string => {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here'
  return code === 'IMPOSSIBLE' || message.includes('call stack') ? 'it is nested too deeply' : message
}

interface Misuse {
  readonly alias: Alias | undefined
  readonly text: string
}

/** The first reference to nothing, or to what it is a part of. Numbers are looked at before places: those cost. */
const misusedAlias = (document: Document): Misuse | undefined => {
  const { visit } = yamlLibrary()
  const found: { alias: Alias; around: readonly unknown[] }[] = []
  visit(document, { Alias: (_, alias, around) => void found.push({ alias, around }) })
  if (found.length > MOST_ALIASES) return { alias: found[0]?.alias, text: TOO_MANY_ALIASES }
  for (const { alias, around } of found) {
    const target = alias.resolve(document)
    if (target === undefined)
      return { alias, text: `*${alias.source} refers to nothing that stands before it` }
    if (around.includes(target)) return { alias, text: `*${alias.source} refers to what it is a part of` }
  }
  return undefined
}

/** Undefined where references of references are more than anybody could mean. */
const plainValue = (document: Document): unknown => {
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES })
  } catch (error) {
    if (error instanceof ReferenceError) return undefined
    throw error
  }
}

/** The text without a schema; or where it is broken. */
export const readDocument = (text: string, file: string): LocatedYaml | { mistakes: string[] } => {
  const { LineCounter, parseDocument } = yamlLibrary()
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true })
  const lineAt = (offset: number): number => lines.linePos(offset).line
  const failAt = (offset: number, what: string) => ({ mistakes: [`${file}:${lineAt(offset)}: ${what}`] })
  const [broken] = document.errors
  // What follows a broken place is mostly broken because of it.
  if (broken !== undefined) return failAt(broken.pos[0], brokenText(broken))
  const misused = misusedAlias(document)
  if (misused !== undefined) return failAt(misused.alias?.range?.[0] ?? 0, misused.text)
  const value = plainValue(document)
  if (value === undefined) return failAt(0, TOO_MANY_ALIASES)
  /** Of the value, or of what surrounds it where it is not there. */
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
    mistakeAt: (path, what) =>
      `${file}:${lineOf(path)}: ${path.length === 0 ? 'it' : toYamlPath(path)} ${what}`,
  }
}

const kindOf = (value: unknown): string => {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map'
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : 'text'
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

const isGiven = ({ input }: z.core.$ZodIssue): boolean => input !== undefined

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
    return isGiven(issue)
      ? `must be ${EXPECTED[issue.expected] ?? issue.expected}, not ${kindOf(issue.input)}`
      : 'is missing'
  if (issue.code === 'too_small' || issue.code === 'too_big') return boundText(issue)
  if (issue.code === 'invalid_value') return choiceText(issue.values, issue)
  if (issue.code === 'invalid_union' && 'options' in issue)
    return choiceText(issue.options as string[], issue)
  if (issue.code === 'invalid_key') return `is no good name: ${issue.issues[0]?.message ?? issue.message}`
  return issue.message
}

/** How far a shape fits before something is wrong; of unions in it, the one that fits best. */
const depthOf = (issues: readonly z.core.$ZodIssue[]): number =>
  Math.max(
    ...issues.map((one) =>
      one.code === 'invalid_union' && one.errors.length > 0
        ? one.path.length + Math.max(...one.errors.map(depthOf))
        : one.path.length,
    ),
  )

/** An unknown field is one mistake each; of a union of shapes what the nearest one says is told. */
const mistakesOf = (issue: z.core.$ZodIssue, document: LocatedYaml, under: YamlPath = []): string[] => {
  const path = [...under, ...issue.path]
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => document.mistakeAt([...path, key], 'is not known'))
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const nearest = [...issue.errors].sort((a, b) => depthOf(b) - depthOf(a) || a.length - b.length)[0]!
    return nearest.flatMap((one) => mistakesOf(one, document, path))
  }
  return [document.mistakeAt(path, issueText(issue))]
}

/** The document along the schema; or all its mistakes. */
export const checkDocument = <T>(schema: z.ZodType<T>, document: LocatedYaml): Reading<T> => {
  const parsed = schema.safeParse(document.value, { reportInput: true })
  if (parsed.success) return { value: parsed.data, document }
  return { mistakes: parsed.error.issues.flatMap((issue) => mistakesOf(issue, document)) }
}

/** What the text says, along the schema; or all its mistakes. JSON is YAML too. */
export const readYaml = <T>(schema: z.ZodType<T>, text: string, file: string): Reading<T> => {
  const document = readDocument(text, file)
  return 'mistakes' in document ? document : checkDocument(schema, document)
}
