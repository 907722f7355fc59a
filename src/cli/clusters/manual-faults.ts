/** Faults that a user puts into a running cluster by hand; kept by the process of the cluster. */
import { createRealClock, sleep } from '../../kit/index.ts'
import {
  type ApiObject,
  type EngineCluster,
  type Fault,
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

export interface Recovery {
  readonly recovered: readonly Injected[]
  /** What could not be taken back, and why. */
  readonly left: readonly (Injected & { readonly reason: string; readonly isForgotten: boolean })[]
}

export interface ManualFaults {
  /** Rejects at once where the same fault is there or on its way. */
  inject(request: InjectRequest): Promise<Injected>
  /** Takes all back, the last first; what it finds missing is forgotten, what fails otherwise can be tried again. */
  recover(): Promise<Recovery>
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
  async multiply(factor: number): Promise<void> {
    if (factor === 1) return
    throw new RemediumError(
      'bad-argument',
      'This fault is made of more users than usual, and a bare cluster has none.',
      {
        hint: 'Send more yourself: "remedium load CLUSTER --rate R".',
      },
    )
  },
}

const isMissing = (error: unknown): boolean => (error as { code?: unknown }).code === 404

interface Kept {
  readonly injected: Injected
  takeBack(): Promise<void>
}

const takeAllBack = async (kept: readonly Kept[]): Promise<Recovery> => {
  const recovered: Injected[] = []
  const left: Recovery['left'][number][] = []
  for (const { injected, takeBack } of kept.toReversed()) {
    try {
      await takeBack()
      recovered.push(injected)
    } catch (error) {
      left.push({ ...injected, reason: (error as Error).message, isForgotten: isMissing(error) })
    }
  }
  return { recovered, left }
}

/** Each task begins when those before have ended. */
const oneAtATime = (): (<T>(task: () => Promise<T>) => Promise<T>) => {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const mine = last.then(task)
    last = mine.catch(() => {})
    return mine
  }
}

export const createManualFaults = (cluster: EngineCluster, system: System): ManualFaults => {
  const clock = createRealClock({ keepsAlive: true })
  const { signal } = new AbortController()
  let kept: Kept[] = []
  const onTheirWay = new Set<string>()
  const inTurn = oneAtATime()

  const refuseTwin = (name: string): void => {
    const isThere = kept.some(({ injected }) => injected.fault === name)
    if (!isThere && !onTheirWay.has(name)) return
    throw new RemediumError(
      'bad-argument',
      isThere ? `The fault "${name}" is there already.` : `The fault "${name}" is being put in just now.`,
      { hint: 'Take it back with "remedium recover CLUSTER".' },
    )
  }

  const putIn = async (fault: Fault, about: Pick<FaultContext, 'system' | 'target' | 'params'>) => {
    await makeLaboratory(cluster)
    const context: FaultContext = {
      ...about,
      api: cluster.api,
      users,
      laboratory: LABORATORY,
      share: 1,
      signal,
      sleep: (ms) => sleep(clock, ms),
    }
    const state = await fault.inject(context)
    const injected = { fault: fault.name, target: about.target, params: about.params }
    kept.push({ injected, takeBack: () => fault.recover(context, state) })
    return injected
  }

  return {
    async inject(request) {
      const { loadNamedFault } = await import('../faults/load-named-fault.ts')
      const { parseParameters } = await import('../faults/parse-parameters.ts')
      const { createSystemView } = await import('../../system-view/index.ts')
      const view = createSystemView(system)
      const fault = await loadNamedFault(request.fault)
      refuseTwin(fault.name)
      const params = parseParameters(fault, request.parameters)
      const target = chooseTarget(fault.targets(view), request, view)
      onTheirWay.add(fault.name)
      return await inTurn(() => putIn(fault, { system: view, target, params })).finally(() =>
        onTheirWay.delete(fault.name),
      )
    },
    recover: () =>
      inTurn(async () => {
        const recovery = await takeAllBack(kept)
        const again = recovery.left.filter(({ isForgotten }) => !isForgotten).map(({ fault }) => fault)
        kept = kept.filter(({ injected }) => again.includes(injected.fault))
        return recovery
      }),
    forget() {
      kept = []
    },
  }
}
