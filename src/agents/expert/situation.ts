/** What the Expert has at hand while it works on one report. */
import type { Briefing } from '../../spec/index.ts'
import type { CountedActions } from './count-steps.ts'
import type { World } from './observe/world.ts'
import type { Focus } from './runbook.ts'

export interface Situation {
  readonly briefing: Briefing
  readonly foci: readonly Focus[]
  readonly actions: CountedActions
  readonly world: World
  /** Notes how long it has waited; see `waited`. */
  sleep(ms: number): Promise<void>
  /** Milliseconds that it has slept so far: at least as long ago did it begin. */
  waited(): number
}
