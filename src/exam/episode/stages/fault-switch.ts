/** Injects and recovers single faults, and records both. */
import { type Fault, type FaultState, type PlannedFault, RemediumError } from '#spec'
import type { Equipment } from '../laboratory/equipment.ts'
import type { FaultContexts } from './fault-contexts.ts'

/** A fault that is, or was, in force. */
export interface InjectedFault {
  readonly index: number
  readonly planned: PlannedFault
  readonly fault: Fault
  state: FaultState
  isRecovered: boolean
}

/** Lets the object watch deliver the changes that an injection made. */
const SETTLE_MS = 30

export const faultOf = ({ faults }: Equipment, name: string): Fault => {
  const fault = faults.get(name)
  if (fault === undefined) throw new RemediumError('bad-argument', `There is no fault "${name}".`)
  return fault
}

export const createFaultSwitch = ({ recorder, time }: Equipment, { contextOf }: FaultContexts) => ({
  /** `earlier` is the state of an earlier injection of the same fault. */
  async inject(injected: InjectedFault, share: number, earlier?: FaultState): Promise<void> {
    const { index, planned, fault } = injected
    if (earlier !== undefined) recorder.log?.add({ type: 'fault-change-started', index })
    injected.state = await fault.inject(contextOf(injected, share), earlier)
    injected.isRecovered = false
    await time.sleep(SETTLE_MS)
    const { target, params, shape } = planned
    const { state } = injected
    recorder.log?.add({ type: 'fault-injected', index, fault: fault.name, target, params, shape, state })
  },
  async recover(injected: InjectedFault): Promise<void> {
    const { index, fault, state } = injected
    recorder.log?.add({ type: 'fault-change-started', index })
    await fault.recover(contextOf(injected), state)
    injected.isRecovered = true
    recorder.log?.add({ type: 'fault-recovered', index })
  },
})
