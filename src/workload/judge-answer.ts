/** Whether an answer is what a user wanted, by its status and by what is in it. */
import type { RequestRecord } from '../spec/index.ts'
import type { CompiledStep } from './compile-journey.ts'
import type { UserAnswer } from './user-client.ts'

export type Verdict = Pick<RequestRecord, 'outcome' | 'status' | 'detail'>

const SHOWN_CHARACTERS = 160

const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}...` : line
}

/** JSON where it says so or looks so; otherwise the text. */
const toBody = ({ headers, text }: UserAnswer): unknown => {
  if (!headers['content-type']?.includes('json') && !/^\s*[{[]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const isFine = (status: number): boolean => status >= 200 && status < 400

/** A bad content is only blamed where the status is good. */
export const notWanted = (status: number, reason: string): Verdict => ({
  outcome: status === 0 || isFine(status) ? 'content' : 'status',
  status,
  detail: reason,
})

/** Throws an ExpressionError where what is looked at or kept is not there. Keeps nothing of what is not wanted. */
export const judgeAnswer = (
  step: CompiledStep,
  answer: UserAnswer,
  scope: Record<string, unknown>,
  session: Record<string, unknown>,
): Verdict => {
  const { status } = answer
  if (step.expect === undefined && !isFine(status)) return notWanted(status, shorten(answer.text))
  const isLookedAt = step.expect !== undefined || step.keep.length + step.keepInSession.length > 0
  if (isLookedAt) Object.assign(scope, { status, headers: answer.headers, body: toBody(answer) })
  if (step.expect !== undefined && step.expect(scope) !== true)
    return notWanted(status, `not so: ${step.expectation}; it was ${shorten(answer.text)}`)
  for (const [name, evaluate] of step.keep) scope[name] = evaluate(scope)
  for (const [name, evaluate] of step.keepInSession) session[name] = evaluate(scope)
  return { outcome: 'ok', status }
}
