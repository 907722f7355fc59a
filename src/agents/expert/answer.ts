/** The answers that a task asks for, from what was concluded. */
import type { Answers, Task } from '../../spec/index.ts'
import type { Conclusion } from './conclusion.ts'

const MOST_SERVICES = 5
const MOST_LETTERS = 900

export const answer = (
  task: Task,
  { detected, hypotheses, note }: Conclusion,
): Answers & { readonly note: string } => {
  const told = { note: note.slice(0, MOST_LETTERS) }
  const [best] = hypotheses
  if (task === 'mitigation' || task === 'remediation') return told
  if (!detected) return { detected: false, ...told }
  const firsts = hypotheses.map(({ services }) => services[0]!)
  const services = [...new Set([...firsts, ...hypotheses.flatMap((one) => one.services)])]
  return {
    detected: true,
    ...(task === 'detection' ? {} : { services: services.slice(0, MOST_SERVICES) }),
    ...(best === undefined || task === 'detection' ? {} : { layer: best.layer, type: best.type }),
    ...told,
  }
}
