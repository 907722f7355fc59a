/** Runbook for a Secret that is missing, lacks a key, or has a value that differs from similar Secrets: restores the values. */
import { defined } from '#kit'
import type { FaultLayer, FaultType } from '#spec'
import { decodeSecret, findExpectedValues, type Values } from '../config/secret-siblings.ts'
import type { PodView } from '../observe/pods.ts'
import type { WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { applyTask, restartTask, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Hypothesis, listCandidates } from '../runbook.ts'

const secretsOf = ({ template }: WorkloadView): readonly string[] => [
  ...new Set(
    template.spec.containers.flatMap(({ env = [], envFrom = [] }) => [
      ...envFrom.flatMap(({ secretRef }) => secretRef?.name ?? []),
      ...env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? []),
    ]),
  ),
]

interface SecretDefect {
  readonly claim: string
  readonly evidence: string
  readonly layer: FaultLayer
  readonly type: FaultType
  /** The values to restore. Absent if they are unknown. */
  readonly values?: Values
}

const describeMissingSecret = async (world: World, secret: string): Promise<SecretDefect> => {
  const values = await findExpectedValues(world, secret)
  return {
    ...({ layer: 'virtualisation', type: 'operation-error' } as const),
    claim: `The Secret ${secret} is missing.`,
    evidence: `its pods read variables from the Secret ${secret}, which does not exist`,
    ...defined({ values }),
  }
}

const findMissingKey = async (
  world: World,
  secret: string,
  existingKeys: readonly string[],
  reportedKey?: string,
): Promise<SecretDefect | undefined> => {
  const values = await findExpectedValues(world, secret)
  const missingKeys = [
    ...(reportedKey === undefined ? [] : [reportedKey]),
    ...Object.keys(values ?? {}),
  ].filter((key) => !existingKeys.includes(key))
  if (missingKeys.length === 0) return undefined
  return {
    ...({ layer: 'virtualisation', type: 'misconfiguration' } as const),
    claim: `The Secret ${secret} lacks the key ${missingKeys[0]}.`,
    evidence: `it has ${existingKeys.join(', ')}; pods need ${missingKeys[0]}, which similar Secrets have`,
    ...(values?.[missingKeys[0]!] === undefined
      ? {}
      : { values: { [missingKeys[0]!]: values[missingKeys[0]!]! } }),
  }
}

const findWrongValue = async (world: World, secret: string): Promise<SecretDefect | undefined> => {
  const [expected, secretObject] = [
    await findExpectedValues(world, secret),
    await world.object('Secret', secret),
  ]
  const actual = decodeSecret(secretObject)
  const wrongEntries = Object.entries(expected ?? {}).filter(([key, value]) => actual[key] !== value)
  if (wrongEntries.length === 0) return undefined
  return {
    ...({ layer: 'middleware', type: 'authentication-issue' } as const),
    claim: `The value of ${wrongEntries[0]![0]} in the Secret ${secret} is wrong.`,
    evidence: `${wrongEntries.map(([key]) => key).join(', ')} differs from all similar Secrets`,
    values: Object.fromEntries(wrongEntries),
  }
}

const MISSING_KEY = /couldn't find key ([\w.-]+) in Secret/
const MISSING_VARIABLE = /environment variable "?(\w+)"? not set/

/** Returns the missing key that pods or their logs report. */
const findReportedKey = async (
  world: World,
  pods: readonly PodView[],
  service: string,
): Promise<string | undefined> => {
  const reportedByPod = pods
    .map((pod) => MISSING_KEY.exec(pod.waitingReason ?? '')?.[1])
    .find((key) => key !== undefined)
  if (reportedByPod !== undefined) return reportedByPod
  const lines = await world.warnings(service)
  return lines.map(({ text }) => MISSING_VARIABLE.exec(text)?.[1]).find((key) => key !== undefined)
}

const findDefect = async (
  world: World,
  workload: WorkloadView,
  secret: string,
): Promise<SecretDefect | undefined> => {
  const listed = (await world.objects('Secret')).find(({ metadata }) => metadata.name === secret)
  if (listed === undefined) return describeMissingSecret(world, secret)
  const existingKeys = Object.keys(decodeSecret(listed))
  const reportedKey = await findReportedKey(world, await world.podsOf(workload.service), workload.service)
  const defect = await findMissingKey(
    world,
    secret,
    existingKeys,
    reportedKey !== undefined && existingKeys.includes(reportedKey) ? undefined : reportedKey,
  )
  return defect ?? findWrongValue(world, secret)
}

const toHypothesis = (
  world: World,
  workload: WorkloadView,
  secret: string,
  defect: SecretDefect,
): Hypothesis => {
  const { service, kind, name } = workload
  const { claim, evidence, layer, type, values } = defect
  const fix = values && {
    plan: `Restore ${secret} from similar Secrets, and restart ${service}.`,
    services: [service],
    playbook: toPlaybook(`Repair the Secret of ${service}`, [
      applyTask('Restore the values of the Secret', {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'Opaque',
        metadata: { name: secret, namespace: world.namespace },
        stringData: values,
      }),
      restartTask('Restart the service to read it', {
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
    mayBeTransient: false,
    claim,
    evidence: [evidence],
    ...defined({ fix }),
  }
}

export const secrets = defineRunbook({
  name: 'secrets',
  about: 'a Secret that is missing, lacks a key or has a wrong value',
  categories: ['pod-config-error'],
  async diagnose(world, focus) {
    const hypotheses: Hypothesis[] = []
    for (const workload of await listCandidates(world, focus)) {
      const isAffected = workload.ready < workload.replicas || focus.service !== undefined
      if (!isAffected) continue
      for (const secret of secretsOf(workload)) {
        const defect = await findDefect(world, workload, secret)
        if (defect !== undefined) hypotheses.push(toHypothesis(world, workload, secret, defect))
      }
    }
    return hypotheses
  },
})
