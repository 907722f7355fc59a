/** Injects the faults of a problem, each with its shape over time, until it is stopped. */
import { isNotFound, type PlannedFault, RemediumError } from '#spec'
import type { Equipment } from '../laboratory/equipment.ts'
import { createFaultContexts, type FaultContexts } from './fault-contexts.ts'
import { createFaultSwitch, faultOf, type InjectedFault } from './fault-switch.ts'
import { isCauseGone } from './is-cause-gone.ts'
import { createMutex } from './mutex.ts'

export interface Injection extends FaultContexts {
  /** Injects the faults in the order of their `afterMs`; resolves when the last one is in force. */
  start(planned: readonly PlannedFault[]): Promise<void>
  readonly faults: readonly InjectedFault[]
  /** Starts the schedules of transient and intermittent faults, after the wait for impact. */
  startSchedules(): void
  /** Suspends the schedules once no fault is being changed; resolves to a function that resumes them. */
  hold(): Promise<() => void>
  /** Ends all schedules; resolves when no fault is being changed. */
  stop(): Promise<void>
}

/** The steps in which a gradual fault grows. */
const GRADUAL_STEPS = 4

/** Functions that run the schedule of one fault. A schedule ends when the cause is gone. */
const createSchedules = (equipment: Equipment, contexts: FaultContexts, signal: AbortSignal) => {
  const { inject, recover } = createFaultSwitch(equipment, contexts)
  const mutex = createMutex()
  /** Waits for its turn; does nothing once the injection has been stopped. */
  const changeInTurn = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    const release = await mutex()
    try {
      return signal.aborted ? undefined : await work()
    } finally {
      release()
    }
  }
  const isRepaired = (injected: InjectedFault): Promise<boolean> =>
    isCauseGone(equipment, injected, contexts.contextOf(injected))
  return {
    inject,
    hold: mutex,
    async alternate(injected: InjectedFault, onMs: number, offMs: number): Promise<void> {
      const switchOff = async (): Promise<boolean> => {
        if (await isRepaired(injected)) return false
        await recover(injected)
        return true
      }
      const switchOn = async (): Promise<boolean> => {
        if (injected.fault.binding === 'pod' && (await isRepaired(injected))) return false
        await inject(injected, 1, injected.state)
        return true
      }
      for (;;) {
        await equipment.time.sleep(onMs, signal)
        if (!(await changeInTurn(switchOff))) return
        await equipment.time.sleep(offMs, signal)
        if (!(await changeInTurn(switchOn))) return
      }
    },
    async recoverAfter(injected: InjectedFault, afterMs: number): Promise<void> {
      await equipment.time.sleep(afterMs, signal)
      await changeInTurn(() => recover(injected))
    },
  }
}

export const createInjection = (equipment: Equipment): Injection => {
  const { time, failure } = equipment
  const controller = new AbortController()
  const { signal } = controller
  const contexts = createFaultContexts(equipment, signal)
  const { inject, alternate, recoverAfter, hold } = createSchedules(equipment, contexts, signal)
  const schedules: Promise<void>[] = []
  const faults: InjectedFault[] = []
  let startedAt = 0

  const injectFault = async (planned: PlannedFault, index: number): Promise<void> => {
    const fault = faultOf(equipment, planned.fault)
    const injected: InjectedFault = { index, planned, fault, state: {}, isRecovered: true }
    faults.push(injected)
    const { shape } = planned
    if (shape.kind !== 'gradual') return inject(injected, 1)
    for (let step = 1; step <= GRADUAL_STEPS; step += 1) {
      await inject(injected, step / GRADUAL_STEPS, step === 1 ? undefined : injected.state)
      if (step < GRADUAL_STEPS) await time.sleep(shape.overMs / GRADUAL_STEPS, signal)
    }
  }
  const onScheduleFailed = (error: unknown): void => {
    // Not found: the solver deleted the fault's pod, which the oracles judge. Aborted: the reset cleans up.
    if (signal.aborted || isNotFound(error)) return
    failure.set(
      error instanceof RemediumError
        ? error
        : new RemediumError('defect', `The schedule of a fault failed: ${(error as Error).message}.`, {
            cause: error,
          }),
    )
  }
  return {
    ...contexts,
    faults,
    hold,
    async start(planned) {
      startedAt = time.precise()
      const byStart = planned.map((planned, index) => ({ planned, index }))
      byStart.sort((a, b) => (a.planned.afterMs ?? 0) - (b.planned.afterMs ?? 0))
      for (const { planned, index } of byStart) {
        await time.sleep(Math.max(0, startedAt + (planned.afterMs ?? 0) - time.precise()))
        await injectFault(planned, index)
      }
    },
    startSchedules() {
      const elapsed = time.precise() - startedAt
      for (const injected of faults) {
        const { shape } = injected.planned
        if (shape.kind === 'intermittent') schedules.push(alternate(injected, shape.onMs, shape.offMs))
        if (shape.kind === 'transient')
          schedules.push(recoverAfter(injected, Math.max(0, shape.forMs - elapsed)))
      }
      for (const schedule of schedules) schedule.catch(onScheduleFailed)
    },
    async stop() {
      controller.abort(new Error('the episode is over'))
      await Promise.allSettled(schedules)
    },
  }
}
