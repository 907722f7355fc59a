/** Prints objects in the formats of `-o`. */
import { isPlainObject, yamlLibrary } from '#kit'
import { UnsupportedCommand } from '#spec'
import { type Found, nameOf } from '../client/found.ts'
import type { KubectlCall } from '../client/kubectl-call.ts'
import { KubectlError } from '../client/kubectl-error.ts'
import { alignColumns } from './columns.ts'
import { printJsonPath, valuesAt, valueText } from './json-path.ts'

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  )
}

/** kubectl omits managed fields. */
const withoutManagedFields = ({ object }: Found): object => {
  const { managedFields: _, ...metadata } = object.metadata as Record<string, unknown>
  return { ...object, metadata }
}

/** One object, or a list of several. */
const documentOf = (found: readonly Found[], isList: boolean): unknown => {
  const objects = found.map(withoutManagedFields)
  return sorted(
    !isList && objects.length === 1
      ? objects[0]
      : { apiVersion: 'v1', items: objects, kind: 'List', metadata: { resourceVersion: '' } },
  )
}

const toYaml = (value: unknown): string =>
  yamlLibrary().stringify(value, {
    version: '1.1',
    lineWidth: 0,
    indentSeq: false,
    aliasDuplicateObjects: false,
  })

const escapeHtml = (json: string): string =>
  json.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e').replaceAll('&', '\\u0026')

const printCustomColumns = (specification: string, found: readonly Found[], hasHeaders: boolean): string => {
  const columns = specification.split(',').map((column) => {
    const at = column.indexOf(':')
    if (at < 0)
      throw new KubectlError(
        `error: unexpected custom-columns spec: ${column}, expected <header>:<json-path-expr>`,
      )
    return { header: column.slice(0, at), path: column.slice(at + 1) }
  })
  const rows = found.map(({ object }) =>
    columns.map(({ path }) => {
      const values = valuesAt(path, object)
      return values.length === 0
        ? '<none>'
        : values.map((value) => (value === null ? '<nil>' : valueText(value))).join(',')
    }),
  )
  return alignColumns([...(hasHeaders ? [columns.map(({ header }) => header)] : []), ...rows])
}

/** Returns undefined for the formats of tables. */
export const printAs = (
  { flags }: KubectlCall,
  found: readonly Found[],
  isList: boolean,
): string | undefined => {
  const format = flags.text('output')
  if (format === undefined || format === '' || format === 'wide') return undefined
  const [name = '', ...rest] = format.split('=')
  const template = rest.join('=')
  switch (name) {
    case 'name':
      return found.map((each) => `${nameOf(each)}\n`).join('')
    case 'json':
      return `${escapeHtml(JSON.stringify(documentOf(found, isList), null, 4))}\n`
    case 'yaml':
      return toYaml(documentOf(found, isList))
    case 'jsonpath':
      return printJsonPath(template, documentOf(found, isList))
    case 'custom-columns':
      return printCustomColumns(template, found, !flags.bool('no-headers'))
    default:
      throw new UnsupportedCommand(`the output format ${name}`)
  }
}

/** The line after a change: `deployment.apps/web scaled`, or the object in the format of `-o`. */
export const printChange = (call: KubectlCall, found: Found, change: string): void => {
  const printed = printAs(call, [found], false)
  call.program.out(printed ?? `${nameOf(found)} ${change}\n`)
}
