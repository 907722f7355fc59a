/** Converts a conclusion to the answers that the task requires. */
import { defined } from '#kit'
import { type Answers, type Task, taskOf } from '#spec'
import { asksForCause } from './asks-for-cause.ts'
import type { Conclusion } from './conclusion.ts'

const MAX_SERVICES = 5
const MAX_NOTE_CHARACTERS = 900

export const toAnswers = (
  task: Task,
  { detected, hypotheses, note }: Conclusion,
): Answers & { readonly note: string } => {
  const noteField = { note: note.slice(0, MAX_NOTE_CHARACTERS) }
  const [best] = hypotheses
  if (taskOf(task).questions.length === 0) return noteField
  if (!detected) return { detected: false, ...noteField }
  if (!asksForCause(task)) return { detected: true, ...noteField }
  const primaryServices = hypotheses.map(({ services }) => services[0]!)
  const services = [
    ...new Set([...primaryServices, ...hypotheses.flatMap((hypothesis) => hypothesis.services)]),
  ]
  return {
    detected: true,
    services: services.slice(0, MAX_SERVICES),
    ...defined({ layer: best?.layer, type: best?.type }),
    ...noteField,
  }
}
