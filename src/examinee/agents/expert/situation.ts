/** The context of the Expert in one episode. */
import type { Briefing } from '#spec'
import type { CountedActions } from './count-steps.ts'
import type { World } from './observe/world.ts'
import type { Focus } from './runbook.ts'

export interface Situation {
  readonly briefing: Briefing
  readonly foci: readonly Focus[]
  readonly actions: CountedActions
  readonly world: World
  /** Adds to `waited`. */
  sleep(ms: number): Promise<void>
  /** The total time of all sleeps so far, in milliseconds. */
  waited(): number
}
