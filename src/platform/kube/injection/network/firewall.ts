/** The iptables rules in a pod's network namespace. Each fault has its own chains, which are removed with it. */
import { type NetworkNamespace, runChecked } from '#machine/linux'
import type { NetworkFault } from '#platform/kube/ports'
import { PASSED_MARK, QUEUE_NUMBER } from './packet-queue.ts'

/** A chain of a fault. Packets enter it from a built-in chain if they satisfy `match`. */
export interface Hook {
  readonly parent: 'INPUT' | 'OUTPUT' | 'POSTROUTING'
  readonly chain: string
  readonly match: string
  readonly rules: readonly string[]
}

const MARK = `0x${PASSED_MARK.toString(16)}`
/** A pod can list its rules, so the names do not reveal the fault. The kernel limits them to 28 characters. */
const chainName = (id: string, direction: string): string => `POL-${id}-${direction}`

/** Returns one rule for each peer, or one rule for all traffic if no peers are given. */
const rulesForPeers = (
  peers: readonly string[] | undefined,
  flag: string,
  action: string,
): readonly string[] => (peers?.map((peer) => `${flag} ${peer} `) ?? ['']).map((match) => `${match}${action}`)

/** Returns chains that drop packets, including those of established connections. */
export const toCutHooks = (
  id: string,
  cut: NonNullable<NetworkFault['cut']>,
  peers?: readonly string[],
): readonly Hook[] => {
  const hooks: Hook[] = []
  if (cut !== 'incoming')
    hooks.push({
      parent: 'OUTPUT',
      chain: chainName(id, 'egress'),
      match: '-o eth0',
      rules: rulesForPeers(peers, '-d', '-j DROP'),
    })
  if (cut !== 'outgoing')
    hooks.push({
      parent: 'INPUT',
      chain: chainName(id, 'ingress'),
      match: '-i eth0',
      rules: rulesForPeers(peers, '-s', '-j DROP'),
    })
  return hooks
}

/** Returns a chain that sends packets to the packet thread; they pass unchanged if the thread is not running. */
export const toQueueHooks = (id: string, peers?: readonly string[]): readonly Hook[] => [
  {
    parent: 'POSTROUTING',
    chain: chainName(id, 'queue'),
    match: `-o eth0 -m mark ! --mark ${MARK}`,
    rules: rulesForPeers(peers, '-d', `-j NFQUEUE --queue-num ${QUEUE_NUMBER} --queue-bypass`),
  },
]

const toAddingInput = (hooks: readonly Hook[]): string =>
  [
    '*mangle',
    ...hooks.map(({ chain }) => `:${chain} - [0:0]`),
    ...hooks.flatMap(({ chain, rules }) => rules.map((rule) => `-A ${chain} ${rule}`)),
    ...hooks.map(({ parent, match, chain }) => `-A ${parent} ${match} -j ${chain}`),
    'COMMIT\n',
  ].join('\n')

/** Removes only what `iptables-save` lists, because the pod may have changed its rules. */
const toRemovingInput = (hooks: readonly Hook[], saved: string): string => {
  const lines = saved.split('\n')
  const chains = hooks
    .map(({ chain }) => chain)
    .filter((chain) => lines.some((line) => line.startsWith(`:${chain} `)))
  const jumps = lines.filter((line) =>
    chains.some((chain) => line.startsWith('-A ') && line.endsWith(`-j ${chain}`)),
  )
  return [
    '*mangle',
    ...jumps.map((line) => line.replace('-A', '-D')),
    ...chains.flatMap((chain) => [`-F ${chain}`, `-X ${chain}`]),
    'COMMIT\n',
  ].join('\n')
}

type Environment = Readonly<Record<string, string>>

/** Applies the input atomically. */
const changeRules = async (
  namespace: NetworkNamespace,
  input: string,
  environment: Environment,
): Promise<void> => {
  await runChecked('iptables-restore', ['--noflush', '-w'], { input, namespace, environment })
}

export const addHooks = (
  namespace: NetworkNamespace,
  hooks: readonly Hook[],
  environment: Environment,
): Promise<void> => changeRules(namespace, toAddingInput(hooks), environment)

export const removeHooks = async (
  namespace: NetworkNamespace,
  hooks: readonly Hook[],
  environment: Environment,
): Promise<void> => {
  const saved = await runChecked('iptables-save', ['-t', 'mangle'], { namespace, environment })
  await changeRules(namespace, toRemovingInput(hooks, saved), environment)
}
