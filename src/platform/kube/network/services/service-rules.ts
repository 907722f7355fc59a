/** Generates the rules that translate Service addresses to endpoints, as kube-proxy does. */
import {
  type Backend,
  type BalancedPort,
  type HostPort,
  type NetworkNode,
  usableBackends,
} from '#platform/kube/connectivity'
import type { AttachedPod } from '../pods/pod-attachments.ts'
import type { Chain, NamedSet, Ruleset } from '../rules/ruleset.ts'

/** Marks connections whose source is replaced by the node's address. */
export const THROUGH_NODE_MARK = '0x4000'

interface Draft {
  chains: Map<string, Chain>
  sets: Map<string, NamedSet>
  /** Verdicts by address, protocol and port. */
  targets: Map<string, string>
  refused: Map<string, string>
  /** Pairs of equal addresses: pods that reach themselves through a Service. */
  hairpins: Map<string, string>
}

const dnat = (protocol: string, { ip, port }: Backend): string =>
  `meta l4proto ${protocol} dnat to ${ip}:${port}`

/** Chooses a random backend for each new connection. */
const balanceRandomly = (protocol: string, backends: readonly Backend[]): string[] => {
  const choices = backends.map(({ ip, port }, index) => `${index} : ${ip} . ${port}`).join(', ')
  return [`meta l4proto ${protocol} dnat ip to numgen random mod ${backends.length} map { ${choices} }`]
}

/** Chooses the client's previous backend until the affinity times out. */
const balanceByClient = (
  draft: Draft,
  id: string,
  { protocol, affinitySeconds }: BalancedPort,
  backends: readonly Backend[],
): string[] => {
  const names = backends.map(({ ip, port }) => `${id}-${ip}-${port}`)
  for (const [index, name] of names.entries()) {
    const definition = `type ipv4_addr; size 65536; flags dynamic,timeout; timeout ${affinitySeconds}s`
    draft.sets.set(`clients-${name}-${affinitySeconds}`, { definition })
    draft.chains.set(`endpoint-${name}`, {
      rules: [`update @clients-${name}-${affinitySeconds} { ip saddr }`, dnat(protocol, backends[index]!)],
    })
  }
  const choices = names.map((name, index) => `${index} : goto endpoint-${name}`).join(', ')
  return [
    ...names.map((name) => `ip saddr @clients-${name}-${affinitySeconds} goto endpoint-${name}`),
    `numgen random mod ${names.length} vmap { ${choices} }`,
  ]
}

const rulesForBackends = (
  draft: Draft,
  id: string,
  port: BalancedPort,
  all: readonly Backend[],
): string[] => {
  const backends = usableBackends(all)
  return port.affinitySeconds === undefined
    ? balanceRandomly(port.protocol, backends)
    : balanceByClient(draft, id, port, backends)
}

const backendsOnNode = ({ backends }: BalancedPort, { name }: NetworkNode): Backend[] =>
  backends.filter(({ nodeName }) => nodeName === name)

/** Adds a chain for each node with local endpoints; returns the names of the chains. */
const addLocalChains = (
  draft: Draft,
  id: string,
  port: BalancedPort,
  nodes: readonly NetworkNode[],
): Map<NetworkNode, string> => {
  const chains = new Map<NetworkNode, string>()
  for (const [index, node] of nodes.entries()) {
    const local = backendsOnNode(port, node)
    if (local.length === 0) continue
    const name = `local-${id}-${index}`
    chains.set(node, name)
    draft.chains.set(name, { rules: rulesForBackends(draft, id, port, local) })
  }
  return chains
}

const addClusterIP = (
  draft: Draft,
  id: string,
  port: BalancedPort,
  local: ReadonlyMap<NetworkNode, string>,
): void => {
  const key = `${port.clusterIP} . ${port.protocol} . ${port.port}`
  if (!port.internalLocal) {
    draft.targets.set(key, `goto service-${id}`)
    return
  }
  const sources = [...local].flatMap(([{ hostIP, podCIDR }, chain]) => [
    `${hostIP} : goto ${chain}`,
    `${podCIDR} : goto ${chain}`,
  ])
  draft.chains.set(`inside-${id}`, {
    rules: [...(sources.length === 0 ? [] : [`ip saddr vmap { ${sources.join(', ')} }`]), 'drop'],
  })
  draft.targets.set(key, `goto inside-${id}`)
}

