/** Injects and reverts faults by hand on a running cluster; the process of the cluster keeps their state. */
import { createRealClock, defined, sleep } from '#kit'
import {
  type ApiObject,
  type EngineCluster,
  type Fault,
  type FaultContext,
  type FaultTarget,
  isNotFound,
  RemediumError,
  type System,
} from '#spec'

export interface InjectRequest {
  readonly fault: string
  /** A service; by default the first target of the fault. */
  readonly target?: string
  /** `NAME=VALUE` */
  readonly parameters: readonly string[]
}

export interface InjectedFault {
  readonly fault: string
  readonly target: FaultTarget
  readonly params: FaultContext['params']
}

export interface FailedRecovery extends InjectedFault {
  readonly reason: string
  /** An object of the fault was deleted, so the fault is dropped. Other failures can be retried. */
  readonly isTargetMissing: boolean
}

export interface Recovery {
  readonly recovered: readonly InjectedFault[]
  readonly failed: readonly FailedRecovery[]
}

export interface ManualFaults {
  /** Rejects if the same fault is already injected or being injected. */
  inject(request: InjectRequest): Promise<InjectedFault>
  /** Reverts all faults, the last one first. */
  recover(): Promise<Recovery>
  /** Drops all faults. Called after a reset of the cluster, which has reverted them. */
  forget(): void
}

const LABORATORY = 'remedium-laboratory'
const NAMESPACES = { apiVersion: 'v1', plural: 'namespaces' }

const ensureLaboratory = async ({ api }: EngineCluster): Promise<void> => {
  const { items } = await api.list(NAMESPACES)
  if (items.some(({ metadata }: ApiObject) => metadata.name === LABORATORY)) return
  await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: LABORATORY } })
}

/** Only an episode has users whose number a fault can change. */
const users = {
  async multiply(factor: number): Promise<void> {
    if (factor === 1) return
    throw new RemediumError(
      'bad-argument',
      'This fault multiplies the users of an episode, and a bare cluster has none.',
      { hint: 'Send more load: "remedium load CLUSTER --rate R".' },
    )
  },
}

interface ActiveFault {
  readonly injected: InjectedFault
  revert(): Promise<void>
}

const revertAll = async (active: readonly ActiveFault[]): Promise<Recovery> => {
  const recovered: InjectedFault[] = []
  const failed: FailedRecovery[] = []
  for (const { injected, revert } of active.toReversed()) {
    try {
      await revert()
      recovered.push(injected)
    } catch (error) {
      failed.push({ ...injected, reason: (error as Error).message, isTargetMissing: isNotFound(error) })
    }
  }
  return { recovered, failed }
}

/** Runs tasks one at a time, in order. */
const createSerialQueue = (): (<T>(task: () => Promise<T>) => Promise<T>) => {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task)
    last = result.catch(() => {})
    return result
  }
}

/** Faults reject with plain errors if the cluster is not in the state that they need. */
const toInjectionError = ({ name }: Fault, error: unknown): RemediumError =>
  error instanceof RemediumError
    ? error
    : new RemediumError('not-ready', `The fault ${name} cannot be injected: ${(error as Error).message}.`, {
        hint: 'Reset the cluster with "remedium cluster reset", and try again.',
        cause: error,
      })

const injectFault = async (
  cluster: EngineCluster,
  fault: Fault,
  details: Pick<FaultContext, 'system' | 'target' | 'params'>,
): Promise<ActiveFault> => {
  const clock = createRealClock({ keepsAlive: true })
  await ensureLaboratory(cluster)
  const context: FaultContext = {
    ...details,
    api: cluster.api,
    users,
    laboratory: LABORATORY,
    ...defined({ connectTo: cluster.connectTo }),
    share: 1,
    signal: new AbortController().signal,
    sleep: (ms) => sleep(clock, ms),
  }
  const state = await fault.inject(context).catch((error: unknown) => {
    throw toInjectionError(fault, error)
  })
  return {
    injected: { fault: fault.name, target: details.target, params: details.params },
    revert: () => fault.recover(context, state),
  }
}

export const createManualFaults = (cluster: EngineCluster, system: System): ManualFaults => {
  let active: ActiveFault[] = []
  const pending = new Set<string>()
  const enqueue = createSerialQueue()

  const rejectDuplicate = (name: string): void => {
    const isActive = active.some(({ injected }) => injected.fault === name)
    if (!isActive && !pending.has(name)) return
    throw new RemediumError(
      'bad-argument',
      `The fault "${name}" is ${isActive ? 'already' : 'being'} injected.`,
      { hint: 'Revert it with "remedium recover CLUSTER".' },
    )
  }

  return {
    async inject(request) {
      const { loadNamedFault } = await import('../faults/load-named-fault.ts')
      const { parseParameters } = await import('../faults/parse-parameters.ts')
      const { toMisfitError } = await import('#exam/problems')
      const { createSystemView } = await import('#world/system-view')
      const view = createSystemView(system)
      const fault = await loadNamedFault(request.fault)
      rejectDuplicate(fault.name)
      const params = parseParameters(fault, request.parameters)
      const target = fault
        .targets(view)
        .find(({ service }) => request.target === undefined || service === request.target)
      if (target === undefined) throw toMisfitError(fault, view, { service: request.target })
      pending.add(fault.name)
      return await enqueue(async () => {
        const activeFault = await injectFault(cluster, fault, { system: view, target, params })
        active.push(activeFault)
        return activeFault.injected
      }).finally(() => pending.delete(fault.name))
    },
    recover: () =>
      enqueue(async () => {
        const recovery = await revertAll(active)
        const retryable = recovery.failed
          .filter(({ isTargetMissing }) => !isTargetMissing)
          .map(({ fault }) => fault)
        active = active.filter(({ injected }) => retryable.includes(injected.fault))
        return recovery
      }),
    forget() {
      active = []
    },
  }
}
