/** NetworkChaos: delays, drops, duplicates, corrupts or throttles packets. */
import { defined } from '#kit'
import { pods } from '#platform/kube/kinds'
import { type FieldError, invalid } from '#platform/kube/meta'
import type { Client, NetworkFault } from '#platform/kube/ports'
import { defineChaosKind, type Injection } from '../chaos-kind.ts'
import type { ChaosSpec } from '../chaos-object.ts'
import { choiceOf, fields, integer, POD_CHOICE_REQUIRED, podChoice, text, texts } from '../chaos-schema.ts'
import { splitRecordId } from '../record-id.ts'
import { validateChoice } from '../validate-choice.ts'
import { toPacketEffects, validatePacketEffects } from './packet-effects.ts'
import { resolveExternalTarget } from './resolve-external-target.ts'
import { serviceAddresses } from './service-addresses.ts'

const NO_EXTERNAL = 'external targets cannot be used with `from` and `both` direction in netem action yet'
const NO_TARGET = '`from` and `both` direction cannot be used when targets is empty in netem action'

const validate = (spec: ChaosSpec): FieldError[] => {
  const { action, direction, target, externalTargets } = spec
  const needsTarget = action !== 'partition' && direction !== 'to'
  return [
    ...validatePacketEffects(spec),
    ...(target === undefined ? [] : validateChoice(target, 'spec.target')),
    ...(needsTarget && externalTargets !== undefined
      ? [invalid('spec.direction', direction, NO_EXTERNAL)]
      : []),
    ...(needsTarget && target === undefined ? [invalid('spec.direction', direction, NO_TARGET)] : []),
  ]
}

const addressOf = (client: Client, id: string): string => {
  const { namespace, pod } = splitRecordId(id)
  const ip = client.get(pods, namespace, pod)?.status.podIP
  if (ip === undefined) throw new Error(`pod ${namespace}/${pod} has no address`)
  return ip
}

/** Returns the addresses of the peers, or undefined for all peers if the object names none. */
const peersOf = ({ client, chaos, records }: Injection, key: string): readonly string[] | undefined => {
  const podIps = new Set(
    records.filter(({ selectorKey }) => selectorKey === key).map(({ id }) => addressOf(client, id)),
  )
  // A packet to a Service carries the Service's address when it leaves the pod.
  const peerRanges = [...podIps, ...serviceAddresses(client, podIps)].map((address) => `${address}/32`)
  const external =
    key === '.'
      ? []
      : ((chaos.spec.externalTargets ?? []) as string[]).flatMap((name) =>
          resolveExternalTarget(client, chaos.metadata.namespace ?? '', name),
        )
  const all = [...new Set([...peerRanges, ...external])]
  return all.length === 0 ? undefined : all
}

/** The direction of the affected packets, seen from a pod, by the pod's selector key and the object's `direction`. */
const CUTS: Readonly<Record<string, Readonly<Record<string, NetworkFault['cut']>>>> = {
  '.': { to: 'outgoing', from: 'incoming', both: 'both' },
  '.Target': { to: 'incoming', from: 'outgoing', both: 'both' },
}

const toFaults = (injection: Injection): NetworkFault[] => {
  const { chaos, record, target, pod } = injection
  const { spec } = chaos
  const cut = CUTS[record.selectorKey]![spec.direction]!
  // Packets are changed at their source; a partition applies to both ends.
  if (spec.action !== 'partition' && cut === 'incoming') return []
  // The fault would affect the whole node and outlive the pod.
  if (pod.spec.hostNetwork === true)
    throw new Error(
      `it's dangerous to inject network chaos on a pod(${target.namespace}/${target.pod}) with \`hostNetwork\``,
    )
  const peers = peersOf(injection, record.selectorKey === '.' ? '.Target' : '.')
  return [
    {
      type: 'network',
      target,
      ...(spec.action === 'partition' ? { cut } : { effects: toPacketEffects(spec) }),
      ...defined({ peers }),
    },
  ]
}

const correlation = text({ default: '0' })
const percentageFields = (name: string) => fields({ [name]: text(), correlation }, [name])

export const networkChaos = defineChaosKind({
  kind: 'NetworkChaos',
  hasAction: true,
  properties: {
    ...podChoice,
    action: choiceOf('netem', 'delay', 'loss', 'duplicate', 'corrupt', 'partition', 'bandwidth', 'rate'),
    direction: { ...choiceOf('to', 'from', 'both'), default: 'to' },
    target: fields(podChoice, POD_CHOICE_REQUIRED),
    externalTargets: texts({ description: 'Addresses, CIDR blocks, or names of Services and pods.' }),
    device: text(),
    targetDevice: text(),
    delay: fields(
      {
        latency: text(),
        jitter: text({ default: '0ms' }),
        correlation,
        reorder: fields({ reorder: text(), correlation, gap: integer({ minimum: 0 }) }, ['gap', 'reorder']),
      },
      ['latency'],
    ),
    loss: percentageFields('loss'),
    duplicate: percentageFields('duplicate'),
    corrupt: percentageFields('corrupt'),
    rate: fields({ rate: text() }, ['rate']),
    bandwidth: fields(
      {
        rate: text({ description: 'A rate such as 1mbps (bytes) or 1mbit (bits).' }),
        limit: integer({ minimum: 1 }),
        buffer: integer({ minimum: 1 }),
        peakrate: integer({ minimum: 0 }),
        minburst: integer({ minimum: 0 }),
      },
      ['buffer', 'limit', 'rate'],
    ),
  },
  required: ['action', ...POD_CHOICE_REQUIRED],
  validate,
  selections: (spec) => [
    { key: '.', level: 'pod', choice: spec },
    ...(spec.target === undefined ? [] : [{ key: '.Target', level: 'pod' as const, choice: spec.target }]),
  ],
  faults: toFaults,
})
