/** The rules in a pod's network namespace: each fault has chains of its own, so that it goes without a trace. */
import { type NetworkNamespace, runChecked } from '../../../linux/index.ts'
import type { NetworkFault } from '../../ports/index.ts'
import { PASSED_MARK, QUEUE_NUMBER } from './packet-queue.ts'

/** What is added to one of the kernel's chains: a chain of ours, reached by `match`. */
export interface Hook {
  readonly parent: 'INPUT' | 'OUTPUT' | 'POSTROUTING'
  readonly chain: string
  readonly match: string
  readonly rules: readonly string[]
}

const MARK = `0x${PASSED_MARK.toString(16)}`
/** A pod may look at its rules: the names give nothing away. The kernel limits them to 28 letters. */
const chainOf = (id: string, direction: string): string => `POL-${id}-${direction}`

/** One rule for each peer, or one for all. */
const forPeers = (peers: readonly string[] | undefined, flag: string, action: string): readonly string[] =>
  (peers?.map((peer) => `${flag} ${peer} `) ?? ['']).map((match) => `${match}${action}`)

/** No packet passes, whatever connection it belongs to. */
export const toCut = (
  id: string,
  cut: NonNullable<NetworkFault['cut']>,
  peers?: readonly string[],
): readonly Hook[] => {
  const hooks: Hook[] = []
  if (cut !== 'incoming')
    hooks.push({
      parent: 'OUTPUT',
      chain: chainOf(id, 'egress'),
      match: '-o eth0',
      rules: forPeers(peers, '-d', '-j DROP'),
    })
  if (cut !== 'outgoing')
    hooks.push({
      parent: 'INPUT',
      chain: chainOf(id, 'ingress'),
      match: '-i eth0',
      rules: forPeers(peers, '-s', '-j DROP'),
    })
  return hooks
}

/** Packets go to the program of ours; if it does not run, they pass. */
export const toQueue = (id: string, peers?: readonly string[]): readonly Hook[] => [
  {
    parent: 'POSTROUTING',
    chain: chainOf(id, 'queue'),
    match: `-o eth0 -m mark ! --mark ${MARK}`,
    rules: forPeers(peers, '-d', `-j NFQUEUE --queue-num ${QUEUE_NUMBER} --queue-bypass`),
  },
]

const toAddition = (hooks: readonly Hook[]): string =>
  [
    '*mangle',
    ...hooks.map(({ chain }) => `:${chain} - [0:0]`),
    ...hooks.flatMap(({ chain, rules }) => rules.map((rule) => `-A ${chain} ${rule}`)),
    ...hooks.map(({ parent, match, chain }) => `-A ${parent} ${match} -j ${chain}`),
    'COMMIT\n',
  ].join('\n')

/** Takes away what of the hooks is in the table, as `iptables-save` tells it: a pod may have changed its rules. */
const toRemoval = (hooks: readonly Hook[], saved: string): string => {
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

/** All of the text at once, or nothing of it. */
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
): Promise<void> => changeRules(namespace, toAddition(hooks), environment)

export const removeHooks = async (
  namespace: NetworkNamespace,
  hooks: readonly Hook[],
  environment: Environment,
): Promise<void> => {
  const saved = await runChecked('iptables-save', ['-t', 'mangle'], { namespace, environment })
  await changeRules(namespace, toRemoval(hooks, saved), environment)
}
