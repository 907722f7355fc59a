/** The truth about a problem, against which answers are scored. */
import type { Fault, FaultCase, FaultLayer, FaultState, FaultType } from '../fault.ts'

export interface FaultTruth {
  /** The services at fault. Any of them is a right answer. */
  readonly culprits: readonly string[]
  /** The accepted layers and types, the best first. */
  readonly layers: readonly FaultLayer[]
  readonly types: readonly FaultType[]
  /** Milliseconds after the first fault. */
  readonly afterMs: number
}

export interface Truth {
  readonly isFaulty: boolean
  readonly faults: readonly FaultTruth[]
}

/** The truth about a control. */
export const NO_FAULT: Truth = { isFaulty: false, faults: [] }

/** Without a state, the culprits are all services that can be at fault. */
export const toFaultTruth = (
  fault: Pick<Fault, 'layer' | 'otherLayers' | 'type' | 'otherTypes' | 'culprits'>,
  faultCase: FaultCase & { readonly state?: FaultState },
  afterMs = 0,
): FaultTruth => ({
  culprits: fault.culprits?.(faultCase) ?? [faultCase.target.service],
  layers: [fault.layer, ...(fault.otherLayers ?? [])],
  types: [fault.type, ...(fault.otherTypes ?? [])],
  afterMs,
})
