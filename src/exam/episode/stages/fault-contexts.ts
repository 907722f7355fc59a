/** The contexts in which faults inject, probe and recover. */
import { defined } from '#kit'
import type { FaultContext, PlannedFault } from '#spec'
import type { Equipment } from '../laboratory/equipment.ts'
import { LABORATORY } from '../laboratory/laboratory-namespace.ts'

export interface FaultContexts {
  /** `share` is how much of a gradual fault is in force, by default all of it. */
  contextOf(injected: { readonly planned: PlannedFault }, share?: number): FaultContext
}

export const createFaultContexts = (
  { cluster, view, users, time }: Equipment,
  signal: AbortSignal,
): FaultContexts => {
  const { api, programsIn, connectTo } = cluster
  const listPrograms = async (name: string): Promise<readonly string[]> => {
    const { namespace } = view
    const { metadata } = await api.get({ apiVersion: 'v1', plural: 'pods', namespace, name })
    const programs = programsIn?.(String(metadata.uid))
    if (programs === undefined) throw new Error(`the pod ${name} is not running`)
    return programs
  }
  return {
    contextOf: ({ planned }, share = 1) => ({
      system: view,
      target: planned.target,
      params: planned.params,
      api,
      users: users.control,
      laboratory: LABORATORY,
      ...defined({ programsIn: programsIn && listPrograms, connectTo }),
      share,
      signal,
      sleep: (ms) => time.sleep(ms, signal),
    }),
  }
}
