/** Whether a task asks for the cause of a fault, and not only whether a fault is present. */
import { answerNamesOf, type Task } from '#spec'

export const asksForCause = (task: Task): boolean => answerNamesOf(task).some((name) => name !== 'detected')
