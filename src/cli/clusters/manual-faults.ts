/** Faults that a user puts into a running cluster by hand; kept by the process of the cluster. */
import { createRealClock, sleep } from '../../kit/index.ts'
import {
  type ApiObject,
  type EngineCluster,
  type FaultContext,
  type FaultTarget,
  RemediumError,
  type System,
  type SystemView,
} from '../../spec/index.ts'

export interface InjectRequest {
  readonly fault: string
  /** The service; the first that the fault fits where absent. */
  readonly target?: string
  /** `NAME=VALUE` */
  readonly parameters: readonly string[]
}

export interface Injected {
  readonly fault: string
  readonly target: FaultTarget
  readonly params: FaultContext['params']
}

export interface ManualFaults {
  inject(request: InjectRequest): Promise<Injected>
  /** Takes all back, the last first. */
  recover(): Promise<readonly Injected[]>
  /** The cluster is as it was at first. */
  forget(): void
}

const LABORATORY = 'remedium-laboratory'
const NAMESPACES = { apiVersion: 'v1', plural: 'namespaces' }

const makeLaboratory = async ({ api }: EngineCluster): Promise<void> => {
  const { items } = await api.list(NAMESPACES)
  if (items.some(({ metadata }: ApiObject) => metadata.name === LABORATORY)) return
  await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: LABORATORY } })
}

const chooseTarget = (
  targets: readonly FaultTarget[],
  { fault, target }: InjectRequest,
  system: SystemView,
): FaultTarget => {
  const found = targets.find(({ service }) => target === undefined || service === target)
  if (found !== undefined) return found
  const services = [...new Set(targets.map(({ service }) => service))]
  throw new RemediumError(
    'bad-argument',
    target === undefined || services.length === 0
      ? `The fault "${fault}" fits no service of ${system.name}.`
      : `The fault "${fault}" does not fit "${target}".`,
    { hint: services.length === 0 ? undefined : `It fits: ${services.join(', ')}.` },
  )
}

/** Only an episode has users whose number it can change. */
const users = {
  async multiply(): Promise<void> {
    throw new RemediumError(
      'bad-argument',
      'This fault is made of more users than usual, and a bare cluster has none.',
      {
        hint: 'Send more yourself: "remedium load CLUSTER --rate R".',
      },
    )
  },
}

export const createManualFaults = (cluster: EngineCluster, system: System): ManualFaults => {
  const clock = createRealClock({ keepsAlive: true })
  const { signal } = new AbortController()
  let kept: { injected: Injected; takeBack(): Promise<void> }[] = []

  return {
    async inject(request) {
      const { loadNamedFault } = await import('../faults/load-named-fault.ts')
      const { parseParameters } = await import('../faults/parse-parameters.ts')
      const { createSystemView } = await import('../../system-view/index.ts')
      const view = createSystemView(system)
      const fault = await loadNamedFault(request.fault)
      if (kept.some(({ injected }) => injected.fault === fault.name))
        throw new RemediumError('bad-argument', `The fault "${fault.name}" is there already.`, {
          hint: 'Take it back with "remedium recover CLUSTER".',
        })
      const params = parseParameters(fault, request.parameters)
      const target = chooseTarget(fault.targets(view), request, view)
      await makeLaboratory(cluster)
      const context: FaultContext = {
        ...{
          system: view,
          target,
          params,
          api: cluster.api,
          users,
          laboratory: LABORATORY,
          share: 1,
          signal,
        },
        sleep: (ms) => sleep(clock, ms),
      }
      const state = await fault.inject(context)
      const injected = { fault: fault.name, target, params }
      kept.push({ injected, takeBack: () => fault.recover(context, state) })
      return injected
    },
    async recover() {
      const gone: Injected[] = []
      for (let last = kept.at(-1); last !== undefined; last = kept.at(-1)) {
        await last.takeBack()
        kept.pop()
        gone.push(last.injected)
      }
      return gone
    },
    forget() {
      kept = []
    },
  }
}
