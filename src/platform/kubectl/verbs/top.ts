/** kubectl top pods and top nodes. */
import { type ApiObject, UnsupportedCommand } from '#spec'
import type { FlagDefinitions } from '../client/flags.ts'
import { createKubectlCall } from '../client/kubectl-call.ts'
import { parseFlags } from '../client/parse-flags.ts'
import { alignColumns } from '../print/columns.ts'
import { SELECTION, takeWord, type Verb } from './verb.ts'

const FLAGS: FlagDefinitions = {
  ...SELECTION,
  containers: { type: 'bool' },
  'no-headers': { type: 'bool' },
  'sort-by': { type: 'string' },
}

const METRICS = 'metrics.k8s.io/v1beta1'
const UNITS: Readonly<Record<string, number>> = { n: 1e-6, u: 1e-3, m: 1, '': 1000 }
const BYTES: Readonly<Record<string, number>> = {
  '': 1,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  k: 1e3,
  M: 1e6,
  G: 1e9,
}

const toMilli = (text: string): number => {
  const [, number = '0', unit = ''] = /^([\d.]+)([num]?)$/.exec(text) ?? []
  return Math.ceil(Number(number) * UNITS[unit]!)
}

const toMebibytes = (text: string): number => {
  const [, number = '0', unit = ''] = /^([\d.]+)([A-Za-z]*)$/.exec(text) ?? []
  const factor = BYTES[unit]
  if (factor === undefined) throw new UnsupportedCommand(`kubectl top with the quantity ${text}`)
  return Math.floor((Number(number) * factor) / 2 ** 20)
}

interface Usage {
  readonly cpu: string
  readonly memory: string
}

const sum = (usages: readonly Usage[]): [string, string] => [
  `${usages.reduce((total, { cpu }) => total + toMilli(cpu), 0)}m`,
  `${usages.reduce((total, { memory }) => total + toMebibytes(memory), 0)}Mi`,
]

const usagesOf = ({ containers }: ApiObject): Usage[] =>
  (containers as { usage: Usage }[]).map(({ usage }) => usage)

export const top: Verb = async (program, args) => {
  const { word: what = '', rest } = takeWord(args)
  const call = createKubectlCall(program, parseFlags(`top ${what}`, rest, FLAGS))
  const { flags, namespace } = call
  if (!/^(?:pods?|po)$/.test(what)) throw new UnsupportedCommand(`kubectl top ${what}`)
  for (const name of ['containers', 'sort-by', 'field-selector'])
    if (flags.has(name)) throw new UnsupportedCommand(`kubectl top --${name}`)
  const isEverywhere = flags.bool('all-namespaces')
  const selector = flags.text('selector')
  const collection = { apiVersion: METRICS, plural: 'pods', ...(isEverywhere ? {} : { namespace }) }
  const [name] = flags.args
  const items =
    name === undefined
      ? (await program.api.list(collection, selector === undefined ? {} : { labelSelector: selector })).items
      : [await program.api.get({ ...collection, name })]
  if (items.length === 0) {
    call.err(isEverywhere ? 'No resources found' : `No resources found in ${namespace} namespace.`)
    return 0
  }
  const rows = items
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .map((item) => [
      ...(isEverywhere ? [item.metadata.namespace ?? ''] : []),
      item.metadata.name,
      ...sum(usagesOf(item)),
      '',
    ])
  const header = [...(isEverywhere ? ['NAMESPACE'] : []), 'NAME', 'CPU(cores)', 'MEMORY(bytes)', '']
  program.out(alignColumns([...(flags.bool('no-headers') ? [] : [header]), ...rows]))
  return 0
}
