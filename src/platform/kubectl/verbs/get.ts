/** kubectl get. */
import { type ObjectTable, UnsupportedCommand } from '#spec'
import { findObjects } from '../client/find-objects.ts'
import type { FlagDefinitions } from '../client/flags.ts'
import type { Found } from '../client/found.ts'
import { createKubectlCall, type KubectlCall } from '../client/kubectl-call.ts'
import { errorText, KubectlError } from '../client/kubectl-error.ts'
import { parseFlags } from '../client/parse-flags.ts'
import { parseTargets } from '../client/parse-targets.ts'
import { type ResourceType, refOf } from '../client/resource-types.ts'
import { alignColumns } from '../print/columns.ts'
import { valuesAt } from '../print/json-path.ts'
import { printAs } from '../print/print-objects.ts'
import { OUTPUT, SELECTION, type Verb } from './verb.ts'

const FLAGS: FlagDefinitions = {
  ...SELECTION,
  ...OUTPUT,
  'ignore-not-found': { type: 'bool' },
  'no-headers': { type: 'bool' },
  'show-labels': { type: 'bool' },
  'label-columns': { short: 'L', type: 'list' },
  'sort-by': { type: 'string' },
  'chunk-size': { type: 'int' },
  watch: { short: 'w', type: 'bool' },
  'watch-only': { type: 'bool' },
  'show-kind': { type: 'bool' },
  'show-managed-fields': { type: 'bool' },
  filename: { short: 'f', type: 'list' },
  recursive: { short: 'R', type: 'bool' },
  raw: { type: 'string' },
  template: { type: 'string' },
  kustomize: { short: 'k', type: 'string' },
  subresource: { type: 'string' },
}

const REFUSED = [
  ...[
    'watch',
    'watch-only',
    'filename',
    'raw',
    'template',
    'kustomize',
    'subresource',
    'show-managed-fields',
  ],
  ...['all'],
]

const NO_TYPE = [
  'You must specify the type of resource to get. Use "kubectl api-resources" for a complete list of supported resources.',
  '',
  'error: Required resource not specified.',
  'Use "kubectl explain <resource>" for a detailed description of that resource (e.g. kubectl explain pods).',
  "See 'kubectl get -h' for help and examples",
].join('\n')

const labelsText = (labels: Readonly<Record<string, string>> | undefined): string =>
  Object.keys(labels ?? {}).length === 0
    ? '<none>'
    : Object.entries(labels!)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, value]) => `${key}=${value}`)
        .join(',')

const labelsOf = ({ object }: Found): Readonly<Record<string, string>> | undefined =>
  object.metadata.labels as Record<string, string> | undefined

const columnHeader = (label: string): string => label.split('/').at(-1)!.toUpperCase()

/** The rows of one type, with the columns that flags add. */
const rowsOf = (
  call: KubectlCall,
  type: ResourceType,
  found: readonly Found[],
  hasKind: boolean,
): string[][] => {
  const { flags, program } = call
  const table: ObjectTable = program.discovery.table(
    refOf(type, undefined),
    found.map(({ object }) => object),
  )
  const isWide = flags.text('output') === 'wide'
  const shown = table.columns.map(({ priority }) => isWide || priority === 0)
  const hasNamespace = flags.bool('all-namespaces') && type.namespaced
  const labels = flags.list('label-columns').flatMap((list) => list.split(','))
  const header = [
    ...(hasNamespace ? ['NAMESPACE'] : []),
    ...table.columns.filter((_, index) => shown[index]).map(({ name }) => name.toUpperCase()),
    ...labels.map(columnHeader),
    ...(flags.bool('show-labels') ? ['LABELS'] : []),
  ]
  const rows = table.rows.map((cells, row) => {
    const each = found[row]!
    const texts = cells
      .map((cell, index) => {
        const text = cell === null ? '<none>' : String(cell)
        return index === 0 && hasKind ? `${type.label}/${text}` : text
      })
      .filter((_, index) => shown[index])
    return [
      ...(hasNamespace ? [each.object.metadata.namespace ?? ''] : []),
      ...texts,
      ...labels.map((label) => labelsOf(each)?.[label] ?? ''),
      ...(flags.bool('show-labels') ? [labelsText(labelsOf(each))] : []),
    ]
  })
  return [...(flags.bool('no-headers') ? [] : [header]), ...rows]
}

const compareValues = (a: unknown, b: unknown): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [left, right] = [String(a ?? ''), String(b ?? '')]
  return left < right ? -1 : Number(left > right)
}

const sortObjects = (found: readonly Found[], path: string | undefined): readonly Found[] =>
  path === undefined
    ? found
    : found.toSorted((a, b) => compareValues(valuesAt(path, a.object)[0], valuesAt(path, b.object)[0]))

const printTables = (call: KubectlCall, types: readonly ResourceType[], found: readonly Found[]): void => {
  const withObjects = types.filter((type) => found.some((each) => each.type === type))
  const hasKind = types.length > 1 || call.flags.bool('show-kind')
  for (const [index, type] of withObjects.entries()) {
    const own = found.filter((each) => each.type === type)
    if (index > 0) call.out('')
    call.program.out(alignColumns(rowsOf(call, type, own, hasKind)))
  }
}

export const get: Verb = async (program, args) => {
  const call = createKubectlCall(program, parseFlags('get', args, FLAGS))
  const { flags, namespace } = call
  for (const name of REFUSED) if (flags.has(name)) throw new UnsupportedCommand(`kubectl get --${name}`)
  if (flags.args.length === 0) throw new KubectlError(NO_TYPE)
  const { targets, types: listed } = parseTargets(call, flags.args)
  const isList = targets.length !== 1
  let code = 0
  const errors: string[] = []
  const found = sortObjects(
    await findObjects(call, {
      allowsAll: true,
      ...(isList && targets.length > 0
        ? {
            onError(error: unknown) {
              const text = errorText(error)
              if (text === undefined) throw error
              errors.push(text)
              code = 1
            },
          }
        : {}),
    }),
    flags.text('sort-by'),
  )
  const printed = printAs(call, found, isList)
  if (printed !== undefined) program.out(printed)
  else if (found.length > 0)
    printTables(call, targets.length === 0 ? listed : [...new Set(targets.map(({ type }) => type))], found)
  else if (errors.length === 0 && targets.length === 0 && !flags.bool('ignore-not-found'))
    call.err(
      flags.bool('all-namespaces') || !listed.some(({ namespaced }) => namespaced)
        ? 'No resources found'
        : `No resources found in ${namespace} namespace.`,
    )
  for (const text of errors) call.err(text)
  return code
}
