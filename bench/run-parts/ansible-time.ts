/** Derives from the record of an episode how long Ansible ran. */
import type { EpisodeEvent } from '#spec'

/**
 * In milliseconds. A playbook runs from its vetting until its step is recorded; a playbook of the laboratory's
 * own solvers is not vetted and starts right after the previous step.
 */
export const ansibleTimeOf = (events: readonly EpisodeEvent[]): number => {
  let since = 0
  let sum = 0
  for (const event of events) {
    if (event.type === 'step-taken' && /^run[_-]playbook$/.test(event.action)) sum += event.at - since
    if (['solver-started', 'playbook-vetted', 'step-taken'].includes(event.type)) since = event.at
  }
  return sum
}
