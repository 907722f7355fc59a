/** How long Ansible ran in an episode, from its record. */
import type { EpisodeEvent } from '../../src/spec/index.ts'

/**
 * Milliseconds from the vetting of each playbook to the step that it was; the laboratory's own are not vetted, and follow
 * at once on the step before.
 */
export const ansibleTimeOf = (events: readonly EpisodeEvent[]): number => {
  let since = 0
  let sum = 0
  for (const event of events) {
    if (event.type === 'step-taken' && /^run[_-]playbook$/.test(event.action)) sum += event.at - since
    if (['solver-began', 'playbook-vetted', 'step-taken'].includes(event.type)) since = event.at
  }
  return sum
}
