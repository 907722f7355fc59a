/** Cuts the way from one service to another, in the network of the caller's pods alone: the caller is refused at once. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import type { EngineCluster } from '../../../src/spec/index.ts'

interface PodFacts {
  metadata: { name: string; uid: string; labels?: Record<string, string> }
  status: { podIP?: string }
}
interface ServiceFacts {
  spec: { clusterIP?: string; selector?: Record<string, string> }
}

/** Any process of the pod: all of them see its network. Other clusters may have pods with the same id. */
const processIn = (cluster: string, uid: string): number => {
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      const groups = readFileSync(`/proc/${entry}/cgroup`, 'utf8')
      if (groups.includes(`/${cluster}/`) && groups.includes(`/${uid}/`)) return Number(entry)
    } catch {
      // It has ended in the meantime.
    }
  }
  throw new Error(`No process of the pod ${uid} runs.`)
}

const inNetworkOf = (cluster: string, pod: PodFacts, rules: string): void => {
  const target = String(processIn(cluster, pod.metadata.uid))
  const { status, stderr } = spawnSync('nsenter', ['--target', target, '--net', 'nft', '-f', '-'], {
    input: rules,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`nft in the pod ${pod.metadata.name}: ${stderr}`)
}

const selects = (selector: Record<string, string> | undefined, labels: Record<string, string>): boolean =>
  selector !== undefined && Object.entries(selector).every(([key, value]) => labels[key] === value)

/** Resolves with what joins them again. */
export const cutEdge = async (
  { id, api }: Pick<EngineCluster, 'id' | 'api'>,
  { namespace, from, to }: { namespace: string; from: string; to: string },
): Promise<() => void> => {
  const list = async <T>(plural: string): Promise<T[]> =>
    (await api.list({ apiVersion: 'v1', plural, namespace })).items as unknown as T[]
  const pods = await list<PodFacts>('pods')
  const podsOf = (service: string): PodFacts[] =>
    pods.filter(({ metadata }) => metadata.labels?.app === service)
  const called = podsOf(to)
  const services = (await list<ServiceFacts>('services')).filter(({ spec }) =>
    called.some(({ metadata }) => selects(spec.selector, metadata.labels ?? {})),
  )
  const addresses = [
    ...called.map(({ status }) => status.podIP),
    ...services.map(({ spec }) => spec.clusterIP),
  ]
    .filter((address) => address !== undefined && address !== 'None')
    .join(', ')
  const callers = podsOf(from)
  if (callers.length === 0 || addresses === '') throw new Error(`There are no pods of ${from} or of ${to}.`)
  for (const pod of callers)
    inNetworkOf(
      id,
      pod,
      `table ip cut { chain out { type filter hook output priority 0; ip daddr { ${addresses} } meta l4proto tcp reject with tcp reset; }; }\n`,
    )
  return () => {
    for (const pod of callers) inNetworkOf(id, pod, 'delete table ip cut\n')
  }
}
