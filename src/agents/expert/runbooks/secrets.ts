/** A Secret that pods take variables from is gone, lacks a key, or has a value that others of its sort do not have. */
import type { FaultLayer, FaultType } from '../../../spec/index.ts'
import { expectedValues, type Values, valuesOf } from '../config/secret-siblings.ts'
import type { PodView } from '../observe/pods.ts'
import type { WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { applyTask, restartTask, toPlaybook } from '../playbook.ts'
import { candidates, defineRunbook, type Hypothesis } from '../runbook.ts'

const secretsOf = ({ template }: WorkloadView): readonly string[] => [
  ...new Set(
    template.spec.containers.flatMap(({ env = [], envFrom = [] }) => [
      ...envFrom.flatMap(({ secretRef }) => secretRef?.name ?? []),
      ...env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? []),
    ]),
  ),
]

interface Lack {
  readonly claim: string
  readonly evidence: string
  readonly layer: FaultLayer
  readonly type: FaultType
  /** What must be in it; nothing where nobody can tell. */
  readonly values?: Values
}

const missing = async (world: World, secret: string): Promise<Lack> => {
  const values = await expectedValues(world, secret)
  return {
    ...({ layer: 'virtualisation', type: 'operation-error' } as const),
    claim: `The Secret ${secret} is gone.`,
    evidence: `its pods take variables from the Secret ${secret}, and there is none of that name`,
    ...(values === undefined ? {} : { values }),
  }
}

const incomplete = async (
  world: World,
  secret: string,
  has: readonly string[],
  told?: string,
): Promise<Lack | undefined> => {
  const values = await expectedValues(world, secret)
  const lacks = [...(told === undefined ? [] : [told]), ...Object.keys(values ?? {})].filter(
    (key) => !has.includes(key),
  )
  if (lacks.length === 0) return undefined
  return {
    ...({ layer: 'virtualisation', type: 'misconfiguration' } as const),
    claim: `The Secret ${secret} has lost the key ${lacks[0]}.`,
    evidence: `it has ${has.join(', ')}; pods need ${lacks[0]}, as others of the same pattern have it`,
    ...(values?.[lacks[0]!] === undefined ? {} : { values: { [lacks[0]!]: values[lacks[0]!]! } }),
  }
}

const deviating = async (world: World, secret: string): Promise<Lack | undefined> => {
  const [expected, found] = [await expectedValues(world, secret), await world.object('Secret', secret)]
  const has = valuesOf(found)
  const wrong = Object.entries(expected ?? {}).filter(([key, value]) => has[key] !== value)
  if (wrong.length === 0) return undefined
  return {
    ...({ layer: 'middleware', type: 'authentication-issue' } as const),
    claim: `The Secret ${secret} has a value in ${wrong[0]![0]} that the database does not know.`,
    evidence: `${wrong.map(([key]) => key).join(', ')} differs from what all others of the same pattern have`,
    values: Object.fromEntries(wrong),
  }
}

const NO_KEY = /couldn't find key ([\w.-]+) in Secret/
const NOT_SET = /environment variable "?(\w+)"? not set/

/** What the pods or their logs say that they miss. */
const toldKey = async (
  world: World,
  pods: readonly PodView[],
  service: string,
): Promise<string | undefined> => {
  const waiting = pods.map((pod) => NO_KEY.exec(pod.waiting ?? '')?.[1]).find((key) => key !== undefined)
  if (waiting !== undefined) return waiting
  const lines = await world.complaints(service)
  return lines.map(({ text }) => NOT_SET.exec(text)?.[1]).find((key) => key !== undefined)
}

const lackOf = async (world: World, workload: WorkloadView, secret: string): Promise<Lack | undefined> => {
  const listed = (await world.objects('Secret')).find(({ metadata }) => metadata.name === secret)
  if (listed === undefined) return missing(world, secret)
  const has = Object.keys((listed.data ?? {}) as Values)
  const told = await toldKey(world, await world.podsOf(workload.service), workload.service)
  const lack = await incomplete(
    world,
    secret,
    has,
    told !== undefined && has.includes(told) ? undefined : told,
  )
  return lack ?? deviating(world, secret)
}

const toHypothesis = (world: World, workload: WorkloadView, secret: string, lack: Lack): Hypothesis => {
  const { service, kind, name } = workload
  const { claim, evidence, layer, type, values } = lack
  const fix = values && {
    plan: `Put into ${secret} what the others of its pattern have, and start ${service} with it.`,
    services: [service],
    playbook: toPlaybook(`Mend the Secret of ${service}`, [
      applyTask('Complete the Secret', {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'Opaque',
        metadata: { name: secret, namespace: world.namespace },
        stringData: values,
      }),
      restartTask('Start the service with it', {
        apiVersion: 'apps/v1',
        kind,
        name,
        namespace: world.namespace,
      }),
    ]),
  }
  return {
    runbook: 'secrets',
    services: [service],
    layer,
    type,
    score: 0.95,
    mayPass: false,
    claim,
    evidence: [evidence],
    ...(fix === undefined ? {} : { fix }),
  }
}

export const secrets = defineRunbook({
  name: 'secrets',
  about: 'a Secret that is gone, lacks a key or has a wrong value',
  categories: ['pod-config-error'],
  async look(world, focus) {
    const found: Hypothesis[] = []
    for (const workload of await candidates(world, focus)) {
      const isSick = workload.ready < workload.replicas || focus.service !== undefined
      if (!isSick) continue
      for (const secret of secretsOf(workload)) {
        const lack = await lackOf(world, workload, secret)
        if (lack !== undefined) found.push(toHypothesis(world, workload, secret, lack))
      }
    }
    return found
  },
})
