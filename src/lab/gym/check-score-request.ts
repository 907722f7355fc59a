/** Checks requests to score playbooks, before any is played. */
import { z } from 'zod'
import { type Answers, answerNamesOf, type Problem, RemediumError, taskOf } from '#spec'
import { chooseStart } from './choose-start.ts'
import type { GymCalls } from './worker/gym-job.ts'

/** The same limit as that of the action run_playbook. */
const MAX_PLAYBOOK_CHARACTERS = 1_000_000

const Request = z.strictObject({
  problem: z.string().optional(),
  seed: z.union([z.string().max(1000), z.number()]).optional(),
  playbook: z.string().max(MAX_PLAYBOOK_CHARACTERS),
  answers: z.record(z.string(), z.unknown()).default({}),
})

export interface ScoreRequest {
  readonly problem?: string | undefined
  readonly seed?: string | number | undefined
  readonly playbook: string
  /** Required by tasks that ask questions. */
  readonly answers?: Answers | undefined
}

type CheckedRequest = GymCalls['score']['input']

const fail = (index: number, reason: string): never => {
  throw new RemediumError('bad-argument', `Request ${index + 1} of the batch is invalid: ${reason}`)
}

/** Throws if the request is malformed, or cannot be scored by a playbook. */
export const checkScoreRequest = (
  problems: ReadonlyMap<string, Problem>,
  request: unknown,
  index: number,
): CheckedRequest => {
  const parsed = Request.safeParse(request)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return fail(index, `${issue!.path.join('.') || 'it'}: ${issue!.message}`)
  }
  const { playbook, answers, ...start } = parsed.data
  const chosen = chooseStart(problems, start)
  const { task } = chosen.problem
  if (!taskOf(task).repairs) fail(index, `the task ${task} has no repair, so a playbook cannot be scored.`)
  const isNoFault = (answers as Answers).detected === false
  const missing = isNoFault ? [] : answerNamesOf(task).filter((name) => answers[name] === undefined)
  if (missing.length > 0) fail(index, `the task ${task} also requires these answers: ${missing.join(', ')}.`)
  return { ...chosen, playbook, answers: answers as Answers }
}
