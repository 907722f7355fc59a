/** A correct repair other than the reference. Validation expects that it passes. */
import type { FaultCase, Repair } from '#spec'

export interface RightRepair extends Repair {
  /** The faults that it repairs. */
  readonly faults: readonly string[]
  /** Whether it runs programs in pods, so that it cannot be tried on simulated pods. */
  readonly needsPrograms?: boolean
  /** Whether it repairs this case; always by default. */
  fits?(faultCase: FaultCase): boolean
}
