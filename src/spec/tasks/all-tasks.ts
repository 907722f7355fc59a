/** All tasks, in the order in which users see them. */
import { RemediumError } from '../errors.ts'
import { answerNamesIn } from './all-questions.ts'
import { analysis } from './analysis.ts'
import type { Answers } from './answers.ts'
import type { TaskDeclaration } from './define-task.ts'
import { detection } from './detection.ts'
import { endToEnd } from './end-to-end.ts'
import { localisation } from './localisation.ts'
import { mitigation } from './mitigation.ts'
import { remediation } from './remediation.ts'

const DECLARATIONS = [detection, localisation, analysis, mitigation, remediation, endToEnd] as const

/** The name of a task. */
export type Task = (typeof DECLARATIONS)[number]['name']

export const TASKS: readonly Task[] = DECLARATIONS.map(({ name }) => name)

/** The task in the verdict on a record that ends before it names a problem. */
export const FALLBACK_TASK: Task = mitigation.name

const BY_NAME: ReadonlyMap<string, TaskDeclaration<Task>> = new Map(
  DECLARATIONS.map((task) => [task.name, task]),
)

/** Throws if there is no such task. */
export const taskOf = (name: Task): TaskDeclaration<Task> => {
  const task = BY_NAME.get(name)
  if (task === undefined)
    throw new RemediumError('bad-argument', `There is no task "${name}", only ${TASKS.join(', ')}.`)
  return task
}

/** The names of the answers that a task asks for. */
export const answerNamesOf = (task: Task): readonly (keyof Answers)[] =>
  taskOf(task).questions.flatMap(answerNamesIn)
