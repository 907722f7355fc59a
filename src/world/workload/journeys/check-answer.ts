/** Checks a response against the expectation of a step, by its status and content. */
import type { RequestRecord } from '#spec'
import type { CompiledStep } from './compile-journeys.ts'
import { MAX_TEXT_BYTES } from './exchange.ts'
import type { UserAnswer } from './user-request.ts'

export type RequestResult = Pick<RequestRecord, 'outcome' | 'status' | 'detail'>

const MAX_DETAIL_CHARACTERS = 160

const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > MAX_DETAIL_CHARACTERS ? `${line.slice(0, MAX_DETAIL_CHARACTERS)}...` : line
}

/** Parses JSON if the content type or the first character suggests it; otherwise returns the text. */
const parseBody = ({ headers, text }: UserAnswer): unknown => {
  if (!headers['content-type']?.includes('json') && !/^\s*[{[]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 400

/** The outcome is `status` if the server returned an error status, and `content` otherwise. */
export const toFailure = (status: number, reason: string): RequestResult => ({
  outcome: status === 0 || isSuccess(status) ? 'content' : 'status',
  status,
  detail: reason,
})

/**
 * Stores the values under `keep` and `keepInSession` if the response is as expected. Throws an
 * ExpressionError if an expression refers to a missing value.
 */
export const checkAnswer = (
  step: CompiledStep,
  answer: UserAnswer,
  scope: Record<string, unknown>,
  session: Record<string, unknown>,
): RequestResult => {
  const { status } = answer
  if (step.expect === undefined && !isSuccess(status)) return toFailure(status, shorten(answer.text))
  const usesContent = step.expect !== undefined || step.keep.length + step.keepInSession.length > 0
  if (usesContent && answer.isTruncated)
    return toFailure(status, `the response is larger than ${MAX_TEXT_BYTES} bytes`)
  if (usesContent) Object.assign(scope, { status, headers: answer.headers, body: parseBody(answer) })
  if (step.expect !== undefined && step.expect(scope) !== true)
    return toFailure(status, `expected ${step.expectation}, got ${shorten(answer.text)}`)
  for (const [name, evaluate] of step.keep) scope[name] = evaluate(scope)
  for (const [name, evaluate] of step.keepInSession) session[name] = evaluate(scope)
  return { outcome: 'ok', status }
}
