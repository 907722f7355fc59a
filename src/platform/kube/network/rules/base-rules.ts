/** The base chains of the packet filter, and the isolation of nodes. */
import {
  DNS_ADDRESS,
  type NetworkNode,
  OUTSIDE_ADDRESS,
  POD_ROUTER,
  SERVICE_RANGE,
} from '#platform/kube/connectivity'
import { THROUGH_NODE_MARK } from '../services/service-rules.ts'
import type { Chain, Ruleset } from './ruleset.ts'

const TO_SERVICE = 'ip daddr . meta l4proto . th dport vmap @services'

const toSet = (values: readonly string[]): string => `{ ${values.join(', ')} }`

/** Translates Service addresses on the first packet; the kernel translates the replies. */
const translation = (nodes: readonly NetworkNode[]): [string, Chain][] => {
  const sourceAddresses = toSet(
    nodes.flatMap(({ hostIP, podCIDR }) => [`${podCIDR} : ${hostIP}`, `${hostIP} : ${OUTSIDE_ADDRESS}`]),
  )
  const nodeItself = toSet(nodes.map(({ hostIP }) => `${hostIP} : ${hostIP}`))
  return [
    ['prerouting', { hook: 'type nat hook prerouting priority -100', rules: [TO_SERVICE] }],
    ['own-prerouting', { hook: 'type nat hook output priority -100', rules: [TO_SERVICE] }],
    [
      'postrouting',
      {
        hook: 'type nat hook postrouting priority 100',
        rules: [
          // A host drops received packets whose source is its own address.
          `ct status dnat ip saddr . ip daddr @itself snat to ip daddr map ${sourceAddresses}`,
          `meta mark ${THROUGH_NODE_MARK} snat to ct original ip daddr map ${nodeItself}`,
        ],
      },
    ],
  ]
}

/** Immediately rejects connections to addresses without endpoints. */
const REFUSALS: [string, Chain][] = [
  ['refuse', { rules: ['meta l4proto tcp reject with tcp reset', 'reject with icmp type port-unreachable'] }],
  [
    'refuse-unknown',
    {
      rules: [
        'ct direction original ip daddr . meta l4proto . th dport vmap @refused',
        `ip daddr ${SERVICE_RANGE} ip daddr != ${DNS_ADDRESS} goto refuse`,
      ],
    },
  ],
]

/**
 * Resets established connections to a pod that no longer exists. Its own FIN may have been lost, and without a reset
 * the client would retransmit for about 15 minutes.
 */
const resetToRemovedPods = (nodes: readonly NetworkNode[]): [string, Chain][] => {
  const toPod = `ip daddr ${toSet(nodes.map(({ podCIDR }) => podCIDR))}`
  return [
    ['reset-gone', { rules: ['jump cut-off', 'meta l4proto tcp reject with tcp reset'] }],
    [
      'known-pods',
      {
        // After the translation of Service addresses.
        hook: 'type filter hook prerouting priority -50',
        rules: [`ct state established meta l4proto tcp ${toPod} fib daddr oif missing goto reset-gone`],
      },
    ],
  ]
}

/**
 * An unreachable node and its pods reach only each other. Refusals from Service addresses still arrive,
 * because on a real node kube-proxy itself refuses the connections.
 */
const cutOff = (nodes: readonly NetworkNode[], isReachable: (name: string) => boolean): Chain => ({
  rules: nodes
    .filter(({ name }) => !isReachable(name))
    .flatMap(({ hostIP, podCIDR }) => {
      const nodeAddresses = toSet([hostIP, podCIDR])
      const localAddresses = toSet([hostIP, podCIDR, POD_ROUTER])
      return [
        `ip saddr ${nodeAddresses} ip daddr != ${nodeAddresses} drop`,
        `ip daddr ${nodeAddresses} ip saddr ${SERVICE_RANGE} ip saddr != ${DNS_ADDRESS} accept`,
        `ip daddr ${nodeAddresses} ip saddr != ${localAddresses} drop`,
      ]
    }),
})

/** The filter chains run after the translation of Service addresses. */
export const baseRules = (nodes: readonly NetworkNode[], isReachable: (name: string) => boolean): Ruleset => {
  const filter = { rules: ['jump refuse-unknown', 'jump cut-off', 'jump policies'] }
  return {
    chains: new Map<string, Chain>([
      ...translation(nodes),
      ...REFUSALS,
      ...resetToRemovedPods(nodes),
      ['cut-off', cutOff(nodes, isReachable)],
      ['filter-packets', filter],
      [
        'forward',
        // A packet without a tracked connection is not translated either, so its addresses are wrong.
        {
          hook: 'type filter hook forward priority 0',
          rules: ['ct state invalid drop', 'jump filter-packets'],
        },
      ],
      ['input', { hook: 'type filter hook input priority 0', rules: ['jump filter-packets'] }],
      ['output', { hook: 'type filter hook output priority 0', rules: ['jump filter-packets'] }],
    ]),
    sets: new Map(),
    maps: new Map(),
  }
}
