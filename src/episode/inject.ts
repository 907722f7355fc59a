/** The stage that breaks the system: each planned fault by its shape over time. */

import {
  type Fault,
  type FaultContext,
  type FaultState,
  type PlannedFault,
  RemediumError,
} from '../spec/index.ts'
import { isCauseGone } from './is-cause-gone.ts'
import type { LabCore } from './lab-core.ts'
import { LABORATORY } from './laboratory.ts'

/** A fault that is, or was, in force. */
export interface InjectedFault {
  readonly index: number
  readonly planned: PlannedFault
  readonly fault: Fault
  state: FaultState
  isRecovered: boolean
}

export interface Injection {
  /** Injects all of them, one after another; resolves when the last is in force. */
  begin(plans: readonly PlannedFault[]): Promise<void>
  readonly faults: readonly InjectedFault[]
  /** Tells transient and intermittent ones that users have felt them. */
  letTimePass(): void
  /** Resolves when no fault is coming or going; none does by itself until what it resolves with is called. */
  hold(): Promise<() => void>
  /** Nothing more is injected or recovered; resolves when what is being done is done. */
  stop(): Promise<void>
  contextOf(injected: Pick<InjectedFault, 'planned'>, share?: number): FaultContext
}

/** Of a gradual fault. */
const GRADES = 4
/** Until the watch has told of what was changed. */
const SETTLE_MS = 30

export const faultOf = ({ faults }: LabCore, name: string): Fault => {
  const fault = faults.get(name)
  if (fault === undefined) throw new RemediumError('bad-argument', `There is no fault "${name}".`)
  return fault
}

export const createInjection = (core: LabCore): Injection => {
  const ending = new AbortController()
  const { signal } = ending
  const background: Promise<void>[] = []
  const faults: InjectedFault[] = []
  let started = 0

  const { api, programsIn } = core.cluster
  const lookInto = async (name: string): Promise<readonly string[]> => {
    const { metadata } = await api.get({
      apiVersion: 'v1',
      plural: 'pods',
      namespace: core.view.namespace,
      name,
    })
    const programs = programsIn?.(String(metadata.uid))
    if (programs === undefined) throw new Error(`the pod ${name} does not run`)
    return programs
  }
  const contextOf: Injection['contextOf'] = ({ planned }, share = 1) => ({
    system: core.view,
    target: planned.target,
    params: planned.params,
    api,
    users: core.users.control,
    laboratory: LABORATORY,
    ...(programsIn === undefined ? {} : { programsIn: lookInto }),
    share,
    signal,
    sleep: (ms) => core.time.sleep(ms, signal),
  })

  const put = async (injected: InjectedFault, share: number, before?: FaultState): Promise<void> => {
    const { index, planned, fault } = injected
    if (before !== undefined) core.log?.add({ type: 'laboratory-acts', index })
    injected.state = await fault.inject(contextOf(injected, share), before)
    injected.isRecovered = false
    await core.time.sleep(SETTLE_MS)
    const { target, params, shape } = planned
    core.log?.add({
      type: 'fault-injected',
      index,
      fault: fault.name,
      target,
      params,
      shape,
      state: injected.state,
    })
  }
  const take = async (injected: InjectedFault): Promise<void> => {
    core.log?.add({ type: 'laboratory-acts', index: injected.index })
    await injected.fault.recover(contextOf(injected), injected.state)
    injected.isRecovered = true
    core.log?.add({ type: 'fault-recovered', index: injected.index })
  }
  const beginOne = async (planned: PlannedFault, index: number): Promise<void> => {
    const injected: InjectedFault = {
      index,
      planned,
      fault: faultOf(core, planned.fault),
      state: {},
      isRecovered: true,
    }
    faults.push(injected)
    const { shape } = planned
    if (shape.kind !== 'gradual') return put(injected, 1)
    for (let grade = 1; grade <= GRADES; grade += 1) {
      await put(injected, grade / GRADES, grade === 1 ? undefined : injected.state)
      if (grade < GRADES) await core.time.sleep(shape.overMs / GRADES, signal)
    }
  }
  let lastHeld = Promise.resolve()
  const hold = async (): Promise<() => void> => {
    const before = lastHeld
    const { promise, resolve } = Promise.withResolvers<void>()
    lastHeld = promise
    await before
    return resolve
  }
  /** When nobody holds it; not at all when all is over. */
  const change = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    const release = await hold()
    try {
      return signal.aborted ? undefined : await work()
    } finally {
      release()
    }
  }
  /** Comes and goes, as long as nobody has mended it. */
  const alternate = async (injected: InjectedFault, onMs: number, offMs: number): Promise<void> => {
    const isMended = () => isCauseGone(core, injected, contextOf(injected))
    const goes = async (): Promise<boolean> => {
      if (await isMended()) return false
      await take(injected)
      return true
    }
    const comes = async (): Promise<boolean> => {
      if (injected.fault.binding === 'pod' && (await isMended())) return false
      await put(injected, 1, injected.state)
      return true
    }
    for (;;) {
      await core.time.sleep(onMs, signal)
      if (!(await change(goes))) return
      await core.time.sleep(offMs, signal)
      if (!(await change(comes))) return
    }
  }
  const vanish = async (injected: InjectedFault, afterMs: number): Promise<void> => {
    await core.time.sleep(afterMs, signal)
    await change(() => take(injected))
  }

  const letTimePass = (): void => {
    const passed = core.time.precise() - started
    for (const injected of faults) {
      const { shape } = injected.planned
      if (shape.kind === 'intermittent') background.push(alternate(injected, shape.onMs, shape.offMs))
      if (shape.kind === 'transient') background.push(vanish(injected, Math.max(0, shape.forMs - passed)))
    }
    for (const going of background)
      going.catch((error) => {
        // Whoever has deleted what it was in has ended it; what that is worth, judges say. When all is over the reset sees to the rest.
        if (signal.aborted || (error as { code?: unknown }).code === 404) return
        core.failure ??=
          error instanceof RemediumError
            ? error
            : new RemediumError('defect', `A fault could not go on: ${(error as Error).message}.`, {
                cause: error,
              })
      })
  }
  return {
    faults,
    async begin(plans) {
      started = core.time.precise()
      const order = plans.map((planned, index) => ({ planned, index }))
      order.sort((one, other) => (one.planned.afterMs ?? 0) - (other.planned.afterMs ?? 0))
      for (const { planned, index } of order) {
        await core.time.sleep(Math.max(0, started + (planned.afterMs ?? 0) - core.time.precise()))
        await beginOne(planned, index)
      }
    },
    letTimePass,
    contextOf,
    hold,
    async stop() {
      ending.abort(new Error('the episode is over'))
      await Promise.allSettled(background)
    },
  }
}