/** Adds node ports and external addresses. */
const addExternalAddresses = (
  draft: Draft,
  id: string,
  port: BalancedPort,
  { nodes, local }: { nodes: readonly NetworkNode[]; local: ReadonlyMap<NetworkNode, string> },
): void => {
  const { protocol, nodePort } = port
  for (const address of port.externalAddresses)
    draft.targets.set(`${address} . ${protocol} . ${port.port}`, `goto service-${id}`)
  if (nodePort === undefined) return
  if (!port.externalLocal)
    draft.chains.set(`outside-${id}`, {
      rules: [`meta mark set ${THROUGH_NODE_MARK} goto service-${id}`],
    })
  const inside = nodes.flatMap(({ hostIP, podCIDR }) => [hostIP, podCIDR]).join(', ')
  for (const [index, node] of nodes.entries()) {
    const key = `${node.hostIP} . ${protocol} . ${nodePort}`
    if (!port.externalLocal) {
      draft.targets.set(key, `goto outside-${id}`)
      continue
    }
    const chain = local.get(node)
    const rules = [
      `ip saddr { ${inside} } goto service-${id}`,
      chain === undefined ? 'drop' : `goto ${chain}`,
    ]
    draft.chains.set(`outside-${id}-${index}`, { rules })
    draft.targets.set(key, `goto outside-${id}-${index}`)
  }
}

const addRefusals = (draft: Draft, port: BalancedPort, nodes: readonly NetworkNode[]): void => {
  const { protocol, clusterIP, externalAddresses, nodePort } = port
  for (const address of [clusterIP, ...externalAddresses])
    draft.refused.set(`${address} . ${protocol} . ${port.port}`, 'goto refuse')
  if (nodePort === undefined) return
  for (const { hostIP } of nodes) draft.refused.set(`${hostIP} . ${protocol} . ${nodePort}`, 'goto refuse')
}

const VERDICT_MAP_TYPE = 'type ipv4_addr . inet_proto . inet_service : verdict'

const addHostPort = (draft: Draft, id: string, ip: string, hostPort: HostPort): void => {
  const { address, protocol, port, containerPort } = hostPort
  draft.chains.set(`host-port-${id}`, { rules: [`meta l4proto ${protocol} dnat to ${ip}:${containerPort}`] })
  draft.targets.set(`${address} . ${protocol} . ${port}`, `goto host-port-${id}`)
  draft.hairpins.set(`${ip} . ${ip}`, '')
}

/** `idOf` must return the same short name for the same key. */
export const serviceRules = (
  ports: readonly BalancedPort[],
  pods: readonly Pick<AttachedPod, 'ip' | 'hostPorts'>[],
  nodes: readonly NetworkNode[],
  idOf: (key: string) => string,
): Ruleset => {
  const draft: Draft = {
    chains: new Map(),
    sets: new Map(),
    targets: new Map(),
    refused: new Map(),
    hairpins: new Map(),
  }
  for (const port of ports) {
    if (port.backends.length === 0) {
      addRefusals(draft, port, nodes)
      continue
    }
    const id = idOf(port.key)
    const local =
      port.internalLocal || port.externalLocal ? addLocalChains(draft, id, port, nodes) : new Map()
    draft.chains.set(`service-${id}`, { rules: rulesForBackends(draft, id, port, port.backends) })
    addClusterIP(draft, id, port, local)
    addExternalAddresses(draft, id, port, { nodes, local })
    for (const { ip } of port.backends) draft.hairpins.set(`${ip} . ${ip}`, '')
  }
  for (const { ip, hostPorts } of pods)
    for (const hostPort of hostPorts)
      addHostPort(draft, idOf(`${ip}/${hostPort.protocol}/${hostPort.port}`), ip, hostPort)
  return {
    chains: draft.chains,
    sets: new Map([
      ...draft.sets,
      ['itself', { definition: 'type ipv4_addr . ipv4_addr', elements: draft.hairpins }],
    ]),
    maps: new Map([
      ['services', { definition: VERDICT_MAP_TYPE, elements: draft.targets }],
      ['refused', { definition: VERDICT_MAP_TYPE, elements: draft.refused }],
    ]),
  }
}
