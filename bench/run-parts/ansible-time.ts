/** Derives from the record of an episode how long Ansible ran. */
import type { EpisodeEvent } from '#spec'

/**
 * Returns milliseconds. A playbook runs from its vetting until its step is recorded. The playbooks of the laboratory's
 * own solvers are not vetted; they start right after the previous step or the start of the solver.
 */
export const ansibleTimeOf = (events: readonly EpisodeEvent[]): number => {
  let startedAt = 0
  let sum = 0
  for (const event of events) {
    if (event.type === 'step-taken' && /^run[_-]playbook$/.test(event.action)) sum += event.at - startedAt
    if (['solver-started', 'playbook-vetted', 'step-taken'].includes(event.type)) startedAt = event.at
  }
  return sum
}
