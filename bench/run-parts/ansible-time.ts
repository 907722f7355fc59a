/** How long Ansible ran in an episode, from its record: from the vetting of each playbook to the step that it was. */
import type { EpisodeEvent } from '../../src/spec/index.ts'

/** Milliseconds. */
export const ansibleTimeOf = (events: readonly EpisodeEvent[]): number => {
  let vetted: number | undefined
  let sum = 0
  for (const event of events) {
    if (event.type === 'playbook-vetted') vetted = event.isRefused ? undefined : event.at
    if (event.type !== 'step-taken' || event.action !== 'run_playbook' || vetted === undefined) continue
    sum += event.at - vetted
    vetted = undefined
  }
  return sum
}
