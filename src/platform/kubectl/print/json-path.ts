/** The JSONPath templates of kubectl: prints them, and returns the values of a path. */
import { isPlainObject } from '#kit'
import { evaluateSteps } from './evaluate-json-path.ts'
import { type Part, parseJsonPath, parseSteps } from './parse-json-path.ts'

const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])]),
  )
}

/** A value as kubectl prints it: JSON for lists and maps. */
export const valueText = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(sortKeys(value)) : String(value)
}

const printParts = (parts: readonly Part[], root: unknown, current: unknown): string =>
  parts
    .map((part) => {
      if (part.type === 'text') return part.text
      const start = part.type === 'path' || part.type === 'range' ? current : root
      const values = evaluateSteps([start], part.steps)
      if (part.type === 'path') return values.map(valueText).join(' ')
      return values.map((value) => printParts(part.body, root, value)).join('')
    })
    .join('')

/** Throws UnsupportedCommand for a template that is not modelled, and for an index beyond the end: kubectl then prints the object in Go's syntax. */
export const printJsonPath = (template: string, value: unknown): string =>
  printParts(parseJsonPath(template), value, value)

/** The values of a bare path such as `.metadata.name` or `{.metadata.name}`. */
export const valuesAt = (path: string, value: unknown): unknown[] => {
  const bare = path.replace(/^\{\s*|\s*\}$/g, '')
  return evaluateSteps([value], parseSteps(bare.startsWith('.') || bare.startsWith('[') ? bare : `.${bare}`))
}
