/** The chains that every packet in the cluster meets, and the cutting off of nodes. */
import { DNS_ADDRESS, OUTSIDE_ADDRESS, POD_ROUTER, SERVICE_RANGE } from '../addresses.ts'
import type { NetworkNode } from '../cluster-network.ts'
import { THROUGH_NODE_MARK } from '../services/service-rules.ts'
import type { Chain, Ruleset } from './ruleset.ts'

const TO_SERVICE = 'ip daddr . meta l4proto . th dport vmap @services'

const list = (values: readonly string[]): string => `{ ${values.join(', ')} }`

/** Services choose an endpoint for the first packet; what comes back is changed back by the kernel. */
const translation = (nodes: readonly NetworkNode[]): [string, Chain][] => {
  const anotherFor = list(
    nodes.flatMap(({ hostIP, podCIDR }) => [`${podCIDR} : ${hostIP}`, `${hostIP} : ${OUTSIDE_ADDRESS}`]),
  )
  const nodeItself = list(nodes.map(({ hostIP }) => `${hostIP} : ${hostIP}`))
  return [
    ['prerouting', { hook: 'type nat hook prerouting priority -100', rules: [TO_SERVICE] }],
    ['own-prerouting', { hook: 'type nat hook output priority -100', rules: [TO_SERVICE] }],
    [
      'postrouting',
      {
        hook: 'type nat hook postrouting priority 100',
        rules: [
          // Nobody takes packets that claim to come from himself.
          `ct status dnat ip saddr . ip daddr @itself snat to ip daddr map ${anotherFor}`,
          `meta mark ${THROUGH_NODE_MARK} snat to ct original ip daddr map ${nodeItself}`,
        ],
      },
    ],
  ]
}

/** Nothing lies behind these: whoever asks learns it at once. */
const REFUSALS: [string, Chain][] = [
  ['refuse', { rules: ['meta l4proto tcp reject with tcp reset', 'reject with icmp type port-unreachable'] }],
  [
    'nowhere',
    {
      rules: [
        'ct direction original ip daddr . meta l4proto . th dport vmap @refused',
        `ip daddr ${SERVICE_RANGE} ip daddr != ${DNS_ADDRESS} goto refuse`,
      ],
    },
  ],
]

/**
 * Whoever still talks to a pod that has gone learns it with the next packet: what the pod itself said of its end may have been
 * lost, and without an answer a connection hangs for a quarter of an hour. New ones find no way, as everywhere.
 */
const farewell = (nodes: readonly NetworkNode[]): [string, Chain][] => {
  const toPod = `ip daddr ${list(nodes.map(({ podCIDR }) => podCIDR))}`
  return [
    ['farewell', { rules: ['jump cut-off', 'meta l4proto tcp reject with tcp reset'] }],
    [
      'known-pods',
      {
        // After the addresses of Services have become those of pods.
        hook: 'type filter hook prerouting priority -50',
        rules: [`ct state established meta l4proto tcp ${toPod} fib daddr oif missing goto farewell`],
      },
    ],
  ]
}

/** The node and its pods among themselves; refusals come from the node itself. */
const cutOff = (nodes: readonly NetworkNode[], isReachable: (name: string) => boolean): Chain => ({
  rules: nodes
    .filter(({ name }) => !isReachable(name))
    .flatMap(({ hostIP, podCIDR }) => {
      const own = list([hostIP, podCIDR])
      const near = list([hostIP, podCIDR, POD_ROUTER])
      return [
        `ip saddr ${own} ip daddr != ${own} drop`,
        `ip daddr ${own} ip saddr ${SERVICE_RANGE} ip saddr != ${DNS_ADDRESS} accept`,
        `ip daddr ${own} ip saddr != ${near} drop`,
      ]
    }),
})

/** Addresses are judged after those of Services have become those of endpoints. */
export const baseRules = (nodes: readonly NetworkNode[], isReachable: (name: string) => boolean): Ruleset => {
  const judged = { rules: ['jump nowhere', 'jump cut-off', 'jump policies'] }
  return {
    chains: new Map<string, Chain>([
      ...translation(nodes),
      ...REFUSALS,
      ...farewell(nodes),
      ['cut-off', cutOff(nodes, isReachable)],
      ['judged', judged],
      [
        'forward',
        // A packet that belongs to no connection was not translated either, and would only confuse.
        { hook: 'type filter hook forward priority 0', rules: ['ct state invalid drop', 'jump judged'] },
      ],
      ['input', { hook: 'type filter hook input priority 0', rules: ['jump judged'] }],
      ['output', { hook: 'type filter hook output priority 0', rules: ['jump judged'] }],
    ]),
    sets: new Map(),
    maps: new Map(),
  }
}
